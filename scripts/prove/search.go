package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"bulksigner/internal/simulation"
)

// simulated is the package whose tests search, and its folder.
const (
	simulated = "./internal/simulation"
	tests     = "internal/simulation"
)

// grace is how long a search may take to end that was told to.
const grace = 10 * time.Second

// maxLine bounds a line that a search prints: a failing schedule is long.
const maxLine = 1 << 20

// search is one way to look for counter-examples: processes side by side, each with its own flags.
type search struct {
	name  string
	flags [][]string
}

// explore plays all schedules with so many departures, of which so many may be something that goes wrong; if
// scenarios are named, in those, side by side.
func explore(depth, faults int, scenarios ...string) search {
	s := search{name: fmt.Sprintf("exploring all schedules with up to %d departures", depth)}
	if faults == 0 {
		s.name += ", nothing going wrong"
	}
	flags := []string{"-test.run=^TestExplore$", flagOf("depth", depth), flagOf("faults", faults)}
	if len(scenarios) == 0 {
		s.flags = [][]string{flags}
	}
	for _, name := range scenarios {
		s.flags = append(s.flags, append(slices.Clip(flags), "-simulation.scenario="+name))
	}
	return s
}

// walk plays schedules at random for a while, once from each seed.
func walk(d time.Duration, seeds ...int) search {
	s := search{name: fmt.Sprintf("walking at random for %s from %d seeds", d, len(seeds))}
	for _, seed := range seeds {
		s.flags = append(s.flags, []string{"-test.run=^TestWalk$", "-simulation.for=" + d.String(), flagOf("seed", seed)})
	}
	return s
}

func flagOf(name string, n int) string { return "-simulation." + name + "=" + strconv.Itoa(n) }

// build makes the test program, with a deliberate fault if a tag names one.
func build(ctx context.Context, binary, tag string) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-tags", tag, "-o", binary, simulated)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the simulation %s: %w\n%s", tag, err, out)
	}
	return nil
}

// progress tells what a search came to.
func progress(f simulation.Figures) {
	fmt.Printf("%-9s %-10s %9d schedules %10d states %10s\n", f.Method, f.Scenario, f.Total(), f.States, f.Took.Round(time.Millisecond))
	if f.Failure != nil {
		fmt.Println(f.Failure)
	}
}

// run carries a search out.
func (s search) run(ctx context.Context, binary string, told func(simulation.Figures)) (all []simulation.Figures, err error) {
	fmt.Println(s.name)
	found, errs := make([][]simulation.Figures, len(s.flags)), make([]error, len(s.flags))
	var wg sync.WaitGroup
	for n, flags := range s.flags {
		wg.Go(func() { found[n], errs[n] = process(ctx, binary, flags, told) })
	}
	wg.Wait()
	for n := range s.flags {
		if errs[n] != nil {
			return nil, fmt.Errorf("%s: %w", s.name, errs[n])
		}
		all = append(all, found[n]...)
	}
	return all, nil
}

// process runs the test program once. A test that fails is no error if its figures say why.
func process(ctx context.Context, binary string, flags []string, told func(simulation.Figures)) ([]simulation.Figures, error) {
	cmd := exec.CommandContext(ctx, binary, append([]string{"-simulation.figures", "-test.timeout=0"}, flags...)...)
	cmd.Dir, cmd.WaitDelay = tests, grace
	cmd.Env = append(os.Environ(), "GOGC=300") // courses are short, and leave little behind
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	all, said, rerr := read(out, told)
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return all, ctx.Err()
	case rerr != nil:
		return all, rerr
	case err != nil && !failed(all), len(all) == 0:
		return all, fmt.Errorf("the search ended early: %v\n%s", err, said)
	}
	return all, nil
}

// failed reports whether a promise was broken.
func failed(all []simulation.Figures) bool {
	for _, f := range all {
		if f.Failure != nil {
			return true
		}
	}
	return false
}

// lastLines is how much of what else was printed is kept.
const lastLines = 40

// read takes the figures out of what a search prints, and keeps the end of the rest.
func read(r io.Reader, told func(simulation.Figures)) (all []simulation.Figures, said string, err error) {
	var rest []string
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		f, ok, err := simulation.ParseFigures(lines.Text())
		if err != nil {
			return all, "", err
		}
		if ok {
			all = append(all, f)
			told(f)
			continue
		}
		if rest = append(rest, lines.Text()); len(rest) > lastLines {
			rest = rest[1:]
		}
	}
	return all, strings.Join(rest, "\n"), lines.Err()
}
