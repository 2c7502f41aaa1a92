package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"bulksigner/internal/simulation"
)

// findings are what a run came to.
type findings struct {
	searched []simulation.Figures
	mutants  []mutant
	model    modelled
	took     time.Duration
}

// schedules is how many were played, but for those of the mutants.
func (f findings) schedules() (n int) {
	for _, x := range f.searched {
		n += x.Total()
	}
	return n
}

func (f findings) violations() (n int) {
	for _, x := range f.searched {
		if x.Failure != nil {
			n++
		}
	}
	return n
}

func (f findings) foundMutants() (n int) {
	for _, m := range f.mutants {
		if m.found != nil {
			n++
		}
	}
	return n
}

// last is the line that sums a run up.
func (f findings) last() string {
	return fmt.Sprintf("prove: %d schedules, %d violations, %d of %d mutations found", f.schedules(), f.violations(), f.foundMutants(), len(f.mutants))
}

// verdict is why the run must fail, if it must.
func (f findings) verdict() (err error) {
	if f.violations() > 0 {
		err = errors.Join(err, errors.New("a promise is broken"))
	}
	if f.foundMutants() < len(f.mutants) {
		err = errors.Join(err, errors.New("a deliberate fault is not found"))
	}
	if f.model.broken {
		err = errors.Join(err, errors.New("the model does not hold"))
	}
	return err
}

// kind is one sort of search: its method and its bounds.
type kind struct {
	method        string
	depth, faults int
}

func kindOf(f simulation.Figures) kind { return kind{f.Method, f.Depth, f.Faults} }

func (k kind) String() string {
	switch {
	case k.method == simulation.Walking:
		return "random walks"
	case k.faults == 0:
		return "all, nothing going wrong"
	}
	return "all schedules"
}

// kinds are the sorts of search, in the order in which they were made.
func (f findings) kinds() (kinds []kind) {
	for _, x := range f.searched {
		if !slices.Contains(kinds, kindOf(x)) {
			kinds = append(kinds, kindOf(x))
		}
	}
	return kinds
}

// sum adds what was searched of a kind, and in a scenario unless that is "".
func (f findings) sum(k kind, scenario string) (r simulation.Result, took time.Duration) {
	for _, x := range f.searched {
		if kindOf(x) == k && (scenario == "" || scenario == x.Scenario) {
			r.Add(x.Result)
			took += x.Took
		}
	}
	return r, took
}

// tables are the tables of all that was looked at.
func (f findings) tables() (text string) {
	if len(f.searched) > 0 || f.model.trials > 0 {
		text += "\n" + f.byMethod()
	}
	if len(f.searched) > 0 {
		text += "\n" + f.byScenario()
	}
	if len(f.mutants) > 0 {
		text += "\n" + f.byMutant()
	}
	return text
}

// byMethod is a table of what each sort of search came to.
func (f findings) byMethod() string {
	t := table{"method", "departures", "schedules", "states", "time of all searches"}
	var b strings.Builder
	t.head(&b)
	for _, k := range f.kinds() {
		r, took := f.sum(k, "")
		t.row(&b, k.String(), fmt.Sprintf("up to %d", k.depth), grouped(r.Total()), grouped(r.States), took.Round(time.Second).String())
	}
	if f.model.trials > 0 {
		t.row(&b, "Spin, "+fmt.Sprint(f.model.trials)+" trials", "", "", grouped(f.model.states), strings.TrimSpace(f.model.said[strings.LastIndex(f.model.said, ",")+1:]))
	}
	return b.String()
}

// byScenario is a table of the schedules that were played in each scenario, and of what was told apart.
func (f findings) byScenario() string {
	kinds := f.kinds()
	t := table{"scenario"}
	for _, k := range kinds {
		t = append(t, fmt.Sprintf("%s, up to %d", k, k.depth))
	}
	t = append(t, "states")
	var b strings.Builder
	t.head(&b)
	for _, scenario := range f.scenarios() {
		cells, states := []string{"`" + scenario + "`"}, 0
		for _, k := range kinds {
			r, _ := f.sum(k, scenario)
			cell := ""
			if r.Total() > 0 {
				cell = grouped(r.Total())
			}
			cells, states = append(cells, cell), states+r.States
		}
		t.row(&b, append(cells, grouped(states))...)
	}
	return b.String()
}

func (f findings) scenarios() (names []string) {
	for _, x := range f.searched {
		names = append(names, x.Scenario)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// byMutant is a table of what finds each deliberate fault.
func (f findings) byMutant() string {
	t := table{"tag", "deliberate fault", "found in", "by the departure", "as"}
	var b strings.Builder
	t.head(&b)
	for _, m := range f.mutants {
		if m.found == nil {
			t.row(&b, "`"+m.tag+"`", m.says, "nowhere", "", "")
			continue
		}
		t.row(&b, "`"+m.tag+"`", m.says, "`"+m.found.Scenario+"`", departed(m.found.Schedule), m.found.Broken[0])
	}
	return b.String()
}

func departed(s simulation.Schedule) string {
	if len(s) == 0 {
		return "none"
	}
	return "`" + strings.ReplaceAll(s.String(), "|", "/") + "`"
}
