package judge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"bulksigner/internal/profile"
	"bulksigner/scripts/conformance/judge"
)

func TestRun(t *testing.T) {
	t.Parallel()
	var cases []*judge.Case
	for id := range 20 {
		format := profile.Pades
		if id%2 == 1 {
			format = profile.Xades
		}
		cases = append(cases, &judge.Case{ID: id, Format: format})
	}
	complaint := errors.New("no")
	var atWork, most atomic.Int32
	single := &judge.Judge{Name: "single", Formats: []profile.Format{profile.Pades}, Each: func(_ context.Context, c *judge.Case) error {
		if n := atWork.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer atWork.Add(-1)
		if c.ID == 4 {
			return complaint
		}
		return nil
	}}
	calls := 0
	batch := &judge.Judge{Name: "batch", Formats: []profile.Format{profile.Pades, profile.Xades}, Batch: func(_ context.Context, cases []*judge.Case) []error {
		calls++
		errs := make([]error, len(cases))
		errs[7] = judge.Unable{Reason: "it cannot"}
		return errs
	}}
	idle := &judge.Judge{Name: "idle", Formats: []profile.Format{profile.Cades}}
	got := judge.Run(t.Context(), []*judge.Judge{single, batch, idle}, cases, 2)
	if len(got[single]) != 10 || len(got[batch]) != 20 || len(got[idle]) != 0 {
		t.Errorf("%d, %d and %d opinions, want 10, 20 and none", len(got[single]), len(got[batch]), len(got[idle]))
	}
	if got[single][4] != complaint || got[single][6] != nil || !judge.Abstained(got[batch][7]) || judge.Abstained(got[single][4]) {
		t.Errorf("opinions = %v, %v, %v", got[single][4], got[single][6], got[batch][7])
	}
	if calls != 1 || most.Load() > 2 {
		t.Errorf("the batch was judged %d times, %d cases at a time", calls, most.Load())
	}
}

func TestAbstained(t *testing.T) {
	t.Parallel()
	if !judge.Abstained(fmt.Errorf("wrapped: %w", judge.Unable{Reason: "x"})) || judge.Abstained(errors.New("x")) || judge.Abstained(nil) {
		t.Error("Abstained does not tell an Unable from others")
	}
}

// TestAll holds that every judge can be named where it is missing, and that a machine with its distribution's packages
// and Go has two for each format.
func TestAll(t *testing.T) {
	t.Parallel()
	all := judge.All(&judge.Env{})
	for _, f := range profile.Formats {
		usual := 0
		for _, j := range all {
			if j.Judges(f) && j.Outside && j.Maths && !strings.Contains(j.Package, "get.sh") {
				usual++
			}
		}
		if usual < 2 {
			t.Errorf("%s has %d usual judges, want 2", f, usual)
		}
	}
	seen := map[string]bool{}
	for _, j := range all {
		if seen[j.Name] || j.Name == "" || j.Find == nil || (j.Each == nil) == (j.Batch == nil) || j.Outside && j.Package == "" {
			t.Errorf("judge %q is not complete, or comes twice", j.Name)
		}
		seen[j.Name] = true
	}
}

// TestMissing looks for judges where their sources and libraries are not.
func TestMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, j := range judge.All(&judge.Env{Dir: dir, Module: dir, Tools: dir}) {
		switch j.Name {
		case "java", "pdfcpu", "pkcs7", "pyHanko", "EU DSS":
			if version, err := j.Find(t.Context()); err == nil {
				t.Errorf("%s is found, version %s", j.Name, version)
			}
		}
	}
}
