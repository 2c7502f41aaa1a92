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
	if w := s.post("/jobs/"+jobID+"/cancel", nil); w.Header().Get("Location") != "/login?to="+url.QueryEscape("/jobs/"+jobID+"/cancel") {
		t.Errorf("a form leads to %s", w.Header().Get("Location"))
	}
}

// A part of a page leads back to the page, and only to one of this service.
func TestAPartOfAPageHasThePageSignIn(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, around, want string }{
		{"of none", "", "/login"},
		{"of a list", "https://console.example/jobs?status=Failed", "/login?to=%2Fjobs%3Fstatus%3DFailed"},
		{"of the first page", "https://console.example/", "/login"},
		{"of another service", "https://elsewhere.example/jobs", "/login"},
		{"of nonsense", "https://%zz", "/login"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := listed(newScene(t))
			s.header["HX-Request"], s.header["HX-Current-URL"] = "true", tt.around
			if w := s.get("/jobs"); w.Code != http.StatusUnauthorized || w.Header().Get("HX-Redirect") != tt.want {
				t.Errorf("answers %d and leads to %q, want %q", w.Code, w.Header().Get("HX-Redirect"), tt.want)
			}
		})
	}
}

func TestAPageThatIsLeftOpenSignsOut(t *testing.T) {
	t.Parallel()
	s := listed(signedIn(t))
	s.header["X-Refresh"], s.header["HX-Request"] = "1", "true"
	for s.now = s.now.Add(5 * time.Minute); ; s.now = s.now.Add(5 * time.Minute) {
		w := s.get("/jobs")
		if cookie := w.Header().Get("Set-Cookie"); cookie != "" {
			t.Fatalf("a refresh sets %s", cookie)
		}
		if in := s.now.Before(time.Date(2026, 3, 4, 13, 6, 7, 0, time.UTC)); in != (w.Code == http.StatusOK) {
			t.Fatalf("at %s: %d", s.now, w.Code)
		} else if !in {
			break
		}
	}
}

func TestASessionIsWrittenOnceAMinute(t *testing.T) {
	t.Parallel()
	s := listed(signedIn(t))
	for _, tt := range []struct {
		after   time.Duration
		written bool
	}{{time.Minute, false}, {time.Second, true}, {30 * time.Second, false}} {
		s.now = s.now.Add(tt.after)
		if cookie := s.get("/jobs").Header().Get("Set-Cookie"); (cookie != "") != tt.written {
			t.Errorf("after %s more: %q", tt.after, cookie)
		}
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

func TestFormsOfOthersAreRefused(t *testing.T) {
	t.Parallel()
	for _, origin := range []string{"", "null", "https://elsewhere.example", "https://console.example.elsewhere.example", "http://console.example", "ftp://console.example"} {
		s := signedIn(t)
		r := httptest.NewRequest(http.MethodPost, "https://console.example/jobs/0198/cancel", nil)
		r.Header.Set("Origin", origin)
		if w := s.do(r); w.Code != http.StatusForbidden || len(s.api.calls("POST")) > 0 {
			t.Errorf("origin %q: %d, asked %v", origin, w.Code, s.api.calls("POST"))
		}
	}
}

func TestOnOnesOwnMachineTheConsoleNeedsNoTLS(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]int{"localhost:8080": 303, "127.0.0.1:8080": 303, "[::1]:8080": 303, "192.0.2.1": 403, "localhost.example": 403} {
		s := newScene(t)
		r := httptest.NewRequest(http.MethodPost, "http://"+host+"/login", strings.NewReader("key="+url.QueryEscape(apiKey)))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+host)
		if w := s.do(r); w.Code != want {
			t.Errorf("%s: %d, want %d", host, w.Code, want)
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
