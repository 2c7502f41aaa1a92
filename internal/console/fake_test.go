package console_test

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"bulksigner/internal/console"
)

const apiKey = "a key of sixteen characters"

// fakeAPI answers like the REST API, as it was told to, and remembers what it was asked.
type fakeAPI struct {
	mu      sync.Mutex
	answers map[string]answer // by method and path, with the query or without
	asked   []call
}

type answer struct {
	status int
	body   any // JSON, or a string as it is
	header http.Header
}

type call struct {
	Method, Path string // with the query
	Header       http.Header
	Body         string
	Client       string // the address that it is counted for
}

// on answers what asks, as in "GET /api/jobs", by a body.
func (f *fakeAPI) on(what string, status int, body any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.answers == nil {
		f.answers = map[string]answer{}
	}
	f.answers[what] = answer{status: status, body: body}
}

// refuse answers what asks by a problem.
func (f *fakeAPI) refuse(what string, status int, code, detail string) {
	f.on(what, status, map[string]any{"status": status, "code": code, "detail": detail, "requestId": "request-1"})
}

// calls are the requests whose method and path begin so.
func (f *fakeAPI) calls(prefix string) (all []call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.asked {
		if strings.HasPrefix(c.Method+" "+c.Path, prefix) {
			all = append(all, c)
		}
	}
	return all
}

// ServeHTTP answers and remembers.
func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, call{r.Method, r.URL.RequestURI(), r.Header.Clone(), string(body), r.RemoteAddr})
	a, ok := f.answers[r.Method+" "+r.URL.RequestURI()]
	if !ok {
		a, ok = f.answers[r.Method+" "+r.URL.Path]
	}
	switch {
	case r.Header.Get("X-API-Key") != apiKey:
		a = answer{status: http.StatusUnauthorized, body: map[string]any{"status": 401, "code": "auth.invalid-credentials"}}
	case !ok:
		a = answer{status: http.StatusNotFound, body: map[string]any{"status": 404, "code": "route.not-found"}}
	}
	maps.Copy(w.Header(), a.header)
	if text, ok := a.body.(string); ok {
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, text)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a.body)
}

// permits lets so many attempts through.
type permits struct{ left int }

// Allow takes a permit.
func (p *permits) Allow(context.Context, string, string, int, time.Duration, time.Time) (time.Duration, error) {
	if p.left--; p.left < 0 {
		return 30 * time.Second, nil
	}
	return 0, nil
}

// scene is a console with a visitor before it.
type scene struct {
	t       testing.TB
	api     *fakeAPI
	parts   console.Parts
	key     string    // the service's
	kept    string    // an older one that is still kept, or ""
	now     time.Time // the clock
	cookies map[string]string
	header  map[string]string // of every request
	handler http.Handler
}

// newScene makes a console whose visitor has not signed in.
func newScene(t testing.TB) *scene {
	s := &scene{t: t, api: &fakeAPI{}, key: apiKey, now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), cookies: map[string]string{}, header: map[string]string{}}
	s.parts = console.Parts{
		API: s.api, KeyHeader: "X-API-Key", Limiter: &permits{left: 100}, Version: "1.2.3",
		Key:          func(_ context.Context, again bool) (string, error) { return s.serviceKey(again), nil },
		Client:       func(*http.Request) string { return "192.0.2.1" },
		UploadOrigin: func(context.Context) (string, error) { return "https://uploads.example", nil },
		Now:          func() time.Time { return s.now },
	}
	s.handler = console.New(s.parts)
	return s
}

// serviceKey is the service's key, as it is kept or read anew.
func (s *scene) serviceKey(again bool) string {
	if again {
		s.kept = ""
	}
	return cmp.Or(s.kept, s.key)
}

// rebuild makes the console anew, before another API.
func (s *scene) rebuild(api http.Handler) {
	s.parts.API = api
	s.handler = console.New(s.parts)
}

// signedIn makes a console whose visitor has signed in.
func signedIn(t testing.TB) *scene {
	s := newScene(t)
	if w := s.post("/login", url.Values{"key": {apiKey}}); w.Code != http.StatusSeeOther {
		t.Fatalf("signing in answers %d", w.Code)
	}
	return s
}

// get asks for a page.
func (s *scene) get(path string) *httptest.ResponseRecorder {
	return s.do(httptest.NewRequest(http.MethodGet, "https://console.example"+path, nil))
}

// post sends a form as a page of the console does.
func (s *scene) post(path string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "https://console.example"+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "https://console.example")
	return s.do(r)
}

// do sends a request with the visitor's cookies and keeps those of the answer.
func (s *scene) do(r *http.Request) *httptest.ResponseRecorder {
	s.t.Helper()
	for name, value := range s.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	for name, value := range s.header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if s.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(s.cookies, c.Name)
		}
	}
	return w
}

// shows fails the test unless the page has all texts.
func (s *scene) shows(w *httptest.ResponseRecorder, status int, texts ...string) {
	s.t.Helper()
	if w.Code != status {
		s.t.Errorf("status %d, want %d", w.Code, status)
	}
	for _, text := range texts {
		if !strings.Contains(w.Body.String(), text) {
			s.t.Errorf("the page lacks %q:\n%s", text, w.Body)
		}
	}
}
