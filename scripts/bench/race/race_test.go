package race_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"bulksigner/scripts/bench/race"
)

// steady takes the given times, one after the other, for each time that the work is done. The first is the warm-up.
func steady(took ...time.Duration) func(context.Context, int) (time.Duration, error) {
	turn := 0
	return func(_ context.Context, times int) (time.Duration, error) {
		d := took[turn%len(took)]
		turn++
		return d * time.Duration(times), nil
	}
}

func ms(n ...int) (out []time.Duration) {
	for _, n := range n {
		out = append(out, time.Duration(n)*time.Millisecond)
	}
	return out
}

func TestRatiosAreOfRounds(t *testing.T) {
	t.Parallel()
	r := race.Race{Title: "t", Rounds: 3, Times: 4, Runners: []race.Runner{
		{Name: "ours", Run: steady(ms(9, 1, 10, 2)...)},
		{Name: "peer", Run: steady(ms(9, 2, 20, 6)...)},
		{Name: "absent", Missing: "apt-get install absent"},
	}}
	got, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m := got.Rows[1].Median(); m != 6*time.Millisecond {
		t.Errorf("got a median of %s, want 6 ms", m)
	}
	low, middle, high, ok := got.Ratio(got.Rows[1])
	if low != 2 || middle != 2 || high != 3 || !ok {
		t.Errorf("got ratios %v, %v, %v, %v, want 2, 2, 3, true", low, middle, high, ok)
	}
	if _, _, _, ok := got.Ratio(got.Rows[2]); ok {
		t.Error("got a ratio of a runner that was missing")
	}
}

func TestTheMiddleHalfLeavesOutliersOut(t *testing.T) {
	t.Parallel()
	r := race.Race{Rounds: 8, Times: 3, Runners: []race.Runner{
		{Name: "ours", Run: steady(ms(1)...)},
		{Name: "slow", Times: 1, Run: steady(ms(0, 1, 9, 5, 6, 7, 5, 6, 99)...)},
	}}
	got, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	low, middle, high, _ := got.Ratio(got.Rows[1])
	if low != 5 || middle != 6 || high != 7 {
		t.Errorf("got %v, %v, %v, want 5, 6, 7", low, middle, high)
	}
}

func TestTheOrderTurnsRound(t *testing.T) {
	t.Parallel()
	var order strings.Builder
	runs := func(name string) race.Runner {
		return race.Runner{Name: name, Run: func(context.Context, int) (time.Duration, error) { order.WriteString(name); return 1, nil }}
	}
	if _, err := (race.Race{Rounds: 3, Times: 1, Runners: []race.Runner{runs("a"), runs("b")}}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := order.String(), "ab"+"ab"+"ba"+"ab"; got != want {
		t.Errorf("got %s, want %s, the warm-up and three rounds", got, want)
	}
}

func TestARunnerThatFailsEndsTheRace(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	fails := func(context.Context, int) (time.Duration, error) { return 0, broken }
	tests := []struct {
		name   string
		runner race.Runner
	}{
		{"at its work", race.Runner{Name: "a", Run: fails}},
		{"at the check", race.Runner{Name: "a", Run: steady(1), Check: func() error { return broken }}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := race.Race{Title: "t", Rounds: 1, Times: 1, Runners: []race.Runner{tt.runner}}.Run(t.Context())
			if !errors.Is(err, broken) {
				t.Errorf("got %v, want %v", err, broken)
			}
		})
	}
}

func TestARaceIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	stops := func(context.Context, int) (time.Duration, error) { cancel(); return 1, nil }
	_, err := race.Race{Rounds: 5, Times: 1, Runners: []race.Runner{{Name: "a", Run: stops}}}.Run(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestTableNamesGoals(t *testing.T) {
	t.Parallel()
	r := race.Race{
		Title: "Work", Rounds: 1, Times: 2,
		Runners: []race.Runner{
			{Name: "ours", How: "in this process", Run: steady(ms(2)...)},
			{Name: "peer", How: "as a process", Run: steady(ms(5)...)},
			{Name: "absent", Missing: "get it"},
		},
		Goals: []race.Goal{
			race.Faster("peer", 2), race.Faster("peer", 3), race.Within("peer", 0.5), race.Within("absent", 1),
			race.Below("ours", 2*time.Millisecond), race.Below("peer", time.Millisecond),
		},
	}
	result, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := result.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"### Work\n",
		"| ours | 2 ms | 1 | in this process |\n",
		"| peer | 5 ms | 2.50 (2.50–2.50) | as a process |\n",
		"| absent | – | – | skipped: get it |\n",
		"- Goal, at least 2 times as fast as peer: reached, 2.50 times.\n",
		"- Goal, at least 3 times as fast as peer: not reached, 2.50 times.\n",
		"- Goal, within 0.5 times what peer takes: reached, 0.40 times.\n",
		"- Goal, within 1 times what absent takes: not measured.\n",
		"- Goal, ours in at most 2 ms: reached, 2 ms.\n",
		"- Goal, peer in at most 1 ms: not reached, 5 ms.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%swithout\n%s", out.String(), want)
		}
	}
}
