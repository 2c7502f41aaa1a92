// Package race measures several ways to do the same work beside each other.
//
// All runners of a race take their turns in one run, round after round, so that whatever else the machine does meets all of
// them alike. What counts are medians, and the ratios within rounds: on a shared machine those are what another run finds
// again. A runner is checked once before it is timed, since work that is not done is done quickly.
package race

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Runner is one way to do the work.
type Runner struct {
	Name string
	How  string // what is counted, for a reader of the table

	// Run does the work a number of times and returns how long that took, without what is not to be counted.
	Run func(ctx context.Context, times int) (time.Duration, error)

	// Check judges what Run left behind. It may be nil.
	Check func() error

	// Times is how often the work is done in one turn, where the race's number would take too long.
	Times int

	// Missing says why the runner cannot take part, and what would help. It is empty if it can.
	Missing string
}

// Race is a kind of work with those who do it. The first runner is the one that the others are compared with; it must not
// be missing.
type Race struct {
	Title   string
	Rounds  int // how often all take their turns
	Times   int // how often the work is done in one turn
	Runners []Runner
	Goals   []Goal
}

// Row is what was measured of a runner: for each round, how long the work took once. It has no rounds if the runner was
// missing.
type Row struct {
	Runner
	Rounds []time.Duration
}

// Result is what was measured in a race.
type Result struct {
	Race
	Rows []Row
}

// Run holds the race. It ends with the first runner that fails.
func (r Race) Run(ctx context.Context) (Result, error) {
	result := Result{Race: r}
	for _, runner := range r.Runners {
		if err := runner.warmUp(ctx); err != nil {
			return Result{}, fmt.Errorf("%s: %s: %w", r.Title, runner.Name, err)
		}
		result.Rows = append(result.Rows, Row{Runner: runner})
	}
	for round := range r.Rounds {
		for i := range result.Rows {
			if round%2 == 1 { // the other way round, so that nobody always follows the same one
				i = len(result.Rows) - 1 - i
			}
			if err := result.Rows[i].take(ctx, r.Times); err != nil {
				return Result{}, fmt.Errorf("%s: %s: %w", r.Title, result.Rows[i].Name, err)
			}
		}
	}
	return result, nil
}

// warmUp runs once without counting, and has the outcome checked.
func (r Runner) warmUp(ctx context.Context) error {
	if r.Missing != "" {
		return nil
	}
	if _, err := r.Run(ctx, 1); err != nil {
		return err
	}
	if r.Check == nil {
		return nil
	}
	return r.Check()
}

// take is a runner's turn.
func (r *Row) take(ctx context.Context, times int) error {
	if r.Missing != "" {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.Times > 0 {
		times = r.Times
	}
	took, err := r.Run(ctx, times)
	if err != nil {
		return err
	}
	r.Rounds = append(r.Rounds, took/time.Duration(times))
	return nil
}

// Median is the time in the middle. It is zero if nothing was measured.
func (r Row) Median() time.Duration { return median(r.Rounds) }

// Ratio is how often the first runner could have done the work in the time of another: the median of all rounds, and
// where the middle half of them begins and ends. Above one the first is faster. ok is false if nothing was measured.
func (r Result) Ratio(of Row) (low, middle, high float64, ok bool) {
	var ratios []float64
	for i, d := range of.Rounds {
		ratios = append(ratios, float64(d)/float64(max(1, r.Rows[0].Rounds[i])))
	}
	if len(ratios) == 0 {
		return 0, 0, 0, false
	}
	slices.Sort(ratios)
	quarter := len(ratios) / 4
	return ratios[quarter], median(ratios), ratios[len(ratios)-1-quarter], true
}

// row finds a runner by name.
func (r Result) row(name string) (Row, bool) {
	i := slices.IndexFunc(r.Rows, func(row Row) bool { return row.Name == name })
	if i < 0 {
		return Row{}, false
	}
	return r.Rows[i], true
}

func median[T ~int64 | ~float64](all []T) T {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
