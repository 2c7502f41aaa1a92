package main

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"bulksigner/internal/fault"
)

// mostWrong is how many wrong answers are told one by one.
const mostWrong = 20

// answers are how the service answered, by the name of what was asked. They are safe for concurrent use.
type answers struct {
	mu    sync.Mutex
	by    map[string]*series
	wrong []string
	many  int // wrong ones, told or not
}

// series is how one kind of request was answered.
type series struct {
	took     []time.Duration
	statuses map[int]int
	failed   int // answers that say that the function could not, and none at all
	repeated int // tries that got no better answer, and were followed by another one
}

// answer is what a request got. Status 0 is none; a code is the service's own, and stands in its problem documents alone.
type answer struct {
	status int
	code   string
}

// missing reports whether the service has not answered: nobody did, or a gateway in place of a function, or notify, which says
// that the table or the queue did not answer it. Lacuna Signer sends a notification again then, and the sweep needs none.
func (a answer) missing() bool {
	return a.status == 0 || a.status >= 500 && (a.code == "" || a.code == string(fault.SignerNotificationUnavailable))
}

func newAnswers() *answers { return &answers{by: map[string]*series{}} }

// add notes an answer. One that a gateway gives in place of a function is a failure, any other than the wanted ones is wrong.
func (a *answers) add(name string, took time.Duration, got answer, want ...int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.note(name, took, got)
	switch {
	case slices.Contains(want, got.status):
	case got.missing():
		s.failed++
	default:
		a.isWrong(fmt.Sprintf("%s was answered %d %s, not %d", name, got.status, got.code, want))
	}
}

// insisted notes the answer to a request that was sent so many times. If there is none even so, that is wrong: it was no
// fault that passes.
func (a *answers) insisted(name string, took time.Duration, got answer, tries int, want ...int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.note(name, took, got).repeated += tries - 1
	switch {
	case slices.Contains(want, got.status):
	case got.missing():
		a.isWrong(fmt.Sprintf("%s was not answered in %d tries, last with %d", name, tries, got.status))
	default:
		a.isWrong(fmt.Sprintf("%s was answered %d %s, not %d", name, got.status, got.code, want))
	}
}

func (a *answers) note(name string, took time.Duration, got answer) *series {
	s := a.by[name]
	if s == nil {
		s = &series{statuses: map[int]int{}}
		a.by[name] = s
	}
	s.took = append(s.took, took)
	s.statuses[got.status]++
	return s
}

func (a *answers) isWrong(text string) {
	if a.many++; len(a.wrong) < mostWrong {
		a.wrong = append(a.wrong, text)
	}
}

// broken says which answers must not have been. Where processes are killed requests may fail, as whoever asks is told.
func (a *answers) broken(faults bool) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := slices.Clone(a.wrong)
	if a.many > len(a.wrong) {
		out = append(out, fmt.Sprintf("%d more wrong answers", a.many-len(a.wrong)))
	}
	for _, name := range slices.Sorted(maps.Keys(a.by)) {
		if n := a.by[name].failed; n > 0 && !faults {
			out = append(out, fmt.Sprintf("%s failed %d times, without a fault", name, n))
		}
	}
	return out
}

// all returns what was noted. Nothing may be added any more.
func (a *answers) all() map[string]*series {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.by
}

// figure is the value that so many of a hundred do not exceed, by the nearest rank; 0 of none.
func figure(of []time.Duration, percent int) time.Duration {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[max((len(sorted)*percent+99)/100, 1)-1]
}
