package api_test

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
)

func TestKey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		headers [][2]string
		code    fault.Code // "" lets the request in
	}{
		{"right", [][2]string{{"X-API-Key", key}}, ""},
		{"lower case header", [][2]string{{"x-api-key", key}}, ""},
		{"mixed case header", [][2]string{{"x-ApI-kEy", key}}, ""},
		{"none", nil, fault.AuthInvalidCredentials},
		{"empty", [][2]string{{"X-API-Key", ""}}, fault.AuthInvalidCredentials},
		{"wrong", [][2]string{{"X-API-Key", key + "x"}}, fault.AuthInvalidCredentials},
		{"a part of it", [][2]string{{"X-API-Key", key[:8]}}, fault.AuthInvalidCredentials},
		{"twice the right one", [][2]string{{"X-API-Key", key}, {"X-API-Key", key}}, fault.AuthInvalidCredentials},
		{"twice, in two spellings", [][2]string{{"X-API-Key", key}, {"x-api-key", key}}, fault.AuthInvalidCredentials},
		{"right and wrong", [][2]string{{"X-API-Key", key}, {"X-API-Key", "x"}}, fault.AuthInvalidCredentials},
		{"as a bearer", [][2]string{{"Authorization", "Bearer " + key}}, fault.AuthInvalidCredentials},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			r := httptest.NewRequestWithContext(s.ctx(t), "GET", "/api/jobs", nil)
			for _, h := range tt.headers {
				r.Header[h[0]] = append(r.Header[h[0]], h[1]) // as it is spelt
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if tt.code == "" {
				if w.Code != 200 {
					t.Errorf("status = %d, want 200", w.Code)
				}
				return
			}
			wantProblem(t, w.Result(), 401, tt.code)
			if w.Header().Get("WWW-Authenticate") == "" {
				t.Error("a 401 without WWW-Authenticate")
			}
			if n := s.asked()["List"]; n != 0 {
				t.Errorf("the store was asked %d times", n)
			}
			if log := strings.Join(s.lines.all(), ""); strings.Contains(log, key[:8]) {
				t.Errorf("the log has a key: %s", log)
			}
		})
	}
}

func TestKeyOfTheService(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, key string
		err       error
		status    int
		code      fault.Code
	}{
		{"missing lets nobody in", "", nil, 401, fault.AuthMisconfigured},
		{"nor does a blank one", "  \n", nil, 401, fault.AuthMisconfigured},
		{"unreadable is our failure", "", errors.New("secrets manager is down"), 500, fault.Internal},
		{"throttled may pass", "", fault.New(fault.Throttled, "the secret cannot be read now"), 503, fault.Throttled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.key, s.fail["Key"] = tt.key, tt.err
			wantProblem(t, s.send(t, "GET", "/api/jobs", "", "X-API-Key", tt.key), tt.status, tt.code)
			if r := s.send(t, "GET", "/api/health", ""); r.StatusCode != 200 {
				t.Errorf("health = %d, want 200: it needs no key", r.StatusCode)
			}
		})
	}
}

func TestKeyHeaderIsASetting(t *testing.T) {
	t.Parallel()
	s := newService(t, func(_ *service, p *api.Parts) { p.Settings.Auth.ApiKeyHeader = "X-Signing-Key" })
	wantProblem(t, s.send(t, "GET", "/api/jobs", ""), 401, fault.AuthInvalidCredentials)
	if r := s.send(t, "GET", "/api/jobs", "", "x-signing-key", key); r.StatusCode != 200 {
		t.Errorf("status = %d, want 200", r.StatusCode)
	}
}

// A gateway hands a list over as two values, so that a key with a comma must stand that.
func TestKeyWithAComma(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.key = "correct,horse,battery"
	r := httptest.NewRequestWithContext(s.ctx(t), "GET", "/api/jobs", nil)
	r.Header["X-Api-Key"] = []string{"correct", "horse", "battery"}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != 200 {
		t.Errorf("status = %d, want 200", w.Code)
	}
}
