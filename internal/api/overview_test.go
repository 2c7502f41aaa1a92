package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

func TestOverview(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.state = job.Pipeline{Paused: true, PausedAt: now.Add(-time.Hour), PausedBy: "api", Reason: "maintenance"}
	folder, off := s.profiles["folder"], s.profiles["off"]
	folder.Method, off.Degraded = profile.LacunaSigner, profile.Degradation{Code: "key.not-found"}
	s.profiles["folder"], s.profiles["off"] = folder, off
	s.standings = []job.Standing{
		{Jobs: 10_000, More: true, Oldest: id1, Since: now.Add(-time.Hour)}, {Jobs: 2, Oldest: id1, Since: now.Add(-time.Second)},
		{Jobs: 1, Oldest: id2, Since: now.Add(-time.Minute).In(time.FixedZone("", -3*3600))}, {},
	}
	s.hours = []job.Hour{
		{Start: now.Add(-24 * time.Hour).Truncate(time.Hour).Add(time.Hour), Completed: 10, Failed: 1, Canceled: 2, Encrypted: 3},
		{Start: now.Truncate(time.Hour), Completed: 5, Encrypted: 5},
	}
	s.timings = []job.Timing{timing(30*time.Second, true, map[job.Stage]time.Duration{job.StageSigning: 40 * time.Millisecond})}
	const span = `{"jobs":1,"meanMs":40,"minMs":40,"maxMs":40}`
	wantJSON(t, s.send(t, "GET", "/api/overview", ""), 200, `{
		"at":"2026-03-04T05:06:07.089Z",
		"pipeline":{"paused":true,"pausedAtUtc":"2026-03-04T04:06:07.089Z","pausedBy":"api","reason":"maintenance","maxConcurrency":25},
		"profiles":{"total":4,"enabled":3,"degraded":1,"lacunaSigner":1},
		"now":{"queued":{"jobs":10000,"more":true,"oldestSince":"2026-03-04T04:06:07.089Z"},
			"processing":{"jobs":2,"more":false,"oldestSince":"2026-03-04T05:06:06.089Z"},
			"verifying":{"jobs":1,"more":false,"oldestSince":"2026-03-04T05:05:07.089Z"},
			"awaitingSigner":{"jobs":0,"more":false,"oldestSince":null}},
		"longestRunning":{"jobId":"`+string(id2)+`","status":"Verifying","since":"2026-03-04T05:05:07.089Z"},
		"lastDay":{"from":"2026-03-03T06:00:00Z","completed":15,"failed":1,"canceled":2,"encrypted":8},
		"hours":[{"start":"2026-03-03T06:00:00Z","completed":10,"failed":1,"canceled":2,"encrypted":3},
			{"start":"2026-03-04T05:00:00Z","completed":5,"failed":0,"canceled":0,"encrypted":5}],
		"performance":{"enabled":true,"from":"2026-03-03T05:06:07.089Z","to":"2026-03-04T05:06:07.089Z","complete":true,
			"completed":1,"local":0,"remote":1,"perMinute":0.0006944444444444445,"lastMinute":1,
			"total":`+span+`,"signing":`+span+`,"slowest":{"jobId":"`+string(id1)+`","totalMs":40,"completedAt":"2026-03-04T05:05:37.089Z"}}}`)
	if want := [2]time.Time{time.Date(2026, 3, 3, 6, 0, 0, 0, time.UTC), now}; s.between != want {
		t.Errorf("hours of %v, want 24 of %v", s.between, want)
	}
	if d := cmp.Diff([]job.Status{job.Queued, job.Processing, job.Verifying, job.AwaitingSigner}, s.watch.asked); d != "" {
		t.Errorf("statuses (-want +got):\n%s", d)
	}
}

func TestLongestRunning(t *testing.T) {
	t.Parallel()
	old, young := job.Standing{Jobs: 1, Oldest: id1, Since: now.Add(-time.Hour)}, job.Standing{Jobs: 1, Oldest: id2, Since: now}
	tests := []struct {
		name                  string
		processing, verifying job.Standing
		want                  string
	}{
		{"nothing runs", job.Standing{}, job.Standing{}, `"oldestSince":null}},"lastDay"`},
		{"processing alone", young, job.Standing{}, `"longestRunning":{"jobId":"` + string(id2) + `","status":"Processing",`},
		{"verifying alone", job.Standing{}, young, `"longestRunning":{"jobId":"` + string(id2) + `","status":"Verifying",`},
		{"processing longer", old, young, `"longestRunning":{"jobId":"` + string(id1) + `","status":"Processing",`},
		{"verifying longer", young, old, `"longestRunning":{"jobId":"` + string(id1) + `","status":"Verifying",`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.standings = []job.Standing{{Jobs: 1, Oldest: "waits", Since: now.Add(-24 * time.Hour)}, tt.processing, tt.verifying, {}}
			if got := bodyOf(t, s.send(t, "GET", "/api/overview", "")); !strings.Contains(got, tt.want) {
				t.Errorf("overview = %s, want %s", got, tt.want)
			}
		})
	}
}

// The means of a busy day are about its newest jobs: an answer that is asked for again and again costs little.
func TestOverviewIsBounded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for i := range api.OverviewTimings + 1 {
		s.timings = append(s.timings, timing(time.Duration(i+1)*time.Millisecond, false, nil))
	}
	if got := bodyOf(t, s.send(t, "GET", "/api/overview", "")); !strings.Contains(got, `"from":"2026-03-04T05:06:06.089Z","to":"2026-03-04T05:06:07.089Z","complete":false,"completed":1000,`) {
		t.Errorf("overview = %s", got)
	}
	off := newService(t, func(_ *service, p *api.Parts) { p.Settings.Statistics.Enabled = false })
	if got := bodyOf(t, off.send(t, "GET", "/api/overview", "")); !strings.Contains(got, `"performance":{"enabled":false,`) || off.asked()["Timings"] != 0 {
		t.Errorf("times that are not kept were read: %s", got)
	}
}

func TestOverviewNeedsEveryPart(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"State", "Profiles", "Standing", "Hours", "Timings"} {
		s := newService(t)
		s.fail[part] = fault.New(fault.Throttled, "the table is busy")
		wantProblem(t, s.send(t, "GET", "/api/overview", ""), 503, fault.Throttled)
	}
	wantProblem(t, newService(t).send(t, "GET", "/api/overview?from=2026-03-01", ""), 400, fault.RequestInvalid)
}
