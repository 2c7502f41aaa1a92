package api_test

import (
	"testing"
	"time"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

func timing(ago time.Duration, remote bool, stages map[job.Stage]time.Duration) job.Timing {
	return job.Timing{Job: id1, At: now.Add(-ago), Remote: remote, Stages: stages}
}

func TestStatistics(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.timings = []job.Timing{
		timing(30*time.Second, false, map[job.Stage]time.Duration{job.StageQueue: 100 * time.Millisecond, job.StageSigning: 10 * time.Millisecond, job.StageVerification: 0}),
		timing(time.Minute, true, map[job.Stage]time.Duration{job.StageQueue: 201 * time.Millisecond, job.StageSigning: 40 * time.Millisecond}),
		timing(2*time.Minute, false, map[job.Stage]time.Duration{job.StageQueue: 300 * time.Millisecond, job.StageOutput: time.Second}),
	}
	s.timings[2].Job = id2
	wantJSON(t, s.send(t, "GET", "/api/statistics?from=2026-03-04T04:56:07.089Z", ""), 200, `{
		"enabled":true,"from":"2026-03-04T04:56:07.089Z","to":"2026-03-04T05:06:07.089Z","complete":true,
		"completed":3,"local":2,"remote":1,"perMinute":0.3,"lastMinute":2,
		"total":{"jobs":3,"meanMs":550.3333333333334,"minMs":110,"maxMs":1300},
		"queue":{"jobs":3,"meanMs":200.33333333333334,"minMs":100,"maxMs":300},
		"signing":{"jobs":2,"meanMs":25,"minMs":10,"maxMs":40},
		"verification":{"jobs":1,"meanMs":0,"minMs":0,"maxMs":0},
		"output":{"jobs":1,"meanMs":1000,"minMs":1000,"maxMs":1000},
		"slowest":{"jobId":"`+string(id2)+`","totalMs":1300,"completedAt":"2026-03-04T05:04:07.089Z"}}`)
	if want := [2]time.Time{now.Add(-10 * time.Minute), now}; s.span != want {
		t.Errorf("asked for %v, want %v", s.span, want)
	}
}

func TestStatisticsOfNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const nothing = `"completed":0,"local":0,"remote":0,"perMinute":0,"lastMinute":0}`
	wantJSON(t, s.send(t, "GET", "/api/statistics", ""), 200,
		`{"enabled":true,"from":"2026-03-03T05:06:07.089Z","to":"2026-03-04T05:06:07.089Z","complete":true,`+nothing)
	off := newService(t, func(_ *service, p *api.Parts) { p.Settings.Statistics.Enabled = false })
	off.timings = []job.Timing{timing(0, false, nil)}
	wantJSON(t, off.send(t, "GET", "/api/statistics?from=2026-03-01&to=2026-03-02", ""), 200,
		`{"enabled":false,"from":"2026-03-01T00:00:00Z","to":"2026-03-02T00:00:00Z","complete":true,`+nothing)
	if n := off.asked()["Timings"]; n != 0 {
		t.Error("times were read that are not kept")
	}
}

// So many jobs are looked at and no more: the answer says what it is about.
func TestStatisticsAreBounded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for i := range api.MaxTimings + 1 {
		s.timings = append(s.timings, timing(time.Duration(i+1)*time.Millisecond, false, map[job.Stage]time.Duration{job.StageQueue: time.Millisecond}))
	}
	wantJSON(t, s.send(t, "GET", "/api/statistics", ""), 200, `{
		"enabled":true,"from":"2026-03-04T05:05:57.089Z","to":"2026-03-04T05:06:07.089Z","complete":false,
		"completed":10000,"local":10000,"remote":0,"perMinute":60000,"lastMinute":10000,
		"total":{"jobs":10000,"meanMs":1,"minMs":1,"maxMs":1},"queue":{"jobs":10000,"meanMs":1,"minMs":1,"maxMs":1},
		"slowest":{"jobId":"`+string(id1)+`","totalMs":1,"completedAt":"2026-03-04T05:06:07.088Z"}}`)
}

func TestStatisticsRefuse(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, query := range []string{"from=x", "to=", "from=2026-03-02&to=2026-03-01", "from=2027-01-01", "window=1h"} {
		wantProblem(t, s.send(t, "GET", "/api/statistics?"+query, ""), 400, fault.ValidationFilterInvalid)
	}
	s.fail["Timings"] = fault.New(fault.Throttled, "the table is busy")
	wantProblem(t, s.send(t, "GET", "/api/statistics", ""), 503, fault.Throttled)
}
