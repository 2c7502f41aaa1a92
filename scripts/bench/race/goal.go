package race

import (
	"fmt"
	"time"
)

// Goal is something that a race is to show.
type Goal struct {
	text string
	met  func(Result) (figure string, met, measured bool)
}

// Faster is the goal to be so many times as fast as another runner.
func Faster(than string, times float64) Goal {
	return Goal{fmt.Sprintf("at least %.3g times as fast as %s", times, than), func(r Result) (string, bool, bool) {
		row, _ := r.row(than)
		_, ratio, _, ok := r.Ratio(row)
		return fmt.Sprintf("%.2f times", ratio), ratio >= times, ok
	}}
}

// Within is the goal to take at most so many times as long as another runner.
func Within(of string, times float64) Goal {
	return Goal{fmt.Sprintf("within %.3g times what %s takes", times, of), func(r Result) (string, bool, bool) {
		row, _ := r.row(of)
		_, ratio, _, ok := r.Ratio(row)
		if !ok || ratio == 0 {
			return "", false, false
		}
		return fmt.Sprintf("%.2f times", 1/ratio), 1/ratio <= times, true
	}}
}

// Below is the goal for a runner to take at most so long.
func Below(name string, limit time.Duration) Goal {
	return Goal{fmt.Sprintf("%s in at most %s", name, duration(limit)), func(r Result) (string, bool, bool) {
		row, _ := r.row(name)
		return duration(row.Median()), row.Median() <= limit, len(row.Rounds) > 0
	}}
}

// judge says whether a goal was reached in a race.
func (g Goal) judge(r Result) string {
	figure, met, measured := g.met(r)
	return verdict(g.text, figure, met, measured)
}

func verdict(text, figure string, met, measured bool) string {
	switch {
	case !measured:
		return fmt.Sprintf("Goal, %s: not measured.", text)
	case met:
		return fmt.Sprintf("Goal, %s: reached, %s.", text, figure)
	default:
		return fmt.Sprintf("Goal, %s: not reached, %s.", text, figure)
	}
}
