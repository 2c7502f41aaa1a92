package console_test

import (
	"net/http"
	"testing"
)

func TestJobsAreFiltered(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, query, asks string }{
		{"not at all", "", "/api/jobs?"},
		{"by nothing that a form sends empty", "?status=&profile=&format=&source=&fileName=+&from=&to=", "/api/jobs?"},
		{"by several statuses", "?status=Processing&status=Verifying", "/api/jobs?status=Processing&status=Verifying"},
		{"by all that there is", "?status=Failed&profile=contracts&format=Pades&source=Upload&fileName=a%26b&from=2026-03-01&cursor=c",
			"/api/jobs?cursor=c&fileName=a%26b&format=Pades&from=2026-03-01&profile=contracts&source=Upload&status=Failed"},
		{"to the end of a day", "?to=2026-12-31", "/api/jobs?to=2027-01-01"},
		{"to what is no day", "?to=2026-03-04T05:06:07Z", "/api/jobs?to=2026-03-04T05%3A06%3A07Z"},
		{"to two days, which the API refuses", "?to=2026-03-04&to=2026-03-05", "/api/jobs?to=2026-03-04&to=2026-03-05"},
		{"by nothing that a list does not have", "?pageSize=9", "/api/jobs?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := watched(signedIn(t))
			s.shows(s.get("/jobs"+tt.query), http.StatusOK)
			if calls := s.api.calls("GET /api/jobs?"); len(calls) != 1 || calls[0].Path != tt.asks {
				t.Errorf("asked %v, want %s", calls, tt.asks)
			}
		})
	}
}

func TestTheFilterStaysAsItWas(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	w := s.get("/jobs?status=Failed&status=Canceled&profile=gone&format=Xades&source=Retry&fileName=%22a&from=2026-03-01&to=2026-03-04")
	s.shows(w, http.StatusOK, `value="Failed" checked`, `value="Canceled" checked`, `<option selected>gone</option>`, `<option lang="en" selected>Xades</option>`,
		`<option lang="en" selected>Retry</option>`, `value="&#34;a"`, `name="from" value="2026-03-01"`, `name="to" value="2026-03-04"`, "Until, inclusive (UTC)")
	lacks(t, w, `value="Completed" checked`)
}

func TestJobsAreListed(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	s.api.on("GET /api/jobs", http.StatusOK, map[string]any{"totalCount": 12345, "cursor": "a/b", "items": []any{
		jobRow(map[string]any{"status": "Failed", "errorCode": "job.verify-failed"}),
		jobRow(map[string]any{"id": otherID, "documentName": "Ata", "fileName": "ata.pdf", "mimeType": "application/pdf", "outputEncrypted": true, "status": "AwaitingSigner"})}})
	w := s.get("/jobs?status=Failed&to=2026-03-04")
	s.shows(w, http.StatusOK, "12,345 jobs", `href="/jobs/`+jobID+`">contrato.pdf</a>`, `class="chip Failed" lang="en"`, "job.verify-failed",
		`href="/jobs/`+otherID+`">Ata</a>`, "application/pdf", ">enc</span>", `class="chip AwaitingSigner"`, `hx-get="/jobs?status=Failed&amp;to=2026-03-04"`,
		`href="/jobs?cursor=a%2Fb&amp;status=Failed&amp;to=2026-03-04"`)
	lacks(t, w, "Newest", "ata.pdf")
	later := s.get("/jobs?cursor=c")
	s.shows(later, http.StatusOK, `href="/jobs">Newest</a>`)
	lacks(t, later, "hx-get")
}

func TestAListOfJobsCanBeEmpty(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	s.api.on("GET /api/jobs", http.StatusOK, map[string]any{"items": []any{}, "cursor": nil})
	s.shows(s.get("/jobs"), http.StatusOK, "No jobs were found.")
	s.api.on("GET /api/jobs", http.StatusOK, map[string]any{"items": []any{}, "cursor": "c"})
	s.shows(s.get("/jobs"), http.StatusOK, "None on this page; there may be older ones.")
}

func TestJobsAreListedWithoutTheNamesOfProfiles(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	s.api.refuse("GET /api/profiles", http.StatusServiceUnavailable, "throttled", "")
	s.shows(s.get("/jobs?profile=contracts"), http.StatusOK, "contrato.pdf", "<option selected>contracts</option>")
}

// A filter is counted once, and not each time that its list refreshes itself.
func TestARefreshLeavesTheCountAlone(t *testing.T) {
	t.Parallel()
	s := listed(signedIn(t))
	s.api.on("GET /api/jobs", http.StatusOK, map[string]any{"items": []any{}, "cursor": "next"})
	s.get("/jobs?status=Failed")
	s.header["HX-Request"] = "true"
	s.shows(s.get("/jobs?status=Failed"), http.StatusOK, `href="/jobs?cursor=next&amp;status=Failed"`)
	asked := s.api.calls("GET /api/jobs")
	if asked[0].Path != "/api/jobs?status=Failed" || asked[1].Path != "/api/jobs?count=false&status=Failed" {
		t.Errorf("asked %s, then %s", asked[0].Path, asked[1].Path)
	}
	if n := len(s.api.calls("GET /api/profiles")); n != 1 {
		t.Errorf("asked %d times for the profiles of a filter that only the first page has", n)
	}
}

// A bound with a time of the day, as links have it, stays as it is when the filter is sent again.
func TestABoundKeepsItsTime(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	s.shows(s.get("/jobs?from=2026-03-03T06:00:00Z&to=2026-03-04"), http.StatusOK,
		`name="from" value="2026-03-03T06:00:00Z" autocomplete`, `name="to" value="2026-03-04" type="date"`)
	s.shows(s.get("/events?to=2026-03-03T06:00:00Z"), http.StatusOK, `name="from" value="" type="date"`, `name="to" value="2026-03-03T06:00:00Z" autocomplete`)
}
