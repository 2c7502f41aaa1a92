package simulation_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/simulation"
)

func TestFiguresAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	want := simulation.Figures{Method: simulation.Exploring, Scenario: "put", Depth: 2, Faults: 1, Took: time.Second, Seed: 7,
		Result: simulation.Result{Schedules: []int{1, 20, 300}, States: 40, Pruned: 5, Moves: 600,
			Failure: &simulation.Failure{Scenario: "put", Schedule: sample, Broken: []string{"the key is asked 2 times for one job"}}}}
	line, err := want.Line()
	if err != nil {
		t.Fatal(err)
	}
	got, ok, err := simulation.ParseFigures(line)
	if err != nil || !ok || got.Total() != 321 || !cmp.Equal(got, want, cmp.AllowUnexported(simulation.Departure{})) {
		t.Errorf("%q is read as %+v, %t, %v", line, got, ok, err)
	}
	if _, ok, err := simulation.ParseFigures("PASS"); ok || err != nil {
		t.Errorf("a line that tells something else is read as figures: %t, %v", ok, err)
	}
	if _, _, err := simulation.ParseFigures("simulation-figures {"); err == nil {
		t.Error("half a line is read")
	}
}

// TestAdd sums what searches of one kind came to, and keeps the first failure.
func TestAdd(t *testing.T) {
	t.Parallel()
	first := &simulation.Failure{Scenario: "put"}
	r := simulation.Result{Schedules: []int{1}, Moves: 10}
	r.Add(simulation.Result{Schedules: []int{0, 2}, Moves: 5, Failure: first})
	r.Add(simulation.Result{Schedules: []int{1}, Failure: &simulation.Failure{}})
	if r.Total() != 4 || r.Moves != 15 || r.Failure != first {
		t.Errorf("the sum is %+v", r)
	}
}
