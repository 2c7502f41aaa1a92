package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"bulksigner/internal/local"
	"bulksigner/internal/local/host"
)

// kills are the mean intervals at which a process of a function is killed, by function.
type kills map[string]time.Duration

// soonest is the least interval: what is killed has to come up in between.
const soonest = 500 * time.Millisecond

// killsOf reads one interval for every function, or one for each of some.
func killsOf(spec string) (kills, error) {
	out, all := kills{}, functions()
	if spec == "" {
		return out, nil
	}
	if every, err := time.ParseDuration(spec); err == nil {
		for _, name := range all {
			out[name] = every
		}
		return out, out.check()
	}
	for word := range strings.SplitSeq(spec, ",") {
		name, text, _ := strings.Cut(strings.TrimSpace(word), "=")
		every, err := time.ParseDuration(text)
		if _, twice := out[name]; err != nil || twice || !slices.Contains(all, name) {
			return nil, fmt.Errorf("-kills: %q is no interval, and none of a function of its own: %s", word, strings.Join(all, ", "))
		}
		out[name] = every
	}
	return out, out.check()
}

func (k kills) check() error {
	for _, every := range k {
		if every < soonest {
			return fmt.Errorf("-kills: an interval must be at least %v", soonest)
		}
	}
	return nil
}

// functions are the names of all, in the order in which the service lists them.
func functions() (all []string) {
	for _, f := range local.Functions() {
		all = append(all, f.Name)
	}
	return all
}

// words say how often a process is killed.
func (k kills) words() string {
	if len(k) == 0 {
		return "no kills besides"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(k)) {
		parts = append(parts, fmt.Sprintf("%s killed every %v", name, k[name]))
	}
	return strings.Join(parts, ", ") + " in the mean"
}

// deaths are the killed processes of a function: those that had an invocation in hand, and those that waited for one.
type deaths struct{ atWork, waiting int }

// reaper kills processes and counts them. It is safe for concurrent use.
type reaper struct {
	mu sync.Mutex
	by map[string]deaths
}

func (r *reaper) count(function string, inHand bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by == nil {
		r.by = map[string]deaths{}
	}
	d := r.by[function]
	if inHand {
		d.atWork++
	} else {
		d.waiting++
	}
	r.by[function] = d
}

// reap kills processes of each function at random until ctx ends. The intervals of a function are those of a Poisson
// process, and follow from the seed and its place among the functions.
func (l *load) reap(ctx context.Context) {
	under, cancel := context.WithCancel(context.WithoutCancel(ctx)) // of the runs that are woken to be killed
	var all sync.WaitGroup
	for i, function := range functions() {
		mean, ok := l.kills[function]
		if !ok {
			continue
		}
		dice := rand.New(rand.NewPCG(l.seed, uint64(i)+1))
		all.Go(func() {
			var woken sync.WaitGroup
			defer woken.Wait()
			for rest(ctx, next(dice, mean)) == nil {
				if slices.Contains(scheduled, function) && l.service.AtWork(function) == 0 {
					woken.Go(func() { l.note(l.wake(under, function)) })
				}
				l.note(l.strike(under, function))
			}
			cancel()
		})
	}
	all.Wait()
	cancel()
}

// scheduled are the functions that a schedule wakes. They are seldom at work: one that is not when it is to be killed is woken,
// once more than its schedule does.
var scheduled = []string{"poll", "sweep", "recover"}

// wake wakes a function. That it dies is what it is woken for.
func (l *load) wake(ctx context.Context, function string) error {
	err := l.service.Wake(ctx, function)
	if _, died := errors.AsType[*host.FunctionError](err); died || ctx.Err() != nil {
		return nil
	}
	return err
}

// next is an interval of a Poisson process. One in 150 would be above five times the mean, and is cut there, so that a short
// run has its kills, too.
func next(dice *rand.Rand, mean time.Duration) time.Duration {
	return time.Duration(min(dice.ExpFloat64(), 5) * float64(mean))
}

// strike kills a process of a function, at work if that can be, and counts it.
func (l *load) strike(ctx context.Context, function string) error {
	moment := within
	if slices.Contains(scheduled, function) {
		moment = soon
	}
	inHand, err := l.ambush(ctx, function, moment)
	if err == nil {
		l.reaper.count(function, inHand)
	}
	return err
}

// ambush waits a little for a run of a function, and then for some moment of so many milliseconds, and kills its process: it
// meets runs at any of their steps.
func (l *load) ambush(ctx context.Context, function string, within int) (inHand bool, err error) {
	for until := time.Now().Add(lurk); l.service.AtWork(function) == 0 && time.Now().Before(until); {
		if err := rest(ctx, blink); err != nil {
			return false, err
		}
	}
	if err := rest(ctx, time.Duration(l.dice(within))*time.Millisecond); err != nil {
		return false, err
	}
	if inHand, err = l.service.Kill(function, l.dice); err != nil {
		return false, fmt.Errorf("kill %s: %w", function, err)
	}
	slog.InfoContext(ctx, "process killed", "function", function, "at work", inHand)
	return inHand, nil
}

// table tells how many processes of each function were killed.
func (k kills) table(by map[string]deaths) string {
	if len(k) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("| killed processes of | mean interval | killed | at work | while they waited |\n| --- | ---: | ---: | ---: | ---: |\n")
	all := deaths{}
	for _, name := range functions() {
		if k[name] == 0 {
			continue
		}
		d := by[name]
		all.atWork, all.waiting = all.atWork+d.atWork, all.waiting+d.waiting
		fmt.Fprintf(&b, "| `%s` | %v | %d | %d | %d |\n", name, k[name], d.atWork+d.waiting, d.atWork, d.waiting)
	}
	fmt.Fprintf(&b, "| all | | %d | %d | %d |\n", all.atWork+all.waiting, all.atWork, all.waiting)
	return b.String()
}
