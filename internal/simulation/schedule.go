package simulation

import (
	"fmt"
	"slices"
	"strings"
)

// Departure is one way in which a course differs from the usual one: where At would have been next, Take happens.
type Departure struct {
	At, Take string
	cost     cost
}

// String writes a departure as ParseSchedule reads it.
func (d Departure) String() string { return d.At + " => " + d.Take }

// Schedule is what makes a course of events: its departures, in order. The empty one is the usual course.
type Schedule []Departure

// between separates departures.
const between = "; "

// String writes a schedule in one line.
func (s Schedule) String() string {
	parts := make([]string, len(s))
	for i, d := range s {
		parts[i] = d.String()
	}
	return strings.Join(parts, between)
}

// ParseSchedule reads what String wrote.
func ParseSchedule(text string) (Schedule, error) {
	var s Schedule
	for part := range strings.SplitSeq(text, between) {
		if strings.TrimSpace(part) == "" {
			continue
		}
		at, take, ok := strings.Cut(part, " => ")
		if !ok {
			return nil, fmt.Errorf("%q names no departure: it must be written as at => take", part)
		}
		s = append(s, Departure{At: at, Take: take})
	}
	return s, nil
}

// Least leaves out departures for as long as what is left still fails. Of what it returns nothing can be left out.
func (s Schedule) Least(fails func(Schedule) bool) Schedule {
	for n := 0; n < len(s); {
		if fewer := slices.Delete(slices.Clone(s), n, n+1); fails(fewer) {
			s, n = fewer, 0
			continue
		}
		n++
	}
	return s
}

// spent is what a schedule takes of a budget.
func (s Schedule) spent() (b Bounds) {
	for _, d := range s {
		b = b.with(d.cost)
	}
	return b
}

// Bounds is how far schedules may depart from the usual course.
type Bounds struct {
	Wrong int // things that go wrong
	Early int // things that happen earlier than usual, in the middle of others
	Both  int // of either kind together
}

func (b Bounds) with(c cost) Bounds {
	switch c {
	case wrong:
		b.Wrong, b.Both = b.Wrong+1, b.Both+1
	case early:
		b.Early, b.Both = b.Early+1, b.Both+1
	}
	return b
}

// holds reports whether b leaves room for what was spent.
func (b Bounds) holds(spent Bounds) bool {
	return spent.Wrong <= b.Wrong && spent.Early <= b.Early && spent.Both <= b.Both
}

// replay follows a schedule.
type replay struct {
	schedule Schedule
	taken    int // departures so far
}

// choose takes the next departure where it belongs, and what usually happens everywhere else.
func (r *replay) choose(p point) (int, bool) {
	if r.taken == len(r.schedule) {
		return 0, true
	}
	next := r.schedule[r.taken]
	if p.moves[0].label != next.At {
		return 0, true
	}
	for n, m := range p.moves[1:] {
		if m.label == next.Take {
			r.taken++
			return n + 1, true
		}
	}
	return 0, true
}
