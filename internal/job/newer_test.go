package job_test

import (
	"errors"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// What a newer release calls a method or a status leads nowhere here, by whichever step.
func TestWhatANewerReleaseKnowsLeadsNowhere(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.July, 15, 12, 0, 0, 0, time.UTC)
	over, held := job.Claim{Owner: "run", Until: at.Add(-time.Second)}, job.Claim{Owner: "run", Until: at.Add(time.Minute)}
	steps := map[string]func(j job.Job) (job.Job, error){
		"take":            func(j job.Job) (job.Job, error) { return j.Take(held, job.Took{Method: j.Method}, at) },
		"take, by a save": func(j job.Job) (job.Job, error) { return j.Take(held, job.Took{Method: "Qualified"}, at) },
		"take up":         func(j job.Job) (job.Job, error) { return j.TakeUp(held, at) },
		"interrupt": func(j job.Job) (job.Job, error) {
			j.Claim = over
			return j.Interrupt(job.Ending{Published: true, Reported: job.Completed}, at)
		},
		"fail":      func(j job.Job) (job.Job, error) { j.Claim = held; return j.Fail("run", fault.JobInterrupted, "", at) },
		"complete":  func(j job.Job) (job.Job, error) { j.Claim = held; return j.Complete("run", "", "", at) },
		"give back": func(j job.Job) (job.Job, error) { j.Claim = held; return j.GiveBack("run", "", at) },
	}
	for _, method := range []profile.Method{profile.Local, profile.LacunaSigner, profile.SignerFolder, "Qualified", ""} {
		for _, status := range append([]job.Status{"Reviewing", ""}, job.Statuses...) {
			if method != "Qualified" && method != "" && status.Known() {
				continue
			}
			for name, step := range steps {
				if k, err := step(job.Job{ID: "j", Method: method, Status: status, Version: 7, Marked: at}); !errors.Is(err, fault.JobRaceLost) {
					t.Errorf("%s of a job that is %q by %q = %s, %v; want %v", name, status, method, k.Status, err, fault.JobRaceLost)
				}
			}
		}
	}
	queued := job.Job{ID: "j", Method: profile.Local, Status: job.Queued}
	if _, err := steps["take, by a save"](queued); !errors.Is(err, fault.JobRaceLost) {
		t.Errorf("a job is taken by a method that nobody knows: %v", err)
	}
}
