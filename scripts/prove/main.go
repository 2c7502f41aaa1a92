// Command prove looks for counter-examples to what the service promises: it explores the simulation's schedules, walks at
// random, demands that deliberate faults are found, and asks the model. It says what was searched, and its last line sums
// that up. It exits 1 if a promise is broken or a fault is not found.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// page is where the figures of a long run are kept.
const page = "docs/reliability.md"

// Parts of a run, as -only names them.
const (
	partSearch  = "search"
	partMutants = "mutants"
	partModel   = "model"
)

func main() {
	short := flag.Bool("short", false, "the bounded run: one departure, short walks, all mutations, no model")
	only := flag.String("only", "", "what to do, of search, mutants and model, with commas; empty for all")
	update := flag.Bool("update", false, "write the figures into "+page)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	p, err := planOf(*short, *only)
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, p.limit)
		err = prove(ctx, p, *update)
		cancel()
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "prove:", err)
		os.Exit(1)
	}
}

// prove carries a plan out. The last line is written whatever was found.
func prove(ctx context.Context, p plan, update bool) error {
	if update && !p.whole() {
		return errors.New("only a whole, long run is written down")
	}
	work, err := os.MkdirTemp("", "prove-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	began := time.Now()
	f, err := carryOut(ctx, p, work)
	if err != nil {
		return err
	}
	f.took = time.Since(began)
	fmt.Println(f.tables())
	if update {
		err = write(page, f)
	}
	fmt.Println(f.last())
	return errors.Join(err, f.verdict())
}

// carryOut does what a plan says, one part after the other.
func carryOut(ctx context.Context, p plan, work string) (f findings, err error) {
	if p.does(partSearch) {
		binary := filepath.Join(work, "simulation.test")
		if err := build(ctx, binary, ""); err != nil {
			return f, err
		}
		for _, s := range p.searches {
			found, err := s.run(ctx, binary, progress)
			if err != nil {
				return f, err
			}
			f.searched = append(f.searched, found...)
		}
	}
	if p.does(partMutants) {
		if f.mutants, err = mutants(ctx, work); err != nil {
			return f, err
		}
	}
	if p.does(partModel) {
		f.model, err = model(ctx)
	}
	return f, err
}

// plan is what is done.
type plan struct {
	short    bool
	only     string
	searches []search
	limit    time.Duration
}

// does reports whether a part belongs to the plan.
func (p plan) does(part string) bool {
	if p.only == "" {
		return part != partModel || !p.short
	}
	return slices.Contains(strings.Split(p.only, ","), part)
}

// whole reports whether the plan leaves nothing out.
func (p plan) whole() bool { return !p.short && p.only == "" }

// planOf refuses a part that there is not: a run that does nothing would find nothing wrong.
func planOf(short bool, only string) (plan, error) {
	for part := range strings.SplitSeq(only, ",") {
		if only != "" && !slices.Contains([]string{partSearch, partMutants, partModel}, part) {
			return plan{}, fmt.Errorf("%q is no part of a run: %s, %s and %s are", part, partSearch, partMutants, partModel)
		}
	}
	if short {
		return plan{short: true, only: only, limit: 15 * time.Minute, searches: []search{explore(1, 1), walk(15*time.Second, 1)}}, nil
	}
	return plan{only: only, limit: 3 * time.Hour, searches: []search{explore(2, 2), explore(3, 0, "upload", "detached"), walk(3*time.Minute, 1, 1_000_000)}}, nil
}
