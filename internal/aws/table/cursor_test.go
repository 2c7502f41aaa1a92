package table_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

func encoded(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

const anID = "01981e2a-0000-7000-8000-00000000000a"

func TestACursorServesOnlyItsList(t *testing.T) {
	t.Parallel()
	days, months, active := job.Query{Size: 5}, job.Query{Size: 5, Statuses: []job.Status{job.Failed}}, job.Query{Size: 5, Statuses: []job.Status{job.Queued}}
	rare := job.Query{Size: 5, Profile: "rare"}
	// of names a filter in a cursor.
	of := func(q job.Query) string { return `"f":"` + table.FilterOf(q) + `",` }
	tests := []struct {
		name   string
		query  job.Query
		cursor string
		ok     bool
	}{
		{"a day", days, encoded(`{"v":1,"d":"2026-07-10"}`), true},
		{"a place in a day", days, encoded(`{"v":1,"d":"2026-07-10","a":"2026-07-10T23:59:59.999Z#` + anID + `"}`), true},
		{"a place in a month", months, encoded(`{"v":1,` + of(months) + `"d":"2026-06","a":"2026-06-10T23:59:59.999Z#` + anID + `"}`), true},
		{"a place in a status", active, encoded(`{"v":1,` + of(active) + `"a":"2026-06-10T23:59:59.999Z#` + anID + `"}`), true},
		{"a profile", rare, encoded(`{"v":1,` + of(rare) + `"d":"2026-07-10"}`), true},
		{"the first day", days, encoded(`{"v":1,"d":"2025-12-31"}`), true},

		{"not base64", days, "%%%", false},
		{"with padding", days, encoded(`{"v":1,"d":"2026-07-10"}`) + "=", false},
		{"with a line break", days, encoded(`{"v":1,"d":"2026-07-10"}`) + "\n", false},
		{"not JSON", days, encoded(`x`), false},
		{"no object", days, encoded(`null`), false},
		{"another type", days, encoded(`{"v":1,"d":20260710}`), false},
		{"something after it", days, encoded(`{"v":1,"d":"2026-07-10"}{}`), false},
		{"something unknown in it", days, encoded(`{"v":1,"d":"2026-07-10","x":1}`), false},
		{"in another order", days, encoded(`{"d":"2026-07-10","v":1}`), false},
		{"in other letters", days, encoded(`{"V":1,"d":"2026-07-10"}`), false},
		{"of another version", days, encoded(`{"v":2,"d":"2026-07-10"}`), false},
		{"too long", days, encoded(`{"v":1,"d":"2026-07-10"` + strings.Repeat(" ", 500) + `}`), false},
		{"of another status", months, encoded(`{"v":1,` + of(job.Query{Statuses: []job.Status{job.Completed}}) + `"d":"2026-06"}`), false},
		{"of no status", months, encoded(`{"v":1,"d":"2026-06"}`), false},
		{"of another profile", rare, encoded(`{"v":1,` + of(job.Query{Profile: "other"}) + `"d":"2026-07-10"}`), false},
		{"of all profiles", rare, encoded(`{"v":1,"d":"2026-07-10"}`), false},
		{"of one profile for all", days, encoded(`{"v":1,` + of(rare) + `"d":"2026-07-10"}`), false},
		{"a month for a day", days, encoded(`{"v":1,"d":"2026-07"}`), false},
		{"a day for a month", months, encoded(`{"v":1,` + of(months) + `"d":"2026-07-10"}`), false},
		{"a day for none", active, encoded(`{"v":1,` + of(active) + `"d":"2026-07-10"}`), false},
		{"no day", days, encoded(`{"v":1}`), false},
		{"no such day", days, encoded(`{"v":1,"d":"2026-02-30"}`), false},
		{"before the first day", days, encoded(`{"v":1,"d":"2025-12-30"}`), false},
		{"tomorrow", days, encoded(`{"v":1,"d":"2026-07-16"}`), false},
		{"a day that breaks out", days, encoded(`{"v":1,"d":"2026-07-10#3"}`), false},
		{"a place in another day", days, encoded(`{"v":1,"d":"2026-07-10","a":"2026-07-11T00:00:00.000Z#` + anID + `"}`), false},
		{"a place without a job", days, encoded(`{"v":1,"d":"2026-07-10","a":"2026-07-10T00:00:00.000Z"}`), false},
		{"a place in another form", days, encoded(`{"v":1,"d":"2026-07-10","a":"2026-07-10T00:00:00Z#` + anID + `"}`), false},
		{"a place of an odd job", days, encoded(`{"v":1,"d":"2026-07-10","a":"2026-07-10T00:00:00.000Z#~"}`), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := &fake{batch: none}
			tt.query.Cursor = tt.cursor
			_, err := fixed(db).List(t.Context(), tt.query)
			if tt.ok && err != nil || !tt.ok && !errors.Is(err, fault.ValidationFilterInvalid) {
				t.Errorf("List = %v, want it accepted: %t", err, tt.ok)
			}
			if !tt.ok && len(db.queries) > 0 {
				t.Errorf("a refused cursor led to %d queries", len(db.queries))
			}
		})
	}
}

// A cursor comes from outside. Whatever it says, a list reads its own partitions, between keys in their order, and no more
// of them than it would without one.
func FuzzCursor(f *testing.F) {
	failed, rare := job.Query{Statuses: []job.Status{job.Failed}}, job.Query{Profile: "rare"}
	lately := job.Query{From: now.Add(-26 * time.Hour), To: now.Add(-time.Hour)}
	f.Add(encoded(`{"v":1,"d":"2026-07-10"}`), "", "", false)
	f.Add(encoded(`{"v":1,"f":"`+table.FilterOf(failed)+`","d":"2026-06"}`), "Failed", "", false)
	f.Add(encoded(`{"v":1,"f":"`+table.FilterOf(rare)+`","d":"2026-07-10","a":"2026-07-10T00:00:00.000Z#`+anID+`"}`), "", "rare", false)
	f.Add(encoded(`{"v":1,"f":"`+table.FilterOf(lately)+`","d":"2026-07-14","a":"2026-07-14T11:00:00.000Z#`+anID+`"}`), "", "", true)
	f.Fuzz(func(t *testing.T, text, status, profile string, bounded bool) {
		q := job.Query{Profile: profile, Size: 3}
		if status != "" {
			q.Statuses = []job.Status{job.Status(status)}
		}
		if bounded {
			q.From, q.To = lately.From, lately.To
		}
		without := &fake{batch: none}
		if _, err := fixed(without).List(t.Context(), q); err != nil || text == "" {
			return
		}
		with := &fake{batch: none}
		q.Cursor = text
		p, err := fixed(with).List(t.Context(), q)
		if err != nil {
			if !errors.Is(err, fault.ValidationFilterInvalid) || len(with.queries) > 0 {
				t.Fatalf("List = %v after %d queries", err, len(with.queries))
			}
			return
		}
		if len(with.queries) > len(without.queries) {
			t.Errorf("%d queries, want at most %d", len(with.queries), len(without.queries))
		}
		prefix := "DAY#2026-" // or the last day of 2025
		if status != "" && !bounded {
			prefix = "STATUS#" + status + "#"
		}
		inOrder(t, with, prefix)
		if p.Cursor == text {
			t.Error("the list stands still")
		}
	})
}

// inOrder checks that all queries are of partitions with a prefix, and between keys in their order.
func inOrder(t *testing.T, db *fake, prefix string) {
	t.Helper()
	for _, q := range db.queries {
		v := values(q)
		if !strings.HasPrefix(v[0], prefix) && !strings.HasPrefix(v[0], "DAY#2025-12-31#") {
			t.Errorf("a list of %s read %s", prefix, v[0])
		}
		if len(v) == 3 && v[1] > v[2] {
			t.Errorf("a query from %q to %q", v[1], v[2])
		}
	}
}

// What holds of cursors of jobs holds of the journal's.
func FuzzEventCursor(f *testing.F) {
	q := job.EventQuery{Size: 3, From: now.AddDate(0, 0, -3)}
	db := &fake{}
	p, err := fixed(db).Events(context.Background(), job.EventQuery{Size: 3})
	if err != nil || p.Cursor == "" {
		f.Fatalf("Events = %v, %v, want a cursor", p, err)
	}
	f.Add(p.Cursor, false)
	f.Add(encoded(`{"v":1,"f":"`+table.EventFilterOf(q)+`","d":"2026-07-12","a":"2026-07-12T13:00:00.000Z#e1"}`), true)
	f.Fuzz(func(t *testing.T, text string, bounded bool) {
		e := job.EventQuery{Size: 3}
		if bounded {
			e.From = q.From
		}
		db := &fake{}
		e.Cursor = text
		p, err := fixed(db).Events(t.Context(), e)
		if err != nil {
			if !errors.Is(err, fault.ValidationFilterInvalid) || len(db.queries) > 0 {
				t.Fatalf("Events = %v after %d queries", err, len(db.queries))
			}
			return
		}
		inOrder(t, db, "EVENTS#202")
		if text != "" && p.Cursor == text {
			t.Error("the journal stands still")
		}
	})
}
