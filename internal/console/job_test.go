package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// oneJob lets the page of a job be shown that has these fields.
func oneJob(t *testing.T, fields map[string]any) *scene {
	s := watched(signedIn(t))
	s.api.on("GET /api/jobs/"+jobID, http.StatusOK, jobRow(fields))
	return s
}

func TestAJobIsShown(t *testing.T) {
	t.Parallel()
	s := oneJob(t, map[string]any{
		"outputEncrypted": true, "outputKey": "contracts/contrato.signed.pdf.enc", "parentJobId": otherID, "remoteDocumentId": "remote-1",
		"flowActionId": "action-1", "awaitingSignerSince": "2026-03-02T05:00:00Z", "documentName": "Ata", "mimeType": "application/pdf",
		"timings": map[string]any{"queueMs": 1000, "signingMs": 421, "verificationMs": nil, "outputMs": 0, "totalMs": 1421},
		"history": []any{
			map[string]any{"timestamp": "2026-03-04T05:00:01Z", "status": "Queued", "message": "Retries job " + otherID + "."},
			map[string]any{"timestamp": "2026-03-04T05:00:02Z", "status": "Completed", "message": "Done.", "code": "job.input-held"},
		},
		"actions": []string{"download", "delete"},
	})
	w := s.get("/jobs/" + jobID)
	s.shows(w, http.StatusOK, `<h1 class="name">Ata</h1>`, ">encrypted</span>", `id="parent" href="/jobs/`+otherID+`"`, "remote-1", "action-1", "application/pdf",
		`datetime="2026-03-02T05:00:00Z"`, "contracts/contrato.signed.pdf.enc", "<dd>1.0 s</dd>", "<dd>421 ms</dd>", "<dd>—</dd>", "<dd>0 ms</dd>", "<strong>1.4 s</strong>",
		`Retries job <a id="told-0-1" href="/jobs/`+otherID+`">`, "<code>job.input-held</code>", `href="/jobs/`+jobID+`/output"`, `href="/jobs/`+jobID+`/delete"`)
	lacks(t, w, "/cancel", "/retry", "Why it failed", "waiting for")
}

func TestAJobThatFailedSaysWhyAndWhatToDo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, status, language, code string
		want, not                    []string
	}{
		{"one that failed", "Failed", "en-US", "job.verify-failed", []string{"Why it failed", "does not verify", "panel problem", `lang="en">the detail`}, []string{"Remark"}},
		{"one that failed, in Portuguese", "Failed", "pt-BR", "job.verify-failed", []string{"Por que falhou", "job.verify-failed", `lang="en">the detail`}, []string{"does not verify"}},
		{"one that was completed with a remark", "Completed", "en-US", "job.input-held", []string{"Remark", "job.input-held", "panel remark"}, []string{"Why it failed", "panel problem"}},
		{"one with a code of a later release", "Failed", "en-US", "job.unheard-of", []string{"<code>job.unheard-of</code>", "the detail"}, nil},
		{"one without a code", "Failed", "en-US", "", []string{"the detail"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := oneJob(t, map[string]any{"status": tt.status, "errorCode": tt.code, "errorMessage": "the detail"})
			s.cookies["language"] = tt.language
			w := s.get("/jobs/" + jobID)
			s.shows(w, http.StatusOK, tt.want...)
			lacks(t, w, tt.not...)
		})
	}
}

func TestAJobRefreshesUntilItEnds(t *testing.T) {
	t.Parallel()
	for status, refreshes := range map[string]bool{
		"Queued": true, "Processing": true, "Verifying": true, "AwaitingSigner": true, "Completed": false, "Failed": false, "Canceled": false,
	} {
		s := oneJob(t, map[string]any{"status": status, "awaitingSignerSince": "2026-03-04T03:00:00Z"})
		w := s.get("/jobs/" + jobID + "?new=1")
		if got := strings.Contains(w.Body.String(), `hx-get="/jobs/`+jobID+`" hx-trigger="tick from:body"`); got != refreshes {
			t.Errorf("%s refreshes: %t", status, got)
		}
		if got := strings.Contains(w.Body.String(), "waiting for 2 h 06 min"); got != (status == "AwaitingSigner") {
			t.Errorf("%s waits: %t", status, got)
		}
	}
}

// idOf is an id that was made then.
func idOf(made time.Time) string {
	ms := fmt.Sprintf("%012x", made.UnixMilli())
	return ms[:8] + "-" + ms[8:] + "-7a41-9d7c-0f6a0f6a0f6a"
}

func TestAJobMayNotBeTakenInYet(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	tests := []struct {
		name, id, query, code string
		want                  int
	}{
		{"right after an upload", idOf(now.Add(-time.Second)), "?new=1", "job.not-found", http.StatusOK},
		{"after a long upload", idOf(now.Add(-119 * time.Minute)), "?new=1", "job.not-found", http.StatusOK},
		{"too long ago", idOf(now.Add(-121 * time.Minute)), "?new=1", "job.not-found", http.StatusNotFound},
		{"without an upload", idOf(now), "", "job.not-found", http.StatusNotFound},
		{"with an id that is none", "contrato.pdf", "?new=1", "job.not-found", http.StatusNotFound},
		{"with an id of another kind", "3f1b2a44-9c1e-4d52-8a8a-0f6a0f6a0f6a", "?new=1", "job.not-found", http.StatusNotFound},
		{"with another refusal", idOf(now), "?new=1", "route.not-found", http.StatusNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := watched(signedIn(t))
			s.api.refuse("GET /api/jobs/"+tt.id, http.StatusNotFound, tt.code, "")
			w := s.get("/jobs/" + tt.id + tt.query)
			if tt.want != http.StatusOK {
				s.shows(w, tt.want, tt.code)
				return
			}
			s.shows(w, tt.want, "<h1>Not taken in yet</h1>", `<div id="live" hx-get="/jobs/`+tt.id+`?new=1" hx-trigger="tick from:body"`, "<noscript>")
			accessible(t, w.Body.String())
		})
	}
}

func TestAJobThatIsNotThereIsAnError(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	s.api.refuse("GET /api/jobs/"+jobID, http.StatusNotFound, "job.not-found", "there is no such job")
	for _, page := range []string{"", "/cancel", "/delete"} {
		s.shows(s.get("/jobs/"+jobID+page), http.StatusNotFound, "job.not-found")
	}
}
