package simulation

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Failure is a schedule that breaks a promise.
type Failure struct {
	Scenario string
	Schedule Schedule
	Broken   []string
	Course   []string `json:"-"`
}

// String tells the failure so that it can be read and played again.
func (f *Failure) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", f.Scenario, strings.Join(f.Broken, "\n  and "))
	for n, d := range f.Schedule {
		fmt.Fprintf(&b, "  departure %d: instead of %q: %s\n", n+1, d.At, d.Take)
	}
	fmt.Fprintf(&b, "  again with: -simulation.scenario=%q -simulation.replay=%q\n", f.Scenario, f.Schedule.String())
	return b.String()
}

// Result is what a search came to.
type Result struct {
	Schedules []int // that were played, by how many departures they have
	States    int   // that were told apart; 0 for a walk
	Pruned    int   // courses that ended where as much had been tried already
	Moves     int   // of all courses together
	// Failure is the first schedule that breaks a promise, minimized; nil if there is none.
	Failure *Failure
}

// Total is how many schedules were played.
func (r Result) Total() (n int) {
	for _, some := range r.Schedules {
		n += some
	}
	return n
}

// Add adds what another search of the same kind came to.
func (r *Result) Add(other Result) {
	for n, some := range other.Schedules {
		for len(r.Schedules) <= n {
			r.Schedules = append(r.Schedules, 0)
		}
		r.Schedules[n] += some
	}
	r.States, r.Pruned, r.Moves = r.States+other.States, r.Pruned+other.Pruned, r.Moves+other.Moves
	r.Failure = cmp.Or(r.Failure, other.Failure)
}

// played counts a schedule.
func (r *Result) played(departures int, out Outcome) {
	one := Result{Schedules: make([]int, departures+1), Moves: out.Points}
	one.Schedules[departures] = 1
	r.Add(one)
}

// Play lets one schedule happen. It reports how many of its departures found their place.
func Play(t *testing.T, sc Scenario, m *Material, schedule Schedule) (Outcome, int) {
	t.Helper()
	r := &replay{schedule: schedule}
	return run(t, sc, m, r, false, true), r.taken
}

// Explore plays all schedules within bounds, those with few departures first. A course that comes to a state from which as
// much was tried already ends there.
func Explore(t *testing.T, sc Scenario, m *Material, b Bounds) Result {
	t.Helper()
	x := &explorer{bounds: b, seen: map[uint64][]Bounds{}, todo: []Schedule{nil}}
	var r Result
	for len(x.todo) > 0 && r.Failure == nil {
		schedule := x.todo[0]
		x.todo = x.todo[1:]
		x.begin(schedule)
		out := run(t, sc, m, x, true, false)
		r.played(len(schedule), out)
		if len(out.Broken) > 0 {
			r.Failure = minimize(t, sc, m, schedule)
		}
	}
	r.States, r.Pruned = len(x.seen), x.pruned
	return r
}

// explorer drives a course along a schedule, and notes where it could have gone beside it.
type explorer struct {
	bounds Bounds
	seen   map[uint64][]Bounds // what was spent at most where a state was met
	todo   []Schedule
	pruned int
	replay replay
	spent  Bounds
}

func (x *explorer) begin(s Schedule) { x.replay, x.spent = replay{schedule: s}, s.spent() }

func (x *explorer) choose(p point) (int, bool) {
	if x.replay.taken < len(x.replay.schedule) {
		return x.replay.choose(p)
	}
	if x.known(p.state) {
		x.pruned++
		return 0, false
	}
	for _, m := range p.moves[1:] {
		if x.bounds.holds(x.spent.with(m.cost)) {
			x.todo = append(x.todo, append(slices.Clip(x.replay.schedule), Departure{At: p.moves[0].label, Take: m.label, cost: m.cost}))
		}
	}
	return 0, true
}

// known reports whether a state was met before by who had spent no more, and notes it.
func (x *explorer) known(state uint64) bool {
	if slices.ContainsFunc(x.seen[state], func(b Bounds) bool { return b.Wrong <= x.spent.Wrong && b.Early <= x.spent.Early }) {
		return true
	}
	x.seen[state] = append(x.seen[state], x.spent)
	return false
}

// minimize leaves out of a failing schedule what it fails without, and plays what is left.
func minimize(t *testing.T, sc Scenario, m *Material, failing Schedule) *Failure {
	t.Helper()
	least := failing.Least(func(s Schedule) bool {
		out, _ := Play(t, sc, m, s)
		return len(out.Broken) > 0
	})
	out, _ := Play(t, sc, m, least)
	return &Failure{Scenario: sc.Name, Schedule: least, Broken: out.Broken, Course: out.Course}
}

// walker departs at random.
type walker struct {
	random *rand.Rand
	bounds Bounds
	often  int // one move in so many is a departure
	taken  Schedule
}

// Walk plays one long schedule, which its seed decides.
func Walk(t *testing.T, sc Scenario, m *Material, seed uint64, b Bounds) (r Result) {
	t.Helper()
	w := &walker{random: rand.New(rand.NewPCG(seed, 0)), bounds: b}
	w.often = 2 + w.random.IntN(20)
	out := run(t, sc, m, w, false, false)
	r.played(len(w.taken), out)
	if len(out.Broken) > 0 {
		r.Failure = minimize(t, sc, m, w.taken)
	}
	return r
}

func (w *walker) choose(p point) (int, bool) {
	if len(p.moves) == 1 || w.random.IntN(w.often) > 0 {
		return 0, true
	}
	n := 1 + w.random.IntN(len(p.moves)-1)
	m := p.moves[n]
	if !w.bounds.holds(w.taken.spent().with(m.cost)) {
		return 0, true
	}
	w.taken = append(w.taken, Departure{At: p.moves[0].label, Take: m.label, cost: m.cost})
	return n, true
}
