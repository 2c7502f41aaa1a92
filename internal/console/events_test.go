package console_test

import (
	"net/http"
	"testing"
)

func TestTheJournalIsFiltered(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, query, asks string }{
		{"not at all", "", "/api/events?"},
		{"by nothing that a form sends empty", "?eventType=&contains=+&from=&to=", "/api/events?"},
		{"by all that there is", "?eventType=JobDeleted&contains=a%26b&from=2026-03-01&cursor=c", "/api/events?contains=a%26b&cursor=c&eventType=JobDeleted&from=2026-03-01"},
		{"to the end of a day", "?to=2026-02-28", "/api/events?to=2026-03-01"},
		{"by nothing that the journal does not have", "?pageSize=9", "/api/events?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := watched(signedIn(t))
			s.shows(s.get("/events"+tt.query), http.StatusOK)
			if calls := s.api.calls("GET /api/events?"); len(calls) != 1 || calls[0].Path != tt.asks {
				t.Errorf("asked %v, want %s", calls, tt.asks)
			}
		})
	}
}

func TestTheJournalIsShown(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	s.api.on("GET /api/events", http.StatusOK, map[string]any{"cursor": "a/b", "items": []any{
		event("PipelinePaused", "The pipeline was paused by api. Reason: manutenção"), event("JobDeleted", "The record of job "+jobID+" was deleted.")}})
	w := s.get("/events?eventType=JobDeleted")
	s.shows(w, http.StatusOK, "The pipeline was paused by api. Reason: manutenção", `lang="en">PipelinePaused</th>`, `<option lang="en" selected>JobDeleted</option>`,
		`The record of job <a id="told-1-1" href="/jobs/`+jobID+`">`+jobID+`</a> was deleted.`, `datetime="2026-03-04T05:00:00Z"`, `href="/events?cursor=a%2Fb&amp;eventType=JobDeleted"`)
	lacks(t, w, "hx-get", "Newest")
	s.shows(s.get("/events?cursor=c"), http.StatusOK, ">Newest</a>")
}

func TestTheJournalCanBeEmpty(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	s.api.on("GET /api/events", http.StatusOK, map[string]any{"items": []any{}})
	s.shows(s.get("/events"), http.StatusOK, "No events were found.")
	s.api.on("GET /api/events", http.StatusOK, map[string]any{"items": []any{}, "cursor": "c"})
	s.shows(s.get("/events"), http.StatusOK, "None on this page; there may be older ones.", ">Older</a>")
}

func TestARefusedFilterStandsBesideItsForm(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"/events", "/jobs"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			s := watched(signedIn(t))
			s.api.refuse("GET /api"+page, http.StatusBadRequest, "validation.filter-invalid", "to is not after from")
			w := s.get(page + "?from=2026-03-05&to=2026-03-04")
			s.shows(w, http.StatusBadRequest, "validation.filter-invalid", "to is not after from", "Correct the parameter", `value="2026-03-05"`, `value="2026-03-04"`, `aria-describedby="refusal"`)
			lacks(t, w, "<table", "hx-get", `class="empty"`)
			accessible(t, w.Body.String())
			s.api.refuse("GET /api"+page, http.StatusServiceUnavailable, "throttled", "")
			lacks(t, s.get(page), `class="filters`)
		})
	}
}
