package lacunatest

import (
	"container/heap"
	"time"
)

// agenda holds what is to happen at a time. Nothing runs by itself: whoever looks at the service first has done what was
// due by then, so that a fake clock is enough.
type agenda struct {
	entries entries
	serial  int
}

type entry struct {
	at     time.Time
	serial int // entries of the same time keep their order
	do     func(at time.Time)
}

// at has something done at a time.
func (a *agenda) at(t time.Time, do func(at time.Time)) {
	a.serial++
	heap.Push(&a.entries, entry{t, a.serial, do})
}

// run does what is due by now, each at its own time.
func (a *agenda) run(now time.Time) {
	for len(a.entries) > 0 && !a.entries[0].at.After(now) {
		e := heap.Pop(&a.entries).(entry)
		e.do(e.at)
	}
}

// next is when something is to be done.
func (a *agenda) next() (time.Time, bool) {
	if len(a.entries) == 0 {
		return time.Time{}, false
	}
	return a.entries[0].at, true
}

type entries []entry

func (e entries) Len() int { return len(e) }
func (e entries) Less(i, j int) bool {
	if !e[i].at.Equal(e[j].at) {
		return e[i].at.Before(e[j].at)
	}
	return e[i].serial < e[j].serial
}
func (e entries) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *entries) Push(x any)   { *e = append(*e, x.(entry)) }
func (e *entries) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}
