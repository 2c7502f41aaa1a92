package api_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

var rowsOfAll = []job.Ready{
	{Name: "database", OK: true, Gates: true},
	{Name: "signer-folder-sweep", OK: false, Detail: "3 passes failed since 2026-03-04T05:06:07Z: list, 401"},
}

func TestReady(t *testing.T) {
	t.Parallel()
	down := job.Ready{Name: "queue", Gates: true, Detail: "it does not answer"}
	tests := []struct {
		name, path string
		rows       []job.Ready
		status     int
		want       string
	}{
		{"red, but not gating", "/api/ready", rowsOfAll, 200,
			`{"ready":true,"checks":[{"name":"database","ok":true},{"name":"signer-folder-sweep","ok":false}]}`},
		{"with details", "/api/ready/details", rowsOfAll, 200,
			`{"ready":true,"checks":[{"name":"database","ok":true,"detail":""},
				{"name":"signer-folder-sweep","ok":false,"detail":"3 passes failed since 2026-03-04T05:06:07Z: list, 401"}]}`},
		{"gating", "/api/ready", []job.Ready{down, rowsOfAll[0]}, 503, `{"ready":false,"checks":[{"name":"queue","ok":false},{"name":"database","ok":true}]}`},
		{"gating, with details", "/api/ready/details", []job.Ready{down}, 503, `{"ready":false,"checks":[{"name":"queue","ok":false,"detail":"it does not answer"}]}`},
		{"nothing to check", "/api/ready", nil, 200, `{"ready":true,"checks":[]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.rows = tt.rows
			wantJSON(t, s.send(t, "GET", tt.path, ""), tt.status, tt.want)
			d, _ := documentOf(t, s)
			d.described(t, tt.path, d.Paths[tt.path]["get"], s.send(t, "GET", tt.path, ""))
		})
	}
}

func TestReadyNeedsNoKey(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.rows = rowsOfAll
	if r := s.send(t, "GET", "/api/ready", "", "X-API-Key", ""); r.StatusCode != 200 {
		t.Errorf("ready = %d, want 200", r.StatusCode)
	}
	wantProblem(t, s.send(t, "GET", "/api/ready/details", "", "X-API-Key", ""), 401, fault.AuthInvalidCredentials)
}

// However often somebody asks, the table is read every other second.
func TestReadyIsRemembered(t *testing.T) {
	t.Parallel()
	at := now
	s := newService(t, func(_ *service, p *api.Parts) { p.Now = func() time.Time { return at } })
	s.rows = rowsOfAll
	for i := range 100 {
		at = now.Add(time.Duration(i) * 50 * time.Millisecond) // 5 s in all
		s.send(t, "GET", []string{"/api/ready", "/api/ready/details"}[i%2], "")
	}
	if n := s.asked()["Readiness"]; n != 3 {
		t.Errorf("asked %d times, want 3", n)
	}
}

// What was found for somebody who hung up is nobody else's answer.
func TestReadyForgetsWhoHungUp(t *testing.T) {
	t.Parallel()
	s := newService(t)
	gone, hangUp := context.WithCancel(s.ctx(t))
	hangUp()
	s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(gone, "GET", "/api/ready", nil))
	s.send(t, "GET", "/api/ready", "")
	if n := s.asked()["Readiness"]; n != 2 {
		t.Errorf("asked %d times, want 2", n)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.figures = "# TYPE bulksigner_jobs_completed_total counter\nbulksigner_jobs_completed_total 7\n"
	r := s.send(t, "GET", "/api/metrics", "")
	if b := bodyOf(t, r); r.StatusCode != 200 || b != s.figures || r.Header.Get("Content-Type") != "text/plain; version=0.0.4" {
		t.Errorf("metrics = %d %s %q", r.StatusCode, r.Header.Get("Content-Type"), b)
	}
	wantProblem(t, s.send(t, "GET", "/api/metrics", "", "X-API-Key", ""), 401, fault.AuthInvalidCredentials)
	s.fail["WriteMetrics"] = errDown
	wantProblem(t, s.send(t, "GET", "/api/metrics", ""), 500, fault.Internal)
}
