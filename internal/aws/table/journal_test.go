package table_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/job"
)

func TestTheJournalIsReadNewestFirst(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		var want []job.Event
		for n := range 7 {
			e := job.Event{ID: fmt.Sprint("e", n), Time: now.Add(time.Duration(n/2) * time.Second), Type: job.EventPipelinePaused, Message: "Pausado."}
			want = append(want, e)
			for range 2 { // the same once more is one
				if err := f.Write(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := f.Write(t.Context(), job.Event{ID: "before", Time: now.AddDate(0, 0, -1)}); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(want)
		var got []job.Event
		for before, full := (job.Event{}), true; full; {
			page, err := f.Events(t.Context(), now, before, 3)
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, page...); len(page) > 0 {
				before = page[len(page)-1]
			}
			full = len(page) == 3
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Events (-want +got):\n%s", diff)
		}
		ttl := plain(t, f.item(t, "EVENTS#2026-07-15", "2026-07-15T12:00:00.000Z#e0"))["expiresAt"]
		if want := float64(now.AddDate(0, 0, 400).Unix()); ttl != want {
			t.Errorf("TTL = %v, want %v", ttl, want)
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
		if got, err := f.Events(t.Context(), now, job.Event{}, 10); err != nil || len(got) != 2 || got[0].ID == got[1].ID {
			t.Errorf("Events = %v, %v, want two", got, err)
		}
	})
}
