package table_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// journal writes entries over four days, two of each moment, and returns them newest first.
func (f fixture) journal(t *testing.T) (events []job.Event) {
	t.Helper()
	if ok, err := f.ImportProfiles(t.Context(), nil, now.AddDate(0, 0, -4)); !ok || err != nil {
		t.Fatal(err)
	}
	for n := range 16 {
		e := job.Event{ID: fmt.Sprintf("e%02d", n), Time: now.Add(time.Duration(n/2-7) * 10 * time.Hour), Type: job.EventPipelinePaused, Message: "Pausado."}
		if n%4 == 0 {
			e.Type, e.Message = job.EventPipelineResumed, "Retomado por ÂNGELA."
		}
		for range 2 { // the same once more is one
			if err := f.Write(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		events = append(events, e)
	}
	slices.Reverse(events)
	return events
}

// events follows the journal to its end.
func events(t *testing.T, s *table.Store, q job.EventQuery) (all []job.Event) {
	t.Helper()
	for range 1000 {
		p, err := s.Events(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Events) > q.Size {
			t.Errorf("a page has %d events, want at most %d", len(p.Events), q.Size)
		}
		all = append(all, p.Events...)
		if q.Cursor = p.Cursor; q.Cursor == "" {
			return all
		}
	}
	t.Fatal("the journal has no end")
	return nil
}

func TestTheJournalIsReadNewestFirst(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		all := f.journal(t)
		only := func(keep func(job.Event) bool) (kept []job.Event) {
			for _, e := range all {
				if keep(e) {
					kept = append(kept, e)
				}
			}
			return kept
		}
		resumed := only(func(e job.Event) bool { return e.Type == job.EventPipelineResumed })
		tests := []struct {
			name  string
			query job.EventQuery
			want  []job.Event
		}{
			{"all", job.EventQuery{}, all},
			{"a type", job.EventQuery{Types: []string{job.EventPipelineResumed}}, resumed},
			{"two types", job.EventQuery{Types: []string{job.EventPipelineResumed, job.EventPipelinePaused}}, all},
			{"a type that never was", job.EventQuery{Types: []string{"Unheard"}}, nil},
			{"a part, in other letters", job.EventQuery{Contains: "POR ângela"}, resumed},
			{"a time", job.EventQuery{From: all[9].Time, To: all[2].Time},
				only(func(e job.Event) bool { return !e.Time.Before(all[9].Time) && e.Time.Before(all[2].Time) })},
			{"a time before all", job.EventQuery{To: all[15].Time}, nil},
			{"a time to come", job.EventQuery{From: now.AddDate(0, 1, 0)}, nil},
			{"an hour to come", job.EventQuery{From: now.Add(time.Hour)}, nil},
		}
		for _, tt := range tests {
			for _, size := range []int{1, 3, 50} {
				tt.query.Size = size
				if diff := cmp.Diff(tt.want, events(t, f.Store, tt.query)); diff != "" {
					t.Errorf("%s, pages of %d (-want +got):\n%s", tt.name, size, diff)
				}
			}
		}
		ttl := plain(t, f.item(t, "EVENTS#2026-07-15", "2026-07-15T12:00:00.000Z#e14"))["expiresAt"]
		if want := float64(now.AddDate(0, 0, 400).Unix()); ttl != want {
			t.Errorf("TTL = %v, want %v", ttl, want)
		}
	})
}

func TestThePagesOfTheJournal(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		all := f.journal(t)
		for number, want := range map[int][]job.Event{0: all[:3], 1: all[:3], 2: all[3:6], 6: all[15:], 7: nil} {
			p, err := f.Events(t.Context(), job.EventQuery{Size: 3, Page: number})
			if diff := cmp.Diff(want, p.Events); diff != "" || err != nil {
				t.Errorf("page %d: %v (-want +got):\n%s", number, err, diff)
			}
		}
	})
}

func TestAQueryOfTheJournalThatNothingCanMatchIsRefused(t *testing.T) {
	t.Parallel()
	begin := encoded(`{"v":1,"d":"2026-07-10"}`) // of a list of jobs
	for name, q := range map[string]job.EventQuery{
		"no size":             {},
		"too large a page":    {Size: table.MaxPage + 1},
		"too far a page":      {Size: 200, Page: 51},
		"too many types":      {Size: 1, Types: slices.Repeat([]string{"a"}, 51)},
		"too long a text":     {Size: 1, Contains: strings.Repeat("a", 1025)},
		"an end at its begin": {Size: 1, From: now, To: now},
		"a cursor of jobs":    {Size: 1, Cursor: begin},
	} {
		db := &fake{}
		if _, err := fixed(db).Events(t.Context(), q); !errors.Is(err, fault.ValidationFilterInvalid) || len(db.queries) != 0 {
			t.Errorf("%s: Events = %v after %d queries, want %v after none", name, err, len(db.queries), fault.ValidationFilterInvalid)
		}
	}
}

// An entry that the journal has forgotten may still be there, since TTL is late.
func TestTheJournalForgets(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		if ok, err := f.ImportProfiles(t.Context(), nil, now.AddDate(-2, 0, 0)); !ok || err != nil {
			t.Fatal(err)
		}
		kept := job.Event{ID: "kept", Time: now.AddDate(0, 0, -400).Add(time.Second)}
		gone := job.Event{ID: "gone", Time: now.AddDate(0, 0, -400).Add(-time.Second)}
		for _, e := range []job.Event{kept, gone} {
			if err := f.Write(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff([]job.Event{kept}, events(t, f.Store, job.EventQuery{Size: 10})); diff != "" {
			t.Errorf("Events (-want +got):\n%s", diff)
		}
	})
}

func TestAnEventWithoutAnIDGetsOne(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		for range 2 {
			if err := f.Write(t.Context(), job.Event{Time: now, Type: job.EventFileRefused}); err != nil {
				t.Fatal(err)
			}
		}
		if got := events(t, f.Store, job.EventQuery{Size: 10}); len(got) != 2 || got[0].ID == got[1].ID {
			t.Errorf("Events = %v, want two", got)
		}
	})
}
