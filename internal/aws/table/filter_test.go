package table_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	gocmp "github.com/google/go-cmp/cmp"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// mixed stores jobs of three days and of all kinds.
func (f fixture) mixed(t *testing.T) (jobs []job.Job) {
	t.Helper()
	if ok, err := f.ImportProfiles(t.Context(), nil, now.AddDate(0, 0, -3)); !ok || err != nil {
		t.Fatal(err)
	}
	for n := range 42 {
		j := queued(now.Add(-time.Duration(n) * 90 * time.Minute))
		j.Profile, j.Format, j.Source = fmt.Sprint("p", n%3), profile.Formats[n%2], job.Sources[n%4]
		j.FileName = fmt.Sprintf("lote/Ação %d.pdf", n%5)
		f.takeIn(t, j)
		if s := job.Statuses[n%7]; s != job.Queued {
			j.Version, j.Status, j.Since = 2, s, j.CreatedAt.Add(time.Duration(n%4)*time.Minute)
			j = f.step(t, j, nil)
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// queries are filters, and what they say in other words.
var queries = []struct {
	name  string
	query job.Query
	want  func(job.Job) bool
}{
	{"all", job.Query{}, func(job.Job) bool { return true }},
	{"a status", job.Query{Statuses: []job.Status{job.Failed}}, func(j job.Job) bool { return j.Status == job.Failed }},
	{"a status, twice", job.Query{Statuses: []job.Status{job.Failed, job.Failed}}, func(j job.Job) bool { return j.Status == job.Failed }},
	{"statuses at work", job.Query{Statuses: []job.Status{job.Queued, job.Verifying}},
		func(j job.Job) bool { return j.Status == job.Queued || j.Status == job.Verifying }},
	{"at work or not", job.Query{Statuses: []job.Status{job.Failed, job.Queued, job.Canceled}},
		func(j job.Job) bool {
			return j.Status == job.Queued || j.Status == job.Failed || j.Status == job.Canceled
		}},
	{"every status", job.Query{Statuses: job.Statuses}, func(job.Job) bool { return true }},
	{"a profile", job.Query{Profile: "p1"}, func(j job.Job) bool { return j.Profile == "p1" }},
	{"a format", job.Query{Format: profile.Cades}, func(j job.Job) bool { return j.Format == profile.Cades }},
	{"a source", job.Query{Source: job.Retry}, func(j job.Job) bool { return j.Source == job.Retry }},
	{"a name", job.Query{Name: "aÇÃO 3"}, func(j job.Job) bool { return strings.HasSuffix(j.FileName, "Ação 3.pdf") }},
	{"a name that none has", job.Query{Name: "acao"}, func(job.Job) bool { return false }},
	{"from", job.Query{From: now.Add(-30 * time.Hour)}, func(j job.Job) bool { return !j.CreatedAt.Before(now.Add(-30 * time.Hour)) }},
	{"to", job.Query{To: now.Add(-30 * time.Hour)}, func(j job.Job) bool { return j.CreatedAt.Before(now.Add(-30 * time.Hour)) }},
	{"from and to", job.Query{From: now.Add(-45 * time.Hour), To: now.Add(-15 * time.Hour)},
		func(j job.Job) bool {
			return !j.CreatedAt.Before(now.Add(-45*time.Hour)) && j.CreatedAt.Before(now.Add(-15*time.Hour))
		}},
	{"a year to come", job.Query{From: now.AddDate(1, 0, 0)}, func(job.Job) bool { return false }},
	{"an hour to come", job.Query{From: now.Add(time.Hour)}, func(job.Job) bool { return false }},
	{"a year before", job.Query{To: now.AddDate(-1, 0, 0)}, func(job.Job) bool { return false }},
	{"a status from", job.Query{Statuses: []job.Status{job.Failed}, From: now.Add(-45 * time.Hour)},
		func(j job.Job) bool { return j.Status == job.Failed && !j.CreatedAt.Before(now.Add(-45*time.Hour)) }},
	{"a status at work from", job.Query{Statuses: []job.Status{job.Processing}, From: now.Add(-45 * time.Hour)},
		func(j job.Job) bool {
			return j.Status == job.Processing && !j.CreatedAt.Before(now.Add(-45*time.Hour))
		}},
	{"a status to", job.Query{Statuses: []job.Status{job.Failed}, To: now.Add(-45 * time.Hour)},
		func(j job.Job) bool { return j.Status == job.Failed && j.CreatedAt.Before(now.Add(-45*time.Hour)) }},
	{"everything", job.Query{Statuses: []job.Status{job.Queued, job.Failed, job.Canceled}, Profile: "p0", Format: profile.Pades,
		Source: job.Watcher, Name: "LOTE/", From: now.AddDate(0, 0, -10), To: now},
		func(j job.Job) bool {
			return (j.Status == job.Queued || j.Status == job.Failed || j.Status == job.Canceled) &&
				j.Profile == "p0" && j.Format == profile.Pades && j.Source == job.Watcher && j.CreatedAt.Before(now)
		}},
}

// wanted are the ids that a query is to give, in its order.
func wanted(jobs []job.Job, q job.Query, want func(job.Job) bool) (ids []job.ID) {
	found := slices.DeleteFunc(slices.Clone(jobs), func(j job.Job) bool { return !want(j) })
	if len(q.Statuses) > 0 && q.To.IsZero() {
		return newest(found)
	}
	slices.SortFunc(found, func(a, b job.Job) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID)) })
	for _, j := range found {
		ids = append(ids, j.ID)
	}
	return ids
}

func TestFilters(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		jobs := f.mixed(t)
		for _, tt := range queries {
			want := wanted(jobs, tt.query, tt.want)
			f.total(t, tt.query, int64(len(want)))
			tt.query.Size = 9
			if got, _ := pages(t, f.Store, tt.query); gocmp.Diff(want, got) != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, gocmp.Diff(want, got))
			}
		}
	})
}

func TestPagesByNumber(t *testing.T) {
	t.Parallel()
	f := open(t, backend{"kumo", kumo.Config()}) // TestFilters has the same requests on both
	jobs := f.mixed(t)
	for _, tt := range queries {
		want := wanted(jobs, tt.query, tt.want)
		var got []job.ID
		for number := 1; number <= len(want)/9+2; number++ {
			q := tt.query
			q.Size, q.Page = 9, number
			p, err := f.List(t.Context(), q)
			if err != nil || (number <= len(want)/9 && len(p.Jobs) < 9) {
				t.Errorf("%s: page %d has %d jobs, %v", tt.name, number, len(p.Jobs), err)
			}
			for _, j := range p.Jobs {
				got = append(got, j.ID)
			}
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A page by number has a cursor, by which a list can go on.
func TestTheCursorOfAPageByNumber(t *testing.T) {
	t.Parallel()
	f := open(t, backend{"kumo", kumo.Config()})
	want := wanted(f.mixed(t), job.Query{}, queries[0].want)
	p, err := f.List(t.Context(), job.Query{Size: 5, Page: 3})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := pages(t, f.Store, job.Query{Size: 5, Cursor: p.Cursor}); gocmp.Diff(want[15:], got) != "" {
		t.Errorf("after page 3 (-want +got):\n%s", gocmp.Diff(want[15:], got))
	}
}

// A cursor of one filter serves no other, even one that differs in a time or a part of a name.
func TestFiltersHaveCursorsOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, tt := range queries {
		if tt.name == "a status, twice" {
			continue
		}
		of := table.FilterOf(tt.query)
		if other, there := seen[of]; there {
			t.Errorf("%q and %q have one cursor", tt.name, other)
		}
		seen[of] = tt.name
	}
}

// A cursor whose place is in its period and outside of the filter's time is none that a list gave.
func TestACursorOutsideOfTheFiltersTime(t *testing.T) {
	t.Parallel()
	q := job.Query{Size: 5, From: now.Add(-26 * time.Hour), To: now.Add(-24 * time.Hour)} // of one day
	for when, ok := range map[string]bool{
		"2026-07-14T09:59:59.999Z": false, "2026-07-14T10:00:00.000Z": true, "2026-07-14T11:59:59.999Z": true, "2026-07-14T12:00:00.000Z": false,
	} {
		db := &fake{batch: none}
		q.Cursor = encoded(`{"v":1,"f":"` + table.FilterOf(q) + `","d":"2026-07-14","a":"` + when + `#` + anID + `"}`)
		if _, err := fixed(db).List(t.Context(), q); ok != (err == nil) || !ok && !errors.Is(err, fault.ValidationFilterInvalid) {
			t.Errorf("%s: List = %v, want it accepted: %t", when, err, ok)
		}
	}
}

// A page that is too far away for its number is refused, and not answered by another.
func TestAPageBeyondTheWalkIsRefused(t *testing.T) {
	t.Parallel()
	db := &fake{query: days(endless), batch: none}
	// Every job is gone, so that no row matches.
	p, err := fixed(db).List(t.Context(), job.Query{Profile: "rare", Size: 10, Page: 2})
	if !errors.Is(err, fault.ValidationFilterInvalid) {
		t.Errorf("List = %v, %v, want %v", p, err, fault.ValidationFilterInvalid)
	}
	if p, err := fixed(db).List(t.Context(), job.Query{Profile: "rare", Size: 10, Page: 1}); err != nil || p.Cursor == "" {
		t.Errorf("List of the first page = %v, %v, want a cursor", p, err)
	}
}

// Rows before a page are counted, and their jobs are not read unless the filter asks for something that only they tell.
func TestJobsBeforeAPageAreNotRead(t *testing.T) {
	t.Parallel()
	reads := 0
	db := &fake{query: days(endless), batch: func(in *dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error) {
		reads += len(in.RequestItems["jobs"].Keys)
		return &dynamodb.BatchGetItemOutput{}, nil
	}}
	if _, err := fixed(db).List(t.Context(), job.Query{Size: 50, Page: 200}); err != nil || reads != 50 {
		t.Errorf("List of page 200 = %v after %d jobs, want 50", err, reads)
	}
	if n := len(db.queries); n > 4*job.Shards {
		t.Errorf("%d queries for 10 000 rows", n)
	}
}

func TestATotalThatIsNotKnown(t *testing.T) {
	t.Parallel()
	db := &fake{query: endless}
	n, known, err := fixed(db).Total(t.Context(), job.Query{Statuses: []job.Status{job.Queued}})
	if known || err != nil || n < 10_000 {
		t.Errorf("Total = %d, known %t, %v, want 10000 at least and more", n, known, err)
	}
	if _, _, err := fixed(&fake{}).Total(t.Context(), job.Query{Profile: "Not A Name"}); !errors.Is(err, fault.ValidationFilterInvalid) {
		t.Errorf("Total of a bad filter = %v, want %v", err, fault.ValidationFilterInvalid)
	}
}
