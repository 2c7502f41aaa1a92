package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestKillsAreOfAllOrOfSome(t *testing.T) {
	t.Parallel()
	all, err := killsOf("20s")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sign", "poll", "sweep", "recover", "api", "notify"} {
		if all[name] != 20*time.Second {
			t.Errorf("%s is killed every %v, want 20s", name, all[name])
		}
	}
	if len(all) != 6 {
		t.Errorf("%d functions are killed, want six", len(all))
	}
	some, err := killsOf("sign=10s, api=1m")
	if err != nil || len(some) != 2 || some["sign"] != 10*time.Second || some["api"] != time.Minute {
		t.Errorf("killsOf = %v, %v", some, err)
	}
	if none, err := killsOf(""); err != nil || len(none) != 0 || none.words() != "no kills besides" || none.table(nil) != "" {
		t.Errorf("killsOf of nothing = %v, %v", none, err)
	}
}

// TestIntervalsFollowFromTheSeed: they differ, their mean is near the stated one, and none is far above it.
func TestIntervalsFollowFromTheSeed(t *testing.T) {
	t.Parallel()
	const n, every = 2000, time.Second
	one, same := rand.New(rand.NewPCG(7, 1)), rand.New(rand.NewPCG(7, 1))
	var sum time.Duration
	var all []time.Duration
	for range n {
		d := next(one, every)
		if again := next(same, every); again != d {
			t.Fatalf("the same seed gives %v and %v", d, again)
		}
		sum, all = sum+d, append(all, d)
	}
	if mean := sum / n; mean < every*9/10 || mean > every*11/10 {
		t.Errorf("the mean interval is %v, want about %v", mean, every)
	}
	if longest := slices.Max(all); longest > 5*every || longest < 3*every {
		t.Errorf("the longest interval is %v", longest)
	}
}

func TestDeathsAreCounted(t *testing.T) {
	t.Parallel()
	var r reaper
	for range 3 {
		r.count("api", true)
	}
	r.count("api", false)
	text := kills{"api": time.Second, "poll": time.Minute}.table(r.by)
	for _, want := range []string{"| `api` | 1s | 4 | 3 | 1 |", "| `poll` | 1m0s | 0 | 0 | 0 |", "| all | | 4 | 3 | 1 |"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "sign") {
		t.Errorf("the table tells of a function that is left alone:\n%s", text)
	}
}
