package simulation_test

import (
	"slices"
	"testing"

	"bulksigner/internal/simulation"
)

var sample = simulation.Schedule{{At: "sign-1.4 take in", Take: "dies after it"}, {At: "begin sign-2", Take: "begin recover"}, {At: "wait-1", Take: "the message is lost"}}

func TestSchedulesAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	got, err := simulation.ParseSchedule(sample.String())
	if err != nil || got.String() != sample.String() || len(got) != len(sample) {
		t.Errorf("ParseSchedule(%q) = %q, %v", sample, got, err)
	}
	if _, err := simulation.ParseSchedule("at noon"); err == nil {
		t.Error("what names no departure is read as one")
	}
}

// TestLeast leaves out what a failure does not need.
func TestLeast(t *testing.T) {
	t.Parallel()
	needs := sample[1]
	got := sample.Least(func(s simulation.Schedule) bool { return slices.Contains(s, needs) })
	if len(got) != 1 || got[0] != needs {
		t.Errorf("Least = %q, want %q", got, needs)
	}
}

func FuzzParseSchedule(f *testing.F) {
	f.Add(sample.String())
	f.Add("a => b; ; => ")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := simulation.ParseSchedule(text)
		if err != nil {
			return
		}
		again, err := simulation.ParseSchedule(s.String())
		if err != nil || again.String() != s.String() {
			t.Errorf("%q is read as %q, and that as %q, %v", text, s, again, err)
		}
	})
}
