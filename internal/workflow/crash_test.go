package workflow_test

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

// route is how a document takes its way: in one request, by an upload that the bucket fills itself, or as two outputs.
type route struct {
	name     string
	inMemory int64
	detached bool
}

var routes = []route{{"put", 1 << 20, false}, {"upload", 1, false}, {"detached", 1, true}}

// output is where the route's signature is published.
func (r route) output() string {
	if r.detached {
		return "p/a.pdf.p7s"
	}
	return "p/a.signed.pdf"
}

// writes are the calls whose lost reply the run itself must see through, so that it goes on as if nothing had happened.
var writes = map[string]bool{"take in": true, "save job": true, "put output": true, "complete upload": true, "delete input": true}

// TestEveryStepMayBreak breaks each call that the run of a job makes, in each way in which it can break, and lets
// recovery do its work. The table fills itself: the calls are those that an undisturbed run made.
func TestEveryStepMayBreak(t *testing.T) {
	t.Parallel()
	for _, r := range routes {
		steps := undisturbed(t, r)
		for n, step := range steps {
			for _, f := range workflowtest.Faults {
				t.Run(fmt.Sprintf("%s/%02d %s/%s", r.name, n+1, step, f), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						s := broken(t, r, n+1, f)
						if f == workflowtest.FailAfter && writes[step] && !s.ended() {
							t.Errorf("the run stumbled over a lost reply: the job is %s", s.only(t).Status)
						}
						s.quiesce(24 * time.Hour)
						s.check(t, r)
					})
				})
			}
		}
	}
}

// TestRecoveryMayDieToo kills a run at each step, and then the run that comes after it at each of its steps.
func TestRecoveryMayDieToo(t *testing.T) {
	t.Parallel()
	const later = 30 // more steps than a second run and its recovery make
	for _, r := range routes {
		for n, step := range undisturbed(t, r) {
			t.Run(fmt.Sprintf("%s/%02d %s", r.name, n+1, step), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					for m := 1; m <= later; m++ {
						s := broken(t, r, n+1, workflowtest.DieAfter)
						s.Break(m, workflowtest.DieBefore)
						s.quiesce(24 * time.Hour)
						s.check(t, r)
					}
				})
			})
		}
	}
}

// undisturbed is what a run calls when nothing goes wrong.
func undisturbed(t *testing.T, r route) (steps []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := arrived(t, r)
		s.deliver()
		s.check(t, r)
		if j := s.only(t); j.Status != job.Completed {
			t.Fatalf("the undisturbed job ends %s %s: %s", j.Status, j.Code, j.Error)
		}
		steps = s.Steps()
	})
	return steps
}

// arrived is a scene in which a document has just come.
func arrived(t *testing.T, r route) *scene {
	t.Helper()
	s := newScene(t)
	s.w.InMemory = r.inMemory
	if r.detached {
		p := s.Profile("p")
		p.Format, p.Signature.Detached = profile.Cades, true
		s.SetProfile(p)
	}
	s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
	return s
}

// broken is a scene after the delivery in which a step went wrong.
func broken(t *testing.T, r route, n int, f workflowtest.Fault) *scene {
	t.Helper()
	s := arrived(t, r)
	s.Break(n, f)
	m, _ := s.Receive()
	if died, err := s.work(m); died || err != nil {
		s.Send(m)
	}
	return s
}

// check holds a scene that has come to rest against the promises.
func (s *scene) check(t *testing.T, r route) {
	t.Helper()
	j := s.only(t)
	content, owner := s.Output(r.output())
	beside, besideOwner := s.Output("p/a.pdf")
	_, visible := s.Visible("in/a.pdf")
	if !j.Status.Final() {
		t.Errorf("the job does not end: %s, %+v", j.Status, j.Last())
	}
	if asked := s.Keys.Count(); asked > 1 {
		t.Errorf("the key was asked %d times, want at most once", asked)
	}
	if content != nil && (owner != j.ID || !r.detached && !bytes.HasPrefix(content, samplePDF())) {
		t.Errorf("the output belongs to %s and has %d bytes; want the job's, beginning with the original", owner, len(content))
	}
	if content != nil && r.detached && (besideOwner != j.ID || !bytes.Equal(beside, samplePDF())) {
		t.Error("there is a detached signature without its content")
	}
	switch j.Status {
	case job.Completed:
		if content == nil || visible {
			t.Errorf("completed with output %t and input still there %t", content != nil, visible)
		}
	case job.Failed:
		if j.Code != fault.JobInterrupted && j.Code != fault.JobKeySilent {
			t.Errorf("failed with %s: %s", j.Code, j.Error)
		}
		if !visible {
			t.Error("the input of a failed job is gone")
		}
	}
	checkHistory(t, j)
}

// checkHistory wants every step legal, in the order of time, by its own write.
func checkHistory(t *testing.T, j job.Job) {
	t.Helper()
	seen := map[string]bool{}
	for i, e := range j.History {
		if seen[e.ID] || e.ID == "" {
			t.Errorf("entry %d has no id of its own", i)
		}
		seen[e.ID] = true
		if i == 0 {
			continue
		}
		before := j.History[i-1]
		if e.Status != before.Status && !job.CanStep(j.Method, before.Status, e.Status) {
			t.Errorf("history goes from %s to %s", before.Status, e.Status)
		}
		if e.Time.Before(before.Time) {
			t.Errorf("history goes back in time at entry %d", i)
		}
	}
}
