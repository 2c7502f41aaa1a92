package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	s := signedIn(t)
	s.api.on("GET /api/pipeline/state", http.StatusOK, map[string]any{"paused": false, "maxConcurrency": 25, "jobsInFlight": 2})
	s.api.on("POST /api/pipeline/pause", http.StatusOK, map[string]any{})
	s.api.on("POST /api/pipeline/resume", http.StatusOK, map[string]any{})
	s.shows(s.get("/system"), http.StatusOK, "Running", "2 of 25 slots", `hx-get="/system/readiness"`)
	if w := s.post("/system/pause", url.Values{"reason": {" maintenance "}}); w.Header().Get("Location") != "/system" {
		t.Errorf("pause answers %d", w.Code)
	}
	if got, want := s.api.calls("POST /api/pipeline/pause")[0].Body, `{"reason":"maintenance"}`; got != want {
		t.Errorf("pause sent %s, want %s", got, want)
	}
	s.api.on("GET /api/pipeline/state", http.StatusOK, map[string]any{"paused": true, "pausedBy": "api", "reason": "<i>maintenance"})
	s.shows(s.get("/system"), http.StatusOK, "The pipeline is paused.", "Paused", "&lt;i&gt;maintenance")
	if strings.Contains(s.get("/system").Body.String(), "The pipeline is paused.") {
		t.Error("what was done is said twice")
	}
	s.post("/system/resume", nil)
	if n := len(s.api.calls("POST /api/pipeline/resume")); n != 1 {
		t.Errorf("resumed %d times", n)
	}
}

func TestARefusedReasonStandsAtItsField(t *testing.T) {
	t.Parallel()
	s := signedIn(t)
	s.api.on("GET /api/pipeline/state", http.StatusOK, map[string]any{})
	s.api.refuse("POST /api/pipeline/pause", http.StatusBadRequest, "validation.reason-too-long", "too long")
	w := s.post("/system/pause", url.Values{"reason": {"a long reason"}})
	s.shows(w, http.StatusBadRequest, "<code>validation.reason-too-long</code>", `value="a long reason"`, `aria-describedby="reason-problem"`)
}

func TestReadinessIsShownEvenIfRed(t *testing.T) {
	t.Parallel()
	s := signedIn(t)
	s.api.on("GET /api/ready/details", http.StatusServiceUnavailable, map[string]any{"ready": false, "checks": []any{
		map[string]any{"name": "table", "ok": false, "detail": "does not answer"}, map[string]any{"name": "queue", "ok": true},
	}})
	s.shows(s.get("/system/readiness"), http.StatusOK, "Not ready", "does not answer", chip("bad", "bad", "red"), chip("good", "good", "green"))
}

func TestDeadLettersAreGivenBack(t *testing.T) {
	t.Parallel()
	s := signedIn(t)
	s.api.on("GET /api/queues", http.StatusOK, map[string]any{"queues": []any{
		map[string]any{"name": "work", "waiting": 1234, "deadLetters": map[string]any{"waiting": 3}},
		map[string]any{"name": "checks", "deadLetters": map[string]any{"waiting": 0}},
	}})
	s.api.on("GET /api/pipeline/state", http.StatusOK, map[string]any{})
	s.api.on("POST /api/queues/work/redrive", http.StatusOK, map[string]any{"queue": "work", "moved": 3, "left": 0})
	w := s.get("/system/queues")
	s.shows(w, http.StatusOK, "1,234", `action="/system/queues/work/redrive"`)
	if strings.Contains(w.Body.String(), "checks/redrive") {
		t.Error("nothing can be given back from a queue without dead letters")
	}
	s.post("/system/queues/work/redrive", nil)
	s.shows(s.get("/system"), http.StatusOK, "3 messages were given back")
}

func TestSettingsStandInSections(t *testing.T) {
	t.Parallel()
	s := signedIn(t)
	s.api.on("GET /api/settings", http.StatusOK, map[string]any{"settings": []any{
		map[string]any{"key": "Auth:ApiKey", "value": "***", "source": "environment", "variable": "Auth__ApiKey"},
		map[string]any{"key": "Auth:ApiKeyHeader", "value": "X-API-Key", "source": "default"},
		map[string]any{"key": "Pipeline:MaxConcurrency", "value": 25, "source": "file", "note": "of the event source"},
		map[string]any{"key": "Signing:MaxXmlBytes", "value": 5242880, "source": "default"},
		map[string]any{"key": "Signing:TrustAnchors", "value": []string{"root.pem", "s3://roots/all.pem"}, "source": "file"},
		map[string]any{"key": "Signing:Nothing", "value": []string{}, "source": "default"},
	}})
	w := s.get("/system/settings")
	s.shows(w, http.StatusOK, "<h2>Auth</h2>", "<h2>Pipeline</h2>", "Auth__ApiKey", "of the event source", ">25<", ">5242880<", ">root.pem, s3://roots/all.pem<", ">—<")
	if n := strings.Count(w.Body.String(), "<h2>"); n != 3 {
		t.Errorf("%d sections", n)
	}
}

func TestClearAsksForAWord(t *testing.T) {
	t.Parallel()
	s := signedIn(t)
	s.api.on("GET /api/pipeline/state", http.StatusOK, map[string]any{})
	s.api.on("DELETE /api/jobs", http.StatusOK, map[string]any{"deleted": 1200, "complete": false})
	s.shows(s.get("/system/clear"), http.StatusOK, "Type CLEAR to confirm", "Documents that were dispatched stay at Lacuna Signer")
	for _, word := range []string{"", "CLEA", "EXCLUIR"} {
		s.shows(s.post("/system/clear", url.Values{"word": {word}}), http.StatusUnprocessableEntity, "Type the word CLEAR.")
	}
	if n := len(s.api.calls("DELETE")); n != 0 {
		t.Fatalf("cleared %d times without the word", n)
	}
	s.post("/system/clear", url.Values{"word": {"clear"}})
	s.shows(s.get("/system"), http.StatusOK, "1,200 records were deleted so far")
	s.header["Accept-Language"] = "pt-BR"
	s.post("/system/clear", url.Values{"word": {"excluir"}})
	if n := len(s.api.calls("DELETE /api/jobs")); n != 2 {
		t.Errorf("cleared %d times", n)
	}
}
