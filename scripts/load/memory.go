package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// weighEvery is how often memory is looked at.
const weighEvery = 500 * time.Millisecond

// need is the memory of the processes of one function, in bytes: of all together, of the largest, and how many there are.
type need struct {
	together, largest int64
	processes         int
}

// weight is what all needed at a time, by function.
type weight struct {
	at time.Time
	by map[string]need
}

// watchMemory looks at the resident memory of this process and its functions until ctx ends, and then tells what it saw.
func watchMemory(ctx context.Context) <-chan []weight {
	told := make(chan []weight, 1)
	go func() {
		var seen []weight
		tick := time.NewTicker(weighEvery)
		defer tick.Stop()
		for ctx.Err() == nil {
			seen = append(seen, weight{time.Now(), weigh(processes("/proc", os.Getpid()))})
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
		told <- seen
	}()
	return told
}

// weigh adds up the memory of processes.
func weigh(all map[int]process) map[string]need {
	now := map[string]need{}
	for _, p := range all {
		n := now[p.name]
		now[p.name] = need{n.together + p.resident, max(n.largest, p.resident), n.processes + 1}
	}
	return now
}

// growth is how much memory the processes of one function needed: at most, and one of them in the mean at begin and end.
type growth struct {
	most       need
	begin, end int64
}

// growths sums up what was seen of a load that began and ended: begin and end are the first and the last tenth of it.
func growths(seen []weight, started, stopped time.Time) map[string]growth {
	out := map[string]growth{}
	tenth := stopped.Sub(started) / 10
	first, last := map[string][]int64{}, map[string][]int64{}
	for _, w := range seen {
		for name, n := range w.by {
			g := out[name]
			g.most = need{max(g.most.together, n.together), max(g.most.largest, n.largest), max(g.most.processes, n.processes)}
			out[name] = g
			each := n.together / int64(n.processes)
			if !w.at.Before(started) && w.at.Before(started.Add(tenth)) {
				first[name] = append(first[name], each)
			}
			if w.at.After(stopped.Add(-tenth)) && !w.at.After(stopped) {
				last[name] = append(last[name], each)
			}
		}
	}
	for name, g := range out {
		g.begin, g.end = middle(first[name]), middle(last[name])
		out[name] = g
	}
	return out
}

// middle is the median, and 0 of nothing.
func middle(of []int64) int64 {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return of[len(of)/2]
}

// memoryTable writes down how much memory was needed.
func memoryTable(of map[string]growth) string {
	var b strings.Builder
	b.WriteString("| resident memory, MiB | the largest process | all together | one process at begin | at end | grown by |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, name := range slices.Sorted(maps.Keys(of)) {
		g := of[name]
		fmt.Fprintf(&b, "| %s | %d | %d | %.1f | %.1f | %+.1f |\n", titleOf(name), g.most.largest/mib, g.most.together/mib,
			float64(g.begin)/mib, float64(g.end)/mib, float64(g.end-g.begin)/mib)
	}
	return b.String()
}

const mib = 1 << 20

// titleOf names a line of a table.
func titleOf(name string) string {
	if name == this {
		return "emulated services, fake Signer, load"
	}
	return "`" + name + "`"
}
