package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

func TestDeleteJob(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.jobs[id1] = completed()
	if r := s.send(t, "DELETE", "/api/jobs/"+string(id1), ""); r.StatusCode != 204 || bodyOf(t, r) != "" {
		t.Errorf("answer = %d, want 204 without a body", r.StatusCode)
	}
	wantProblem(t, s.send(t, "DELETE", "/api/jobs/"+string(id2), ""), 404, fault.JobNotFound)
	wantProblem(t, s.send(t, "DELETE", "/api/jobs/"+strings.ToUpper(string(id1)), ""), 404, fault.JobNotFound)
	if d := cmp.Diff([]string{"Delete|" + string(id1), "Delete|" + string(id2)}, s.told); d != "" {
		t.Errorf("told (-want +got):\n%s", d)
	}
}

func TestClearJobs(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.cleared = job.Cleared{Deleted: 7, Before: now.In(time.FixedZone("", -3*3600)), Complete: true}
	wantJSON(t, s.send(t, "DELETE", "/api/jobs", ""), 200,
		`{"deleted":7,"before":"2026-03-04T05:06:07.089Z","complete":true,"message":"7 job records were deleted."}`)
	s.cleared.Complete = false
	wantJSON(t, s.send(t, "DELETE", "/api/jobs", ""), 200,
		`{"deleted":7,"before":"2026-03-04T05:06:07.089Z","complete":false,"message":"7 job records were deleted so far; the rest follows."}`)
	if d := cmp.Diff([]string{"Clear|api", "Clear|api"}, s.told); d != "" {
		t.Errorf("told (-want +got):\n%s", d)
	}
	s.fail["Clear"] = fault.New(fault.JobRaceLost, "the records are being cleared")
	wantProblem(t, s.send(t, "DELETE", "/api/jobs", ""), 409, fault.JobRaceLost)
}

// Who means to delete some jobs, or one, must not delete all.
func TestClearIsNeverMeantByMistake(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, path := range []string{"/api/jobs?status=Failed", "/api/jobs?id=" + string(id1), "/api/jobs?x", "/api/jobs/", "/api/jobs//", "/api/jobs/.", "/api/jobs/%2e"} {
		if r := s.send(t, "DELETE", path, ""); r.StatusCode < 400 {
			t.Errorf("%s = %d", path, r.StatusCode)
		}
	}
	if len(s.told) != 0 {
		t.Errorf("told %v", s.told)
	}
}
