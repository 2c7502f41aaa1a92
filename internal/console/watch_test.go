package console_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// jobID is an id of a moment before the clock of a scene.
const (
	jobID   = "019cb6e0-a0d8-7a41-9d7c-0f6a0f6a0f6a"
	otherID = "019cb6e0-a0d8-7a41-9d7c-0f6a0f6a0f6b"
)

// jobRow is a job as a list has it, with other fields.
func jobRow(fields map[string]any) map[string]any {
	row := map[string]any{
		"id": jobID, "fileName": "contrato.pdf", "format": "Pades", "source": "Watcher", "status": "Completed", "profileName": "contracts",
		"createdAt": "2026-03-04T05:00:00Z", "updatedAt": "2026-03-04T05:01:00Z", "errorCode": nil, "documentName": nil,
	}
	maps.Copy(row, fields)
	return row
}

// watched lets all pages be shown that are watched.
func watched(s *scene) *scene {
	s.api.on("GET /api/overview", http.StatusOK, overviewAnswer(nil))
	s.api.on("GET /api/jobs", http.StatusOK, map[string]any{"items": []any{jobRow(nil)}, "totalCount": 1})
	s.api.on("GET /api/profiles", http.StatusOK, map[string]any{"profiles": []any{map[string]any{"name": "contracts"}, map[string]any{"name": "default"}}})
	s.api.on("GET /api/jobs/"+jobID, http.StatusOK, jobRow(map[string]any{"status": "Failed", "errorCode": "job.verify-failed", "actions": []string{"retry", "delete"}}))
	s.api.on("GET /api/jobs/"+otherID, http.StatusOK, jobRow(map[string]any{"id": otherID, "status": "Queued", "actions": []string{"cancel", "delete"}}))
	s.api.on("GET /api/events", http.StatusOK, map[string]any{"items": []any{event("JobDeleted", "The record of job "+jobID+" was deleted.")}})
	s.api.on("GET /api/events/types", http.StatusOK, map[string]any{"types": []string{"JobDeleted", "PipelinePaused"}})
	s.api.on("GET /api/folders", http.StatusOK, map[string]any{"folders": []any{folder(nil)}})
	return s
}

func event(kind, message string) map[string]any {
	return map[string]any{"id": "1", "timestamp": "2026-03-04T05:00:00Z", "eventType": kind, "message": message}
}

// lacks fails the test if the page has one of the texts.
func lacks(t *testing.T, w *httptest.ResponseRecorder, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(w.Body.String(), text) {
			t.Errorf("the page has %q:\n%s", text, w.Body)
		}
	}
}

var (
	inline    = regexp.MustCompile(`(?i)<script(?:\s[^>]*)?>[^<]|<style|\sstyle=|\son[a-z]+=|hx-on|js:|javascript:`)
	heading   = regexp.MustCompile(`<h([1-6])`)
	identity  = regexp.MustCompile(`\sid="([^"]+)"`)
	reference = regexp.MustCompile(`\s(?:for|aria-labelledby|aria-describedby)="([^"]+)"`)
	field     = regexp.MustCompile(`(?:<label[^>]*>[^<]*)?<(?:input|select)[^>]*>`)
	untold    = regexp.MustCompile(`%!|ZgotmplZ`) // what fmt and html/template write of mistakes
)

// accessible fails the test unless a page is put together well.
func accessible(t *testing.T, page string) {
	t.Helper()
	if m := inline.FindString(page) + untold.FindString(page); m != "" {
		t.Errorf("the page has %q", m)
	}
	level, first := byte('0'), 0
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		if m[1][0] > level+1 {
			t.Errorf("h%s comes after h%c", m[1], level)
		}
		if level = m[1][0]; level == '1' {
			first++
		}
	}
	if first != 1 {
		t.Errorf("%d headings of the first level", first)
	}
	ids := map[string]int{}
	for _, m := range identity.FindAllStringSubmatch(page, -1) {
		if ids[m[1]]++; ids[m[1]] > 1 {
			t.Errorf("the id %s is there twice", m[1])
		}
	}
	for _, m := range reference.FindAllStringSubmatch(page, -1) {
		for _, id := range strings.Fields(m[1]) {
			if ids[id] == 0 {
				t.Errorf("there is no id %s", id)
			}
		}
	}
	labelled(t, page)
}

// labelled fails the test if a field stands neither in a label nor has one by its id.
func labelled(t *testing.T, page string) {
	t.Helper()
	for _, f := range field.FindAllString(page, -1) {
		id := identity.FindStringSubmatch(f)
		switch {
		case strings.Contains(f, `type="hidden"`), strings.HasPrefix(f, "<label"):
		case id == nil || !strings.Contains(page, `for="`+id[1]+`"`):
			t.Errorf("the field %s has no label", f)
		}
	}
}

func TestWatchedPagesAreAccessible(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"/", "/jobs", "/jobs?status=Failed&from=2026-03-01", "/jobs/" + jobID, "/jobs/" + otherID, "/jobs/" + otherID + "/cancel",
		"/jobs/" + jobID + "/cancel", "/jobs/" + jobID + "/delete", "/events", "/input",
	} {
		for _, language := range []string{"en-US", "pt-BR"} {
			t.Run(language+" "+path, func(t *testing.T) {
				t.Parallel()
				s := watched(signedIn(t))
				s.cookies["language"] = language
				w := s.get(path)
				s.shows(w, http.StatusOK, `<html lang="`+language+`"`)
				accessible(t, w.Body.String())
			})
		}
	}
}

func TestTextsFromOutsideAreEscaped(t *testing.T) {
	t.Parallel()
	const evil = `<script>alert(1)</script>"><img src=x onerror=alert(1)>`
	s := watched(signedIn(t))
	row := jobRow(map[string]any{
		"status": "Failed", "fileName": evil, "profileName": evil, "errorMessage": evil, "mimeType": evil, "remoteDocumentId": evil, "outputKey": evil,
		"actions": []string{"cancel", "delete"}, "history": []any{map[string]any{"status": "Failed", "timestamp": "2026-03-04T05:00:00Z", "message": evil}},
	})
	s.api.on("GET /api/jobs", http.StatusOK, map[string]any{"items": []any{row}})
	s.api.on("GET /api/jobs/"+jobID, http.StatusOK, row)
	s.api.on("GET /api/events", http.StatusOK, map[string]any{"items": []any{event(evil, evil+" job "+jobID)}})
	s.api.on("GET /api/folders", http.StatusOK, map[string]any{"folders": []any{folder(map[string]any{"name": "in", "path": evil, "profileName": evil, "status": evil})}})
	s.api.on("GET /api/overview", http.StatusOK, overviewAnswer(map[string]any{"pipeline": map[string]any{"paused": true, "pausedBy": evil, "reason": evil}}))
	for _, path := range []string{"/", "/jobs", "/jobs/" + jobID, "/jobs/" + jobID + "/cancel", "/jobs/" + jobID + "/delete", "/events", "/input"} {
		w := s.get(path)
		s.shows(w, http.StatusOK, "&lt;script&gt;")
		lacks(t, w, "<script>alert", "<img src=x")
	}
}
