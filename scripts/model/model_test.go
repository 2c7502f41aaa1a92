package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

const whole = `took: Queued Processing
took: Processing Failed
took: Queued Processing
State-vector 92 byte, depth reached 735, errors: 0
    12022 states, stored
`

const brokenOff = `broken: not-again
pan:1: assertion violated 0 (at depth 185)
pan: wrote life.pml.trail
Warning: Search not completed
State-vector 84 byte, depth reached 305, errors: 1
      173 states, stored
`

const endless = `pan:1: acceptance cycle (at depth 39)
State-vector 124 byte, depth reached 175, errors: 1
     3879 states, stored (14648 visited)
`

func TestRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, out string
		broken    string
		states    int
		took      []string
		fails     bool
	}{
		{"all holds", whole, "", 12022, []string{"Queued Processing", "Processing Failed"}, false},
		{"a promise is broken", brokenOff, "not-again", 173, nil, false},
		{"a job never ends", endless, "ends", 3879, nil, false},
		{"an error that nobody named", strings.Replace(whole, "errors: 0", "errors: 1", 1), "", 12022, nil, true},
		{"a search that was cut", "error: max search depth too small\n" + whole, "", 12022, nil, true},
		{"no room for all states", whole + "pan: out of memory\n", "", 12022, nil, true},
		{"nothing was searched", "pan: error: too many processes\n", "", 0, nil, true},
		{"nothing", "", "", 0, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := read(tt.out)
			if f.broken != tt.broken || f.states != tt.states || (f.err != nil) != tt.fails {
				t.Errorf("read = broken %q, %d states, %v; want %q, %d, failing %t", f.broken, f.states, f.err, tt.broken, tt.states, tt.fails)
			}
			if tt.took != nil && !slices.Equal(f.took, tt.took) {
				t.Errorf("took = %q, want %q", f.took, tt.took)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	table := rows("STEP(Local, Queued, Processing)\nSTEP(Local, Processing, Failed)\n/* STEP(Local, Failed, Queued) */\n")
	holds := trial{method: "Local", allSteps: true}
	fault := trial{method: "Local", breaks: "once"}
	tests := []struct {
		name  string
		trial trial
		found finding
		ok    bool
	}{
		{"holds", holds, finding{took: []string{"Processing Failed", "Queued Processing"}}, true},
		{"a step is never taken", holds, finding{took: []string{"Queued Processing"}}, false},
		{"no table", trial{method: "None", allSteps: true}, finding{}, false},
		{"is broken", holds, finding{broken: "once"}, false},
		{"could not be asked", holds, finding{err: errors.New("no gcc")}, false},
		{"a fault is found", fault, finding{broken: "once"}, true},
		{"a fault is not found", fault, finding{}, false},
		{"a fault breaks something else", fault, finding{broken: "input"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if said, ok := judge(tt.trial, tt.found, table); ok != tt.ok {
				t.Errorf("judge = %q, %t; want %t", said, ok, tt.ok)
			}
		})
	}
}
