package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// day is midnight of a day in March 2026.
func day(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }

func TestListFilters(t *testing.T) {
	t.Parallel()
	tests := []struct {
		query string
		want  job.Query
	}{
		{"", job.Query{Size: 50}},
		{"?status=Failed", job.Query{Statuses: []job.Status{job.Failed}, Size: 50}},
		{"?status=Failed&status=Queued&status=Failed", job.Query{Statuses: []job.Status{job.Failed, job.Queued}, Size: 50}},
		{"?profile=contracts&pageSize=200", job.Query{Profile: "contracts", Size: 200}},
		{"?profile=unknown", job.Query{Profile: "unknown", Size: 50}},
		{"?format=Cades&source=SignerFolder", job.Query{Format: profile.Cades, Source: job.FromSigner, Size: 50}},
		{"?fileName=a%C3%A7%C3%A3o%20%26%3C", job.Query{Name: "ação &<", Size: 50}},
		{"?from=2026-03-04&to=2026-03-05", job.Query{From: day(4), To: day(5), Size: 50}},
		{"?from=2026-03-04T00:00:00%2B03:00", job.Query{From: day(4).Add(-3 * time.Hour), Size: 50}},
		{"?to=2026-03-04T00:00:00.5Z", job.Query{To: day(4).Add(500 * time.Millisecond), Size: 50}},
		{"?cursor=", job.Query{Size: 50}},
		{"?cursor=a%2Bb%26&pageSize=1&status=AwaitingSigner", job.Query{Cursor: "a+b&", Size: 1, Statuses: []job.Status{job.AwaitingSigner}}},
		{"?page=50&pageSize=200", job.Query{Page: 50, Size: 200}},
		{"?page=1", job.Query{Page: 1, Size: 50}},
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			if r := s.send(t, "GET", "/api/jobs"+tt.query, ""); r.StatusCode != 200 {
				t.Fatalf("status = %d, want 200", r.StatusCode)
			}
			if diff := cmp.Diff(tt.want, s.query); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

func TestListNeverWidens(t *testing.T) {
	t.Parallel()
	for _, query := range []string{
		"status=", "status", "status=failed", "status=Lost", "status=Failed&status=", "status=Failed&status=Lost", "status=Failed,Queued", strings.Repeat("status=Failed&", 7) + "status=Queued",
		"format=pades", "format=Auto", "format=Pades&format=Cades", "source=Nobody", "fileName=", "fileName=a%00", "fileName=%ff", "fileName=" + strings.Repeat("a", 256),
		"from=yesterday", "from=", "from=2026-13-01", "from=2026-03-04T05:06:07", "from=2026-03-04T05:06:07+03:00", "from=1969-12-31", "from=0001-01-01",
		"to=2026-03-04T05:06Z", "from=2026-03-04&to=2026-03-04", "from=2026-03-05&to=2026-03-04", "status=Failed%00",
		"profile=", "profile=Contracts", "profile=a/b", "profile=" + strings.Repeat("a", 41), "profile=a&profile=b",
		"pageSize=", "pageSize=0", "pageSize=-1", "pageSize=201", "pageSize=ten", "pageSize=1e2", "pageSize=99999999999999999999",
		"cursor=" + strings.Repeat("a", 8193), "cursor=a&cursor=b",
		"page=0", "page=-1", "page=two", "page=201", "page=51&pageSize=200", "page=1&cursor=a", "page=", "page=1&page=2", "Status=Failed", "state=Failed", "status=%zz", "status=Failed;profile=a", "status&profile=contracts", "=", "=x",
	} {
		t.Run(query[:min(len(query), 40)], func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			wantProblem(t, s.send(t, "GET", "/api/jobs?"+query, ""), 400, fault.ValidationFilterInvalid)
			if n := s.asked()["List"]; n != 0 {
				t.Error("the store was asked")
			}
		})
	}
}

// A list is counted where a client turns to it, and not on each of its pages.
func TestListIsCounted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, query string
		total       int64
		page        string
		counted     int
		want        string
	}{
		{"on the first page", "", 1234, "null", 1, "1234"},
		{"on a numbered page", "?page=7", 1234, "7", 1, "1234"},
		{"not on the pages after", "?cursor=a", 1234, "null", 0, "null"},
		{"not where nobody wants it", "?status=Failed&count=false", 1234, "null", 0, "null"},
		{"where that takes too long", "?fileName=a", -1, "null", 1, "null"},
		{"nothing", "?status=Failed", 0, "null", 1, "0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.total = tt.total
			wantJSON(t, s.send(t, "GET", "/api/jobs"+tt.query, ""), 200,
				`{"items":[],"page":`+tt.page+`,"pageSize":50,"totalCount":`+tt.want+`,"cursor":null}`)
			if n := s.asked()["Total"]; n != tt.counted {
				t.Errorf("counted %d times, want %d", n, tt.counted)
			}
		})
	}
	s := newService(t)
	s.fail["Total"] = fault.New(fault.Throttled, "the table is busy")
	wantProblem(t, s.send(t, "GET", "/api/jobs", ""), 503, fault.Throttled)
}

func TestEveryStatusCanBeAskedFor(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, status := range job.Statuses {
		if r := s.send(t, "GET", "/api/jobs?status="+string(status), ""); r.StatusCode != 200 {
			t.Errorf("%s: %d, want 200", status, r.StatusCode)
		}
	}
}
