package simulation_test

import (
	"flag"
	"os"
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
	first    = flag.Bool("simulation.first", false, "end with the first scenario that breaks a promise")
	figures  = flag.Bool("simulation.figures", false, "print what was searched, a line of figures for each scenario")
)

// each runs a test in every scenario that is asked for.
func each(t *testing.T, test func(t *testing.T, sc simulation.Scenario)) {
	t.Helper()
	for _, sc := range scenarios {
		if *only != "" && *only != sc.Name || *first && t.Failed() {
			continue
		}
		t.Run(sc.Name, func(t *testing.T) {
			if !*first {
				t.Parallel()
			}
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
		tell(t, simulation.Figures{Method: simulation.Exploring, Scenario: sc.Name, Depth: *depth, Faults: min(*faults, *depth), Result: r, Took: time.Since(began)})
		if r.Failure != nil {
			t.Error(r.Failure)
		}
	})
}

// tell hands figures on to who asked for them, as soon as they are there, and to the log.
func tell(t *testing.T, f simulation.Figures) {
	t.Helper()
	t.Logf("%s: %d schedules, %d states, %d pruned, in %s", f.Scenario, f.Total(), f.States, f.Pruned, f.Took.Round(time.Millisecond))
	if !*figures {
		return
	}
	line, err := f.Line()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stdout.WriteString(line); err != nil {
		t.Fatal(err)
	}
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
		var w walks
		for n := range uint64(fewWalks) {
			w.walk(t, sc, *seed+n)
		}
		w.tell(t, sc)
	})
}

// walkLong goes through the scenarios, seed by seed, until time is up.
func walkLong(t *testing.T) {
	all := map[string]*walks{}
	began := time.Now()
	for n := uint64(0); time.Since(began) < *duration && !t.Failed(); n++ {
		for _, sc := range scenarios {
			if *only != "" && *only != sc.Name {
				continue
			}
			if all[sc.Name] == nil {
				all[sc.Name] = &walks{}
			}
			all[sc.Name].walk(t, sc, *seed+n)
		}
	}
	for _, sc := range scenarios {
		if w := all[sc.Name]; w != nil {
			w.tell(t, sc)
		}
	}
}

// walks are the walks in one scenario.
type walks struct{ figs simulation.Figures }

// far is how far walks depart.
var far = simulation.Bounds{Wrong: 5, Early: 12, Both: 17}

func (w *walks) walk(t *testing.T, sc simulation.Scenario, seed uint64) {
	t.Helper()
	began := time.Now()
	r := simulation.Walk(t, sc, material, seed, far)
	w.figs.Add(r)
	w.figs.Took += time.Since(began)
	if r.Failure != nil {
		w.figs.Seed = seed
		t.Errorf("seed %d: %s", seed, r.Failure)
	}
}

func (w *walks) tell(t *testing.T, sc simulation.Scenario) {
	t.Helper()
	w.figs.Method, w.figs.Scenario, w.figs.Depth, w.figs.Faults = simulation.Walking, sc.Name, far.Both, far.Wrong
	tell(t, w.figs)
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
