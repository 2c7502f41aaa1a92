package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// finding is what a trial brought to light.
type finding struct {
	states int
	broken string   // the first promise that does not hold
	took   []string // the steps of the table that were taken, each once
	replay string   // the command that shows how it came to what is broken
	err    error
}

// run has Spin make a checker of the model, compiles it and lets it search. What broke a promise stays in its folder, to be
// replayed; everything else goes.
func run(ctx context.Context, dir string, t trial) finding {
	work, err := os.MkdirTemp("", "model-")
	if err != nil {
		return finding{err: err}
	}
	out, err := search(ctx, dir, work, t)
	if err != nil {
		return finding{err: errors.Join(err, os.RemoveAll(work))}
	}
	f := read(out)
	if f.broken != "" && f.broken != t.breaks {
		f.replay = "cd " + work + " && ./pan -r life.pml.trail"
		return f
	}
	f.err = errors.Join(f.err, os.RemoveAll(work))
	return f
}

func search(ctx context.Context, dir, work string, t trial) (string, error) {
	// To optimize takes longer than the searches do.
	compile := []string{"-O0", "-DCOLLAPSE", "-DSAFETY", "-o", "pan", "pan.c"}
	look := []string{"-n", "-m1000000", "-w22"} // depth in steps, size of the table of states as a power of two
	if t.liveness() {
		compile = []string{"-O0", "-DCOLLAPSE", "-DNFAIR=4", "-o", "pan", "pan.c"}
		look = append(look, "-a", "-f") // cycles, under weak fairness
	}
	model := append(slices.Clone(t.defines), "-a", filepath.Join(dir, "life.pml"))
	if out, err := tool(ctx, work, "spin", model...); err != nil {
		return "", fmt.Errorf("spin: %w: %s", err, strings.TrimSpace(out))
	}
	if out, err := tool(ctx, work, "gcc", compile...); err != nil {
		return "", fmt.Errorf("gcc: %w: %s", err, strings.TrimSpace(out))
	}
	out, err := tool(ctx, work, "./pan", look...)
	if err != nil {
		return "", fmt.Errorf("search: %w", err)
	}
	return out, nil
}

func tool(ctx context.Context, work, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = work
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var (
	brokenLine = regexp.MustCompile(`(?m)^broken: ([\w-]+)$`)
	tookLine   = regexp.MustCompile(`(?m)^took: (\w+ \w+)$`)
	statesLine = regexp.MustCompile(`(?m)^\s*(\d+) states, stored`)
	errorsText = regexp.MustCompile(`errors: (\d+)`)
)

// read understands what a checker printed. A search that did not come to its end and found nothing is an error: it proves
// nothing.
func read(out string) (f finding) {
	if m := brokenLine.FindStringSubmatch(out); m != nil {
		f.broken = m[1]
	} else if strings.Contains(out, "acceptance cycle") {
		f.broken = "ends"
	}
	for _, m := range tookLine.FindAllStringSubmatch(out, -1) {
		if !slices.Contains(f.took, m[1]) {
			f.took = append(f.took, m[1])
		}
	}
	if m := statesLine.FindStringSubmatch(out); m != nil {
		f.states, f.err = strconv.Atoi(m[1])
	}
	m := errorsText.FindStringSubmatch(out)
	whole := m != nil && !strings.Contains(out, "max search depth too small") && !strings.Contains(out, "out of memory")
	if f.broken == "" && (!whole || m[1] != "0" || f.states == 0) {
		f.err = fmt.Errorf("the search did not end: %s", last(out))
	}
	return f
}

// last is the end of a long text.
func last(s string) string {
	const most = 400
	return strings.TrimSpace(s[max(0, len(s)-most):])
}
