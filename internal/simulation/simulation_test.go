package simulation_test

import (
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/simulation"
)

// Flags for long searches, and for looking at one course.
var (
	duration = flag.Duration("simulation.for", 0, "walk at random for so long, one scenario after the other")
	depth    = flag.Int("simulation.depth", 1, "explore all schedules with so many departures")
	faults   = flag.Int("simulation.faults", 9, "of these departures, how many may be something that goes wrong")
	seed     = flag.Uint64("simulation.seed", 1, "the first seed of the random walks")
	only     = flag.String("simulation.scenario", "", "the scenario to simulate; empty for all")
	schedule = flag.String("simulation.replay", "", "the schedule to play")
)

// each runs a test in every scenario that is asked for.
func each(t *testing.T, test func(t *testing.T, sc simulation.Scenario)) {
	t.Helper()
	for _, sc := range scenarios {
		if *only != "" && *only != sc.Name {
			continue
		}
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			test(t, sc)
		})
	}
}

// TestUsualCourse lets everything go well: that is a course without departures, and the same one each time.
func TestUsualCourse(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, sc simulation.Scenario) {
		first, _ := simulation.Play(t, sc, material, nil)
		second, _ := simulation.Play(t, sc, material, nil)
		if len(first.Broken) > 0 {
			t.Error(strings.Join(first.Broken, "\n"))
		}
		if !slices.Equal(first.Course, second.Course) {
			t.Error("one schedule has two courses")
		}
	})
}

// TestExplore plays every schedule with few departures.
func TestExplore(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, sc simulation.Scenario) {
		began := time.Now()
		r := simulation.Explore(t, sc, material, simulation.Bounds{Wrong: *faults, Early: *depth, Both: *depth})
		t.Logf("%d courses, %d states, in %s", r.Runs, r.States, time.Since(began).Round(time.Millisecond))
		if r.Failure != nil {
			t.Error(r.Failure)
		}
	})
}

// fewWalks is how many random walks there are without -simulation.for.
const fewWalks = 10

// TestWalk plays long schedules at random. With -simulation.for it goes on for so long.
func TestWalk(t *testing.T) {
	t.Parallel()
	if *duration > 0 {
		walkLong(t)
		return
	}
	each(t, func(t *testing.T, sc simulation.Scenario) {
		for n := range uint64(fewWalks) {
			walk(t, sc, *seed+n)
		}
	})
}

// walkLong goes through the scenarios, seed by seed, until time is up.
func walkLong(t *testing.T) {
	began, walks := time.Now(), uint64(0)
	for ; time.Since(began) < *duration && !t.Failed(); walks++ {
		for _, sc := range scenarios {
			if *only == "" || *only == sc.Name {
				walk(t, sc, *seed+walks)
			}
		}
	}
	t.Logf("%d walks in each scenario", walks)
}

func walk(t *testing.T, sc simulation.Scenario, seed uint64) {
	t.Helper()
	if f := simulation.Walk(t, sc, material, seed, simulation.Bounds{Wrong: 5, Early: 12, Both: 17}); f != nil {
		t.Errorf("seed %d: %s", seed, f)
	}
}

// TestReplay plays the schedule of the flag, and tells its course.
func TestReplay(t *testing.T) {
	if *schedule == "" && *only == "" {
		return
	}
	s, err := simulation.ParseSchedule(*schedule)
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, sc simulation.Scenario) {
		out, found := simulation.Play(t, sc, material, s)
		t.Logf("%d of %d departures found their place\n%s", found, len(s), strings.Join(out.Course, "\n"))
		if len(out.Broken) > 0 {
			t.Error(strings.Join(out.Broken, "\n"))
		}
	})
}
