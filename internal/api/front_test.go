package api_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
)

func TestUnroutable(t *testing.T) {
	t.Parallel()
	tests := []struct {
		method, path string
		status       int
		code         fault.Code
		allow        string
	}{
		{"GET", "/", 404, fault.RouteNotFound, ""},
		{"GET", "/api", 404, fault.RouteNotFound, ""},
		{"GET", "/api/", 404, fault.RouteNotFound, ""},
		{"GET", "/api/nothing", 404, fault.RouteNotFound, ""},
		{"GET", "/API/jobs", 404, fault.RouteNotFound, ""},
		{"GET", "/api/jobs/", 404, fault.RouteNotFound, ""},
		{"GET", "/api//jobs", 404, fault.RouteNotFound, ""},
		{"GET", "//api/jobs", 404, fault.RouteNotFound, ""},
		{"GET", "/api/./jobs", 404, fault.RouteNotFound, ""},
		{"GET", "/api/jobs/../jobs", 404, fault.RouteNotFound, ""},
		{"GET", "/api/jobs/%2e%2e/jobs", 404, fault.RouteNotFound, ""},
		{"GET", "/api/jobs/1/output/2", 404, fault.RouteNotFound, ""},
		{"GET", "/api/openapi.yaml", 404, fault.RouteNotFound, ""},
		{"GET", "/api/docs", 404, fault.RouteNotFound, ""},
		{"POST", "/api//files", 404, fault.RouteNotFound, ""},
		{"OPTIONS", "*", 404, fault.RouteNotFound, ""},
		{"POST", "/api/jobs", 405, fault.MethodNotAllowed, "DELETE, GET, HEAD"},
		{"PUT", "/api/jobs/1", 405, fault.MethodNotAllowed, "DELETE, GET, HEAD"},
		{"DELETE", "/api/jobs/", 404, fault.RouteNotFound, ""},
		{"DELETE", "/api//jobs", 404, fault.RouteNotFound, ""},
		{"DELETE", "/api/profiles", 405, fault.MethodNotAllowed, "GET, HEAD, POST"},
		{"GET", "/api/rescan", 405, fault.MethodNotAllowed, "POST"},
		{"GET", "/api/files", 405, fault.MethodNotAllowed, "POST"},
		{"GET", "/api/verify", 405, fault.MethodNotAllowed, "POST"},
		{"GET", "/api/jobs/1/cancel", 405, fault.MethodNotAllowed, "POST"},
		{"DELETE", "/api/pipeline/pause", 405, fault.MethodNotAllowed, "POST"},
		{"POST", "/api/profiles/contracts", 405, fault.MethodNotAllowed, "DELETE, GET, HEAD, PUT"},
		{"POST", "/api/signer/notifications", 404, fault.RouteNotFound, ""},
		{"BREW", "/api/health", 405, fault.MethodNotAllowed, "GET, HEAD"},
	}
	s := newService(t)
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			t.Parallel()
			r := s.send(t, tt.method, tt.path, "")
			wantProblem(t, r, tt.status, tt.code)
			if got := r.Header.Get("Allow"); got != tt.allow {
				t.Errorf("Allow = %q, want %q", got, tt.allow)
			}
		})
	}
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, path := range []string{"/api/health", "/api/jobs", "/api/jobs/x", "/api/openapi.json", "/nowhere"} {
		r := s.send(t, "GET", path, "")
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s: %s = %q, want %q", path, name, got, want)
			}
		}
	}
}

func TestEverythingHasOneRepresentation(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, accept := range []string{"", "*/*", "text/html", "json", "application/cbor", "application/problem+json", ";;;", "application/json;q=0"} {
		r := s.send(t, "GET", "/api/jobs", "", "Accept", accept)
		if got := r.Header.Get("Content-Type"); r.StatusCode != 200 || got != "application/json" {
			t.Errorf("Accept %q: %d %s", accept, r.StatusCode, got)
		}
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	const root = "1-67891233-abcdef012345678912345678"
	tests := []struct{ name, header, trace string }{
		{"of X-Ray", "Root=" + root + ";Parent=53995c3f42cd8ad8;Sampled=1", root},
		{"behind another part", "Self=1-67891234-12456789abcdef012345678;Root=" + root, root},
		{"none", "", ""},
		{"not one", "Root=<script>", ""},
		{"too long", "Root=" + root + "00", ""},
	}
	s := newService(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := problemIn(t, s.send(t, "GET", "/nowhere", "", "X-Amzn-Trace-Id", tt.header))
			want := tt.trace
			if want == "" {
				want = p.RequestID
			}
			if p.TraceID != want {
				t.Errorf("traceId = %q, want %q", p.TraceID, want)
			}
		})
	}
}

func TestPanicIsAProblem(t *testing.T) {
	t.Parallel()
	s := newService(t, func(_ *service, p *api.Parts) {
		p.Key = func(context.Context) (string, error) { panic("quotes " + key) }
	})
	wantProblem(t, s.send(t, "GET", "/api/jobs", ""), 500, fault.Internal)
	log := strings.Join(s.lines.all(), "")
	if !strings.Contains(log, "panic of type string") || !strings.Contains(log, "front_test.go") || strings.Contains(log, key) {
		t.Errorf("log of a panic: %s", log)
	}
}

func TestBrokenBodyIsTheClients(t *testing.T) {
	t.Parallel()
	s := newService(t)
	r := httptest.NewRequestWithContext(s.ctx(t), "POST", "/api/files", iotest.ErrReader(errors.New("reset")))
	r.Header.Set("X-API-Key", key)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	wantProblem(t, w.Result(), 400, fault.RequestInvalid)
}

func TestHealth(t *testing.T) {
	t.Parallel()
	s := newService(t)
	r := s.send(t, "GET", "/api/health", "", "X-API-Key", "")
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 200 || strings.TrimSpace(string(b)) != `{"status":"ok"}` {
		t.Errorf("health = %d %s, %v", r.StatusCode, b, err)
	}
	if n := len(s.asked()); n != 0 {
		t.Errorf("health asked %d of our parts", n)
	}
}
