package table

import (
	"context"
	"iter"
	"time"

	"bulksigner/internal/fault"
)

// Bounds of a list. One that goes by cursor ends its page where it meets one of the first two, so that it ends in time; a
// page number walks from the start, and is refused where it would have to look at more.
const (
	MaxPage    = 200
	maxRows    = 2000
	maxPeriods = 31

	MaxWalk        = 10_000
	maxWalkPeriods = 400
)

// paging is how a list is asked for in pages.
type paging struct {
	size, number int
	cursor       string
	filter       string // what else is asked for, in few bytes: a cursor serves no other list
}

func (p paging) check() error {
	switch {
	case p.size < 1 || p.size > MaxPage:
		return fault.New(fault.ValidationFilterInvalid, "a page has 1 to %d entries", MaxPage)
	case p.number < 0 || p.number > 1 && p.cursor != "":
		return fault.New(fault.ValidationFilterInvalid, "a page has a number from 1, or the cursor of the page before")
	case p.number > MaxWalk/p.size:
		return beyond()
	}
	return nil
}

func beyond() error {
	return fault.New(fault.ValidationFilterInvalid, "page numbers lead through the first %d entries; ask for less, or go on with the cursor", MaxWalk)
}

// entry is a row that a walk looks at: its sort key, what it stands for, and whether it is asked for.
type entry[T any] struct {
	sk      string
	value   T
	matches bool
}

// walk goes through what is kept by periods, newest first, from a cursor or the newest period to the oldest.
type walk[T any] struct {
	scale    scale
	from, to time.Time // what is asked for lies between them, from included; zero: there is no end
	floor    time.Time // the oldest period
	top      time.Time // the newest that a cursor may name
	at       time.Time // the period that is read
	after    string    // the last row that was looked at in it

	paging  paging
	skip    int // matches that still come before the page
	left    int // rows that may still be looked at
	periods int // that may be looked at
	found   []T
	ended   bool
}

// begin sets a walk to its newest period, or where the cursor says. timeOf reads the time of a sort key.
func (w *walk[T]) begin(now time.Time, timeOf func(string) (time.Time, error)) error {
	w.left, w.periods = maxRows, maxPeriods
	if w.paging.number > 1 {
		w.skip, w.left, w.periods = (w.paging.number-1)*w.paging.size, MaxWalk, maxWalkPeriods
	}
	w.floor, w.top = w.scale.start(w.from), w.scale.start(w.to.Add(-time.Nanosecond))
	w.at = earlier(w.top, w.scale.start(now.Add(skew)))
	if w.paging.cursor == "" {
		return nil
	}
	return w.resume(timeOf)
}

// run looks at rows until the page is full, a bound is met or the walk has ended. rows gives the rest of the period.
func (w *walk[T]) run(ctx context.Context, rows func(context.Context) iter.Seq2[entry[T], error]) error {
	if w.ended = w.at.Before(w.floor) || w.scale != whole && !w.from.Before(w.to); w.ended {
		return nil
	}
	for range w.periods {
		for e, err := range rows(ctx) {
			if err != nil {
				return err
			}
			if w.look(e) {
				return nil
			}
		}
		if w.ended = !w.back(); w.ended {
			return nil
		}
	}
	return nil
}

// look takes a row, and reports whether the page has to end with it.
func (w *walk[T]) look(e entry[T]) (full bool) {
	w.after = e.sk
	w.left--
	switch {
	case !e.matches:
	case w.skip > 0:
		w.skip--
	default:
		w.found = append(w.found, e.value)
	}
	return len(w.found) == w.paging.size || w.left == 0
}

// back goes to the period before, and reports whether there is one.
func (w *walk[T]) back() bool {
	if w.scale == whole || !w.at.After(w.floor) {
		return false
	}
	w.at, w.after = w.scale.before(w.at), ""
	return true
}

// next is the cursor of the page that follows, "" if none does.
func (w *walk[T]) next() (string, error) {
	if w.ended {
		return "", nil
	}
	if w.skip > 0 {
		return "", beyond()
	}
	return cursor{Version: cursorVersion, Filter: w.paging.filter, Period: w.scale.format(w.at), After: w.after}.String()
}

// bounds are the sort keys between which the period has what is asked for; "" is no bound. What is at the upper one to the
// millisecond is not asked for, and sorts after it.
func (w *walk[T]) bounds() (low, high string) {
	from, to := w.from, w.to
	if w.scale != whole {
		from, to = later(from, w.at), earlier(to, w.scale.after(w.at))
	}
	return moment(from), moment(to)
}
