package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// listed lets the page of jobs be shown.
func listed(s *scene) *scene {
	s.api.on("GET /api/jobs", http.StatusOK, map[string]any{"items": []any{}})
	s.api.on("GET /api/profiles", http.StatusOK, map[string]any{"profiles": []any{}})
	return s
}

func TestWithoutASessionNothingIsShown(t *testing.T) {
	t.Parallel()
	s := listed(newScene(t))
	w := s.get("/jobs?status=Failed")
	if got, want := w.Header().Get("Location"), "/login?to=%2Fjobs%3Fstatus%3DFailed"; w.Code != http.StatusSeeOther || got != want {
		t.Errorf("answers %d and leads to %s, want to %s", w.Code, got, want)
	}
	if asked := s.api.calls(""); len(asked) > 0 {
		t.Errorf("the API was asked %v", asked)
	}
	s.header["HX-Request"] = "true"
	if w := s.get("/jobs"); w.Code != http.StatusUnauthorized || w.Header().Get("HX-Redirect") != "/login" {
		t.Errorf("a part of a page is answered %d %v", w.Code, w.Header())
	}
}

func TestASessionLivesEightHoursAfterTheLastPage(t *testing.T) {
	t.Parallel()
	s := listed(signedIn(t))
	for range 3 {
		s.now = s.now.Add(7*time.Hour + 59*time.Minute)
		s.shows(s.get("/jobs"), http.StatusOK, "<h1>Jobs</h1>")
	}
	s.now = s.now.Add(8 * time.Hour)
	if w := s.get("/jobs"); w.Code != http.StatusSeeOther {
		t.Errorf("after eight hours: %d", w.Code)
	}
}

func TestASessionEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(s *scene)
	}{
		{"with another key", func(s *scene) { s.key = "another key of many characters" }},
		{"by signing out", func(s *scene) { s.post("/logout", nil) }},
		{"when its cookie is changed", func(s *scene) {
			c := []byte(s.cookies["__Host-bulksigner"])
			c[3] ^= 1
			s.cookies["__Host-bulksigner"] = string(c)
		}},
		{"when its cookie is cut", func(s *scene) { s.cookies["__Host-bulksigner"] = s.cookies["__Host-bulksigner"][:20] }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := listed(signedIn(t))
			s.shows(s.get("/jobs"), http.StatusOK)
			tt.do(s)
			if w := s.get("/jobs"); w.Code != http.StatusSeeOther || !strings.HasPrefix(w.Header().Get("Location"), "/login") {
				t.Errorf("answers %d %s", w.Code, w.Header().Get("Location"))
			}
		})
	}
}

func TestWithoutAKeyNobodySignsIn(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.key = " "
	s.shows(s.post("/login", url.Values{"key": {" "}}), http.StatusInternalServerError, "auth.misconfigured")
	if len(s.cookies) > 0 {
		t.Errorf("cookies %v", s.cookies)
	}
}

func TestSigningIn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, to, want string
	}{
		{"to the first page", "", "/"},
		{"back to a page", "/jobs?status=Failed", "/jobs?status=Failed"},
		{"not to another host", "https://elsewhere.example/", "/"},
		{"not to another host without a scheme", "//elsewhere.example/", "/"},
		{"not to another host by backslashes", `/\elsewhere.example/`, "/"},
		{"not to another host by a control character", "/\t/elsewhere.example/", "/"},
		{"not to a script", "javascript:alert(1)", "/"},
		{"not to the sign-in page again", "/login?to=/login", "/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			w := s.post("/login", url.Values{"key": {apiKey}, "to": {tt.to}})
			if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != tt.want {
				t.Errorf("answers %d and leads to %q, want %q", w.Code, got, tt.want)
			}
			for _, attribute := range []string{"HttpOnly", "Secure", "SameSite=Strict", "Path=/", "Max-Age=28800"} {
				if cookie := w.Header().Get("Set-Cookie"); !strings.Contains(cookie, attribute) {
					t.Errorf("the cookie %s lacks %s", cookie, attribute)
				}
			}
		})
	}
}

func TestAWrongKeyIsRefusedAndCounted(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.parts.Limiter.(*permits).left = 2
	for range 2 {
		s.shows(s.post("/login", url.Values{"key": {"wrong"}}), http.StatusUnauthorized, "That is not the key.")
	}
	w := s.post("/login", url.Values{"key": {apiKey}})
	s.shows(w, http.StatusTooManyRequests, "30 seconds")
	if w.Header().Get("Retry-After") != "30" || len(s.cookies) > 0 {
		t.Errorf("header %v, cookies %v", w.Header(), s.cookies)
	}
}

func TestFormsOfOthersAreRefused(t *testing.T) {
	t.Parallel()
	for _, origin := range []string{"", "null", "https://elsewhere.example", "https://console.example.elsewhere.example"} {
		s := signedIn(t)
		r := httptest.NewRequest(http.MethodPost, "https://console.example/jobs/0198/cancel", nil)
		r.Header.Set("Origin", origin)
		if w := s.do(r); w.Code != http.StatusForbidden || len(s.api.calls("POST")) > 0 {
			t.Errorf("origin %q: %d, asked %v", origin, w.Code, s.api.calls("POST"))
		}
	}
}

func TestBehindAGatewayTheHostIsAHeader(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	r := httptest.NewRequest(http.MethodPost, "https://api/login", strings.NewReader("key="+url.QueryEscape(apiKey)))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Host", "abc.execute-api.sa-east-1.amazonaws.com")
	r.Header.Set("Origin", "https://abc.execute-api.sa-east-1.amazonaws.com")
	if w := s.do(r); w.Code != http.StatusSeeOther {
		t.Errorf("answers %d", w.Code)
	}
}
