package console_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// longForm is longer than what a page without files reads.
var longForm = url.Values{"key": {apiKey}, "word": {"CLEAR"}, "fileName": {"a.pdf"}, "status": {"Queued"}, "reason": {strings.Repeat("x", 300_000)}}

func TestAFormThatIsTooLongDoesNothing(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"/login", "/preferences", "/system/pause", "/system/clear", "/upload/announce", "/profiles/_new", "/jobs/" + jobID + "/cancel",
		"/jobs/" + jobID + "/delete", "/jobs/" + jobID + "/retry", "/input",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			s := takingFiles(watched(signedIn(t)))
			cookies := len(s.cookies)
			w := s.post(path, longForm)
			s.shows(w, http.StatusRequestEntityTooLarge, "<code>request.too-large</code>")
			if n := len(s.api.calls("POST")) + len(s.api.calls("DELETE")); n > 0 || len(s.cookies) != cookies {
				t.Errorf("%d calls of the API, cookies %v", n, s.cookies)
			}
		})
	}
}

// noForm is a request that says it has files and has none that could be read.
func noForm(path, kind string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "https://console.example"+path, strings.NewReader("--x\r\nhalf"))
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Origin", "https://console.example")
	return r
}

func TestFilesThatCannotBeReadStandBesideTheirForm(t *testing.T) {
	t.Parallel()
	large := part{"file", "a.pdf", strings.Repeat("x", 4_600_000)}
	for _, path := range []string{"/upload", "/verify"} {
		tests := []struct {
			name   string
			r      *http.Request
			status int
			code   string
		}{
			{"too large", form(t, path, part{field: "profile", content: "people"}, large), http.StatusRequestEntityTooLarge, "upload.too-large"},
			{"no form", noForm(path, "text/plain"), http.StatusBadRequest, "request.invalid"},
			{"half a form", noForm(path, "multipart/form-data; boundary=x"), http.StatusBadRequest, "request.invalid"},
		}
		for _, tt := range tests {
			t.Run(path+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				s := uploading(t)
				w := s.do(tt.r)
				s.shows(w, tt.status, "<code>"+tt.code+"</code>", `id="file-problem"`, `aria-invalid="true"`)
				accessible(t, w.Body.String())
				if n := len(s.api.calls("POST")); n > 0 {
					t.Errorf("the API was asked %d times", n)
				}
			})
		}
	}
}

func TestAScriptIsToldOfFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := uploading(t)
	s.header["Accept"] = "application/json"
	s.shows(s.do(noForm("/upload", "text/plain")), http.StatusBadRequest, `"code":"request.invalid"`)
	s.shows(s.do(form(t, "/upload", part{"file", "a.pdf", strings.Repeat("x", 4_600_000)})), http.StatusRequestEntityTooLarge, `"code":"upload.too-large"`)
	s.shows(s.post("/upload/announce", longForm), http.StatusRequestEntityTooLarge, `"code":"request.too-large"`)
}

func TestAFailureWithACodeStandsBesideTheUpload(t *testing.T) {
	t.Parallel()
	s := uploading(t)
	s.api.refuse("POST /api/files", http.StatusServiceUnavailable, "throttled", "")
	s.shows(s.do(form(t, "/upload", part{"file", "a.pdf", "x"})), http.StatusServiceUnavailable, `id="file-problem"`, "<code>throttled</code>")
	s.api.on("POST /api/files", http.StatusBadGateway, "no problem")
	s.shows(s.do(form(t, "/upload", part{"file", "a.pdf", "x"})), http.StatusBadGateway, "<h1>That did not work</h1>")
}

// Who asked too often is told when to come again, in a header and in words, wherever that is shown.
func TestWhoMustWaitIsTold(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, asks string
		do         func(s *scene) *httptest.ResponseRecorder
	}{
		{"a page", "GET /api/overview", func(s *scene) *httptest.ResponseRecorder { return s.get("/") }},
		{"a retry", "POST /api/jobs/" + jobID + "/retry", func(s *scene) *httptest.ResponseRecorder { return s.post("/jobs/"+jobID+"/retry", nil) }},
		{"a rescan", "POST /api/rescan", func(s *scene) *httptest.ResponseRecorder { return s.post("/input", nil) }},
		{"a pause", "POST /api/pipeline/pause", func(s *scene) *httptest.ResponseRecorder { return s.post("/system/pause", nil) }},
		{"a resume", "POST /api/pipeline/resume", func(s *scene) *httptest.ResponseRecorder { return s.post("/system/resume", nil) }},
		{"a redrive", "POST /api/queues/work/redrive", func(s *scene) *httptest.ResponseRecorder { return s.post("/system/queues/work/redrive", nil) }},
		{"a clear", "DELETE /api/jobs", func(s *scene) *httptest.ResponseRecorder {
			return s.post("/system/clear", url.Values{"word": {"CLEAR"}})
		}},
		{"a profile", "POST /api/profiles", func(s *scene) *httptest.ResponseRecorder {
			return s.post("/profiles/_new", url.Values{"do": {"save"}, "name": {"x"}})
		}},
		{"an upload", "POST /api/files", func(s *scene) *httptest.ResponseRecorder {
			return s.do(form(t, "/upload", part{"file", "a.pdf", "x"}))
		}},
		{"a verification", "POST /api/verify", func(s *scene) *httptest.ResponseRecorder {
			return s.do(form(t, "/verify", part{"file", "a.pdf", "x"}))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := takingFiles(watched(signedIn(t)))
			s.api.on("GET /api/pipeline/state", http.StatusOK, map[string]any{})
			s.api.refuse(tt.asks, http.StatusTooManyRequests, "rate-limited", "")
			a := s.api.answers[tt.asks]
			a.header = http.Header{"Retry-After": {"17"}}
			s.api.answers[tt.asks] = a
			w := tt.do(s)
			s.shows(w, http.StatusTooManyRequests, "rate-limited", "Wait 17 seconds")
			if got := w.Header().Get("Retry-After"); got != "17" {
				t.Errorf("Retry-After is %q", got)
			}
			accessible(t, w.Body.String())
		})
	}
}

func TestARefusedPauseStandsWhereItBelongs(t *testing.T) {
	t.Parallel()
	const beside, above = `aria-describedby="reason-problem"`, `id="refusal"`
	tests := []struct {
		name, code string
		status     int
		paused     bool
		has, lacks string
	}{
		{"a reason that is too long", "validation.reason-too-long", http.StatusBadRequest, false, beside, above},
		{"a reason that is no text", "request.invalid", http.StatusBadRequest, false, beside, above},
		{"a reason, but somebody else paused by then", "validation.reason-too-long", http.StatusBadRequest, true, above, beside},
		{"a race that was lost", "pipeline.race-lost", http.StatusConflict, true, above, beside},
		{"too many", "rate-limited", http.StatusTooManyRequests, false, above, beside},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := signedIn(t)
			s.api.on("GET /api/pipeline/state", http.StatusOK, map[string]any{"paused": tt.paused})
			s.api.refuse("POST /api/pipeline/pause", tt.status, tt.code, "")
			w := s.post("/system/pause", url.Values{"reason": {"because"}})
			s.shows(w, tt.status, "<code>"+tt.code+"</code>", tt.has)
			lacks(t, w, tt.lacks)
			accessible(t, w.Body.String())
		})
	}
	s := signedIn(t)
	s.api.on("GET /api/pipeline/state", http.StatusOK, map[string]any{})
	s.api.refuse("POST /api/pipeline/pause", http.StatusServiceUnavailable, "throttled", "")
	s.shows(s.post("/system/pause", nil), http.StatusServiceUnavailable, "<h1>That did not work</h1>")
}

// logged has everything that is logged while f runs. It must not run beside other tests.
func logged(t *testing.T, f func()) string {
	t.Helper()
	var lines bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&lines, nil)))
	defer slog.SetDefault(before)
	f()
	return lines.String()
}

func TestWhatTheAPIFailedAtIsNotLoggedTwice(t *testing.T) {
	s := signedIn(t)
	s.api.refuse("GET /api/overview", http.StatusServiceUnavailable, "throttled", "")
	if lines := logged(t, func() { s.get("/") }); lines != "" {
		t.Errorf("logged %s", lines)
	}
	s.api.on("GET /api/overview", http.StatusOK, "no JSON")
	lines := logged(t, func() { s.shows(s.get("/"), http.StatusInternalServerError) })
	if strings.Count(lines, "page failed") != 1 || !strings.Contains(lines, "level=ERROR") {
		t.Errorf("logged %s", lines)
	}
}

func TestAPageThatPanicsAnswers(t *testing.T) {
	const value = "a value that quotes the request"
	s := signedIn(t)
	s.rebuild(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(value) }))
	s.header["Accept-Encoding"] = "gzip"
	lines := logged(t, func() { s.shows(s.get("/"), http.StatusInternalServerError, "Something went wrong here.") })
	if strings.Count(lines, "level=ERROR") != 1 || !strings.Contains(lines, "page panicked") || !strings.Contains(lines, "type=string") || strings.Contains(lines, value) {
		t.Errorf("logged %s", lines)
	}
}

func TestTheAPIIsAskedInTheVisitorsName(t *testing.T) {
	t.Parallel()
	s := listed(signedIn(t))
	s.cookies["language"] = "pt-BR"
	r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "https://console.example/jobs", nil)
	r.RemoteAddr = "198.51.100.7:4711"
	s.do(r)
	for _, c := range s.api.calls("GET") {
		if c.Client != r.RemoteAddr || c.Header.Get("Accept-Language") != "pt-BR" || c.Header.Get("X-API-Key") != apiKey {
			t.Errorf("%s is asked for %s, in %s", c.Path, c.Client, c.Header.Get("Accept-Language"))
		}
	}
	if n := len(s.api.calls("GET")); n != 2 {
		t.Errorf("asked %d times", n)
	}
}
