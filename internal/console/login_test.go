package console_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestWithoutAKeyNobodySignsIn(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.key = " "
	s.shows(s.post("/login", url.Values{"key": {" "}}), http.StatusInternalServerError, "auth.misconfigured")
	if len(s.cookies) > 0 {
		t.Errorf("cookies %v", s.cookies)
	}
}

func TestANewKeySignsInAtOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.kept = "the key of before, which is kept"
	s.shows(s.post("/login", url.Values{"key": {"neither of them"}}), http.StatusUnauthorized)
	s.kept = "the key of before, which is kept"
	if w := s.post("/login", url.Values{"key": {apiKey}}); w.Code != http.StatusSeeOther {
		t.Errorf("the new key answers %d", w.Code)
	}
	s.shows(listed(s).get("/jobs"), http.StatusOK, "<h1>Jobs</h1>")
	s.shows(s.post("/login", url.Values{"key": {"the key of before, which is kept"}}), http.StatusUnauthorized)
}

func TestTheSignInPageKeepsItsTarget(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	const to = `name="to" value="/login?to=%2Fjobs%3Fstatus%3DFailed"`
	s.shows(s.get("/login?to=%2Fjobs%3Fstatus%3DFailed"), http.StatusOK, to)
	s.shows(s.post("/login", url.Values{"key": {"wrong"}, "to": {"/jobs?status=Failed"}}), http.StatusUnauthorized, to)
	for to, want := range map[string]string{
		"/login?to=%2Fjobs%3Fstatus%3DFailed":       "/login?to=%2Fjobs%3Fstatus%3DFailed",
		"/login":                                    "/login",
		"/login?to=https%3A%2F%2Felsewhere.example": "/login",
		"//elsewhere.example/login?to=/jobs":        "/login?to=%2Fjobs",
		"/login?to=%2Flogin":                        "/login",
	} {
		if got := s.post("/preferences", url.Values{"language": {"pt-BR"}, "to": {to}}).Header().Get("Location"); got != want {
			t.Errorf("from %s to %s, want %s", to, got, want)
		}
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
		s.shows(s.post("/login", url.Values{"key": {"wrong"}}), http.StatusUnauthorized, "Wrong key.")
	}
	w := s.post("/login", url.Values{"key": {apiKey}})
	s.shows(w, http.StatusTooManyRequests, "30 seconds")
	if w.Header().Get("Retry-After") != "30" || len(s.cookies) > 0 {
		t.Errorf("header %v, cookies %v", w.Header(), s.cookies)
	}
}

// counting remembers what it was asked to count, and may be unable to.
type counting struct {
	asked []string
	err   error
}

// Allow lets everything pass.
func (c *counting) Allow(_ context.Context, policy, client string, permits int, window time.Duration, now time.Time) (time.Duration, error) {
	c.asked = append(c.asked, fmt.Sprint(policy, client, permits, window, now.Unix()))
	return 0, c.err
}

func TestAttemptsAreCountedByAddress(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	limiter := &counting{}
	s.parts.Limiter = limiter
	s.rebuild(s.api)
	s.post("/login", url.Values{"key": {"wrong"}})
	if want := fmt.Sprint("Login", "192.0.2.1", 10, time.Minute, s.now.Unix()); len(limiter.asked) != 1 || limiter.asked[0] != want {
		t.Errorf("counted %q, want %q", limiter.asked, want)
	}
}

func TestAttemptsAreCountedWithoutATable(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.parts.Limiter = &counting{err: errors.New("throttled")}
	s.rebuild(s.api)
	for minute := range 2 {
		for range 10 {
			s.shows(s.post("/login", url.Values{"key": {"wrong"}}), http.StatusUnauthorized)
		}
		s.now = s.now.Add(20 * time.Second)
		if w := s.post("/login", url.Values{"key": {apiKey}}); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "40" {
			t.Errorf("in minute %d: %d, %v", minute, w.Code, w.Header())
		}
		s.now = s.now.Add(40 * time.Second)
	}
}
