package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"bulksigner/internal/local"
	"bulksigner/internal/local/demo"
)

// Before the first rate there are some files that are not counted: processes start, keys and profiles are read.
const (
	warmRate = 5
	warmFor  = 3 * time.Second
)

// climb tries one rate after the other, as long as the service follows. It reports whether every file was signed.
func (o options) climb(p phases, s *local.Service, page string, out io.Writer) (kept bool, err error) {
	l := newLoad(o, s)
	l.papers = [][]byte{demo.Paper(letter, o.seed)}
	fmt.Fprintf(out, "files of %d kB, %v at each rate ...\n", letter/1000, o.last)
	if _, err := l.measure(p, warmRate, warmFor); err != nil {
		return false, err
	}
	var steps []step
	fmt.Fprint(out, heading())
	for _, rate := range o.curve {
		if p.load.Err() != nil {
			break
		}
		st, err := l.measure(p, rate, o.last)
		if err != nil {
			return false, err
		}
		if p.load.Err() != nil {
			fmt.Fprintf(out, "The rate of %g a second was broken off and is not counted.\n", rate)
			break
		}
		fmt.Fprint(out, st.line())
		if steps = append(steps, st); !st.follows() {
			break
		}
	}
	if len(steps) == 0 {
		return true, nil
	}
	fmt.Fprint(out, "\n"+ending(steps))
	if o.update && p.load.Err() == nil {
		err = rewrite(page, curveMarks, o.curvePage(steps))
	}
	return !slices.ContainsFunc(steps, step.spoilt), err
}

// spoilt reports whether a file was not signed.
func (s step) spoilt() bool { return s.failed+s.unended > 0 }

// otherFunctions is the CPU of the functions besides sign.
func (s step) otherFunctions() (sum time.Duration) {
	for name, spent := range s.functions {
		if name != "sign" {
			sum += spent
		}
	}
	return sum
}

func heading() string {
	titles := []string{"offered/s", "completed/s", "p50 / p99", "queue at the end", "`sign` at work", "`sign`", "other functions"}
	for _, p := range allParts {
		titles = append(titles, string(p))
	}
	titles = append(titles, "other programs", "idle")
	return "| " + strings.Join(titles, " | ") + " |\n|" + strings.Repeat(" ---: |", len(titles)) + "\n"
}

// line is the row of a rate. CPU is in hundredths of one core.
func (s step) line() string {
	cells := []string{
		fmt.Sprintf("%g", s.rate), fmt.Sprintf("%.1f", s.completed()), both(s.took), fmt.Sprint(s.queue[len(s.queue)-1]),
		fmt.Sprintf("%.1f", s.atWork), s.core(s.functions["sign"]), s.core(s.otherFunctions()),
	}
	for _, p := range allParts {
		cells = append(cells, s.core(s.part(p)))
	}
	return "| " + strings.Join(append(cells, s.core(s.others), s.core(s.idle)), " | ") + " |\n"
}

func (s step) core(d time.Duration) string { return fmt.Sprintf("%.0f %%", s.percent(d)) }

// ending says where the curve ends, and what has none left there.
func ending(steps []step) string {
	s := steps[len(steps)-1]
	var b strings.Builder
	switch {
	case s.follows():
		fmt.Fprintf(&b, "At the highest rate, %g a second, the service still followed.", s.rate)
	case s.grows():
		fmt.Fprintf(&b, "At %g a second the queue grew.", s.rate)
	default:
		fmt.Fprintf(&b, "At %g a second less than %.0f %% was completed meanwhile.", s.rate, 100*followed)
	}
	fmt.Fprintf(&b, " %s Most CPU there: %s. Of what the emulators' process did, by package: %s.\n", s.scarce(), s.largest(3), s.spent.most(6))
	if s.spoilt() {
		fmt.Fprintf(&b, "%d files FAILED and %d did not end.\n", s.failed, s.unended)
	}
	return b.String()
}

// scarce says what there was too little of.
func (s step) scarce() string {
	signers := 0
	for _, f := range local.Functions() {
		if f.Name == "sign" {
			signers = f.Processes
		}
	}
	whole := fmt.Sprintf("%s of %d %% were idle", s.core(s.idle), 100*runtime.NumCPU())
	switch {
	case s.full() && s.percent(s.others) >= disturbed:
		return fmt.Sprintf("The CPU was full: %s, and %s of it had by other programs: a quiet machine holds more.", whole, s.core(s.others))
	case s.full():
		return fmt.Sprintf("The CPU was full: %s.", whole)
	case s.atWork >= 0.9*float64(signers):
		return fmt.Sprintf("The %d processes of `sign` are what is scarce: they were always at work, while %s.", signers, whole)
	}
	return fmt.Sprintf("Nothing was scarce: %s, and %.1f of %d processes of `sign` at work.", whole, s.atWork, signers)
}

// disturbed is how much CPU of other programs, in hundredths of a core, makes a curve theirs, too.
const disturbed = 10

// largest names what has most of the CPU.
func (s step) largest(n int) string {
	all := map[string]time.Duration{}
	for name, spent := range s.functions {
		all["`"+name+"`"] = spent
	}
	for _, p := range allParts {
		all[string(p)] = s.part(p)
	}
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(all[b], all[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, name := range names[:min(n, len(names))] {
		parts = append(parts, name+" "+s.core(all[name]))
	}
	return strings.Join(parts, ", ")
}

// curvePage is what the page tells of a curve.
func (o options) curvePage(steps []step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "PDFs of %d kB, %v at each rate, %s at the end:\n\n%s", letter/1000, o.last, surroundings(), heading())
	for _, s := range steps {
		b.WriteString(s.line())
	}
	return b.String() + "\n" + ending(steps)
}
