package table

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// Bounds of one call of Events. A day costs a call by itself, and most have few entries.
const (
	maxDays   = 100
	maxTypes  = 50
	eventRows = 500 // that one call reads of a day
)

// reading is a list of the journal under way.
type reading struct {
	walk[job.Event]
	store *Store
	types []string
	part  string // in lower case
}

// Events answers a query of the journal, newest first, as far back as 400 days. What List says of pages holds here too,
// with 100 days as a further bound of one call.
func (s *Store) Events(ctx context.Context, q job.EventQuery) (job.EventPage, error) {
	r, err := s.reading(ctx, q)
	if err != nil {
		return job.EventPage{}, err
	}
	if err := r.run(ctx, r.entries); err != nil {
		return job.EventPage{}, fmt.Errorf("read events: %w", err)
	}
	next, err := r.next()
	if err != nil {
		return job.EventPage{}, err
	}
	return job.EventPage{Events: r.found, Cursor: next}, nil
}

// reading begins a list.
func (s *Store) reading(ctx context.Context, q job.EventQuery) (*reading, error) {
	if len(q.Types) > maxTypes {
		return nil, fault.New(fault.ValidationFilterInvalid, "there are not %d types of events", len(q.Types))
	}
	r := &reading{store: s, types: q.Types, part: strings.ToLower(q.Contains)}
	r.scale, r.paging = byDays, paging{size: q.Size, number: q.Page, cursor: q.Cursor}
	r.paging.filter = eventFilter(q)
	if err := checkTexts(q.Contains, q.From, q.To); err != nil {
		return nil, err
	}
	if err := r.paging.check(); err != nil {
		return nil, err
	}
	begun, err := s.begun(ctx)
	if err != nil {
		return nil, err
	}
	now := s.now()
	r.from, r.to = later(q.From, later(begun, now.Add(-eventsFor))), now.Add(2*skew)
	if !q.To.IsZero() {
		r.to = earlier(r.to, q.To)
	}
	err = r.begin(now, func(sk string) (time.Time, error) {
		t, _, err := parseEventKey(sk)
		return t, err
	})
	r.periods = max(r.periods, maxDays)
	return r, err
}

// eventFilter is what is asked for of events, in few bytes.
func eventFilter(q job.EventQuery) string {
	return filterOf([]any{"events", slices.Sorted(slices.Values(q.Types)), strings.ToLower(q.Contains), moment(q.From), moment(q.To)})
}

// entries goes through the rest of the day.
func (r *reading) entries(ctx context.Context) iter.Seq2[entry[job.Event], error] {
	low, high := r.bounds()
	if r.after != "" {
		high = r.after
	}
	rows := eventRows
	if len(r.types) == 0 && r.part == "" {
		rows = min(rows, r.skip+r.paging.size-len(r.found)+1) // one for the entry to go on after
	}
	return func(yield func(entry[job.Event], error) bool) {
		for i, err := range r.store.backwards(ctx, eventsPrefix+job.DayOf(r.at), low, high, rows) {
			var e job.Event
			if err == nil {
				e, err = decodeEvent(i)
			}
			sk := textOf(i, schema.SK)
			if err == nil && sk == r.after {
				continue
			}
			if !yield(entry[job.Event]{sk: sk, value: e, matches: r.matches(e)}, err) {
				return
			}
		}
	}
}

func (r *reading) matches(e job.Event) bool {
	return (len(r.types) == 0 || slices.Contains(r.types, e.Type)) && strings.Contains(strings.ToLower(e.Message), r.part)
}

func decodeEvent(i item) (job.Event, error) {
	var r eventRecord
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return job.Event{}, fmt.Errorf("decode an event: %w", err)
	}
	t, id, err := parseEventKey(r.SK)
	if err != nil {
		return job.Event{}, fmt.Errorf("decode the time of an event: %w", err)
	}
	return job.Event{ID: id, Time: t, Type: r.Type, Message: r.Message}, nil
}

// eventKey puts an event in the order of its time. The id makes it unique.
func eventKey(e job.Event) string { return moment(e.Time) + "#" + e.ID }

// parseEventKey reads what eventKey wrote, and nothing else.
func parseEventKey(s string) (time.Time, string, error) {
	when, id, _ := strings.Cut(s, "#")
	t, err := time.Parse(momentLayout, when)
	if err == nil && (id == "" || moment(t) != when) {
		err = fmt.Errorf("%q is no key of an event", s)
	}
	return t, id, err
}
