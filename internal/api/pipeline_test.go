package api_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

func TestPipelineShape(t *testing.T) {
	t.Parallel()
	s := newService(t)
	wantJSON(t, s.send(t, "GET", "/api/pipeline/state", ""), 200, `{
		"paused": false, "pausedAtUtc": null, "resumedAtUtc": null, "pausedBy": null, "reason": null, "maxConcurrency": 25,
		"jobsInFlight": 0, "jobsInFlightByFormat": {"pades": 0, "cades": 0, "xades": 0, "total": 0}}`)
	in := time.FixedZone("", -3*3600)
	s.pipeline = job.Flight{
		Pipeline: job.Pipeline{Version: 3, Paused: true, PausedAt: now.In(in), ResumedAt: now.Add(-time.Hour).In(in), PausedBy: "api", Reason: "new certificate"},
		InFlight: map[string]int{"Pades": 3, "Cades": 2, "xades": 1, "": 4},
	}
	wantJSON(t, s.send(t, "GET", "/api/pipeline/state", ""), 200, `{
		"paused": true, "pausedAtUtc": "2026-03-04T05:06:07.089Z", "resumedAtUtc": "2026-03-04T04:06:07.089Z",
		"pausedBy": "api", "reason": "new certificate", "maxConcurrency": 25,
		"jobsInFlight": 10, "jobsInFlightByFormat": {"pades": 3, "cades": 2, "xades": 1, "total": 10}}`)
}

func TestPipelineSwitch(t *testing.T) {
	t.Parallel()
	tests := []struct{ path, body, told string }{
		{"pause", "", "Pause|api|"},
		{"pause", `{"reason":" new certificate "}`, "Pause|api|new certificate"},
		{"resume", "", "Resume|api|"},
		{"resume", `{"reason":"it is there"}`, "Resume|api|it is there"},
	}
	for _, tt := range tests {
		s := newService(t)
		s.pipeline.Paused = tt.path == "pause"
		r := s.send(t, "POST", "/api/pipeline/"+tt.path, tt.body)
		if d := cmp.Diff([]string{tt.told}, s.told); d != "" || r.StatusCode != 200 {
			t.Errorf("status %d, told (-want +got):\n%s", r.StatusCode, d)
		}
	}
}

func TestPipelineRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		failing, method, path string
		err                   error
		status                int
		code                  fault.Code
	}{
		{"Pause", "POST", "pause", fault.New(fault.PipelineRaceLost, "somebody resumed"), 409, fault.PipelineRaceLost},
		{"Resume", "POST", "resume", fault.New(fault.PipelineRaceLost, "somebody paused"), 409, fault.PipelineRaceLost},
		{"Flight", "GET", "state", fault.New(fault.Throttled, "the table is busy"), 503, fault.Throttled},
		{"Flight", "GET", "state", errDown, 500, fault.Internal},
	}
	for _, tt := range tests {
		s := newService(t)
		s.fail[tt.failing] = tt.err
		wantProblem(t, s.send(t, tt.method, "/api/pipeline/"+tt.path, ""), tt.status, tt.code)
	}
}
