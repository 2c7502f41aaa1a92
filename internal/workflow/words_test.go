package workflow_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// died is a scene whose one run died at a step.
func died(t *testing.T, step string, f workflowtest.Fault) (*folderScene, *workflowtest.Document) {
	t.Helper()
	s := newFolderScene(t)
	d := s.wait()
	s.swept(t)
	s.BreakNext(step, f)
	m, _ := s.Receive()
	if died, err := s.work(m); !died {
		t.Fatalf("the run does not die: %v", err)
	}
	return s, d
}

// recovered lets the claim end and recovery ring.
func (s *folderScene) recovered() {
	time.Sleep(timeout + 3*time.Minute)
	s.wake()
	s.deliver()
}

// TestInterruptedFolderRuns is the table of what becomes of a run that died, row by row.
func TestInterruptedFolderRuns(t *testing.T) {
	t.Parallel()
	key := "ask the key"
	tests := []struct {
		name    string
		step    string
		fault   workflowtest.Fault
		arrange func(s *folderScene, d *workflowtest.Document)
		status  job.Status
		code    fault.Code
		history string
		reads   int // by whom the job was recovered
	}{
		{"the key was never asked", stepStart, workflowtest.DieAfter, nil, job.Completed, "", "accepted the signature", 1},
		{"handed over, and the action is done", stepHandOver, workflowtest.DieAfter, nil, job.Completed, "", "Lacuna Signer reports the action done.", 1},
		{"handed over, done, and canceled later", stepHandOver, workflowtest.DieAfter, setStatus(job.SignerCanceled), job.Completed, "", "Lacuna Signer reports the action done.", 1},
		{"past the key, and the document was canceled", key, workflowtest.DieAfter, setStatus(job.SignerCanceled), job.Canceled, "", "No longer pending at Lacuna Signer: Canceled", 1},
		{"past the key, and the document expired", key, workflowtest.DieBefore, setStatus(job.SignerExpired), job.Canceled, "", "No longer pending at Lacuna Signer: Expired", 1},
		{"past the key, and the action is done", key, workflowtest.DieAfter, func(s *folderScene, d *workflowtest.Document) {
			s.signer.Act(d.ID, d.Actions[0].ID, job.ActionCompleted)
			s.signer.SetStatus(d.ID, job.SignerPending, "")
		}, job.Canceled, "", "No longer pending at Lacuna Signer: Completed", 1},
		{"past the key, and the action still pending", key, workflowtest.DieAfter, nil, job.Failed, fault.SignerFolderInterrupted,
			"The signature never left this service. Lacuna Signer reports the document Pending and the action Pending.", 1},
		{"past the key, and the action gone", key, workflowtest.DieAfter, document(func(d *job.SignerDocument) { d.Actions = nil }), job.Failed, fault.SignerFolderInterrupted, "the action not there", 1},
		{"in Verifying, and the action still pending", stepHandOver, workflowtest.DieBefore, nil, job.Failed, fault.SignerFolderInterrupted,
			"The signature may have been handed over. Lacuna Signer reports the document Pending and the action Pending.", 1},
		{"in Verifying, and the document canceled", stepHandOver, workflowtest.DieBefore, setStatus(job.SignerCanceled), job.Failed, fault.SignerFolderInterrupted,
			"may have been handed over. Lacuna Signer reports the document Canceled", 1},
		{"in Verifying, and the document expired", stepHandOver, workflowtest.DieBefore, setStatus(job.SignerExpired), job.Failed, fault.SignerFolderInterrupted, "reports the document Expired", 1},
		{"past the key, without settings", key, workflowtest.DieAfter, func(s *folderScene, _ *workflowtest.Document) { s.w.Signer = nil }, job.Failed, fault.SignerFolderInterrupted,
			"never left this service. Lacuna Signer could not be asked: this service has no Signer:Endpoint and Signer:ApiKey.", 0},
		{"in Verifying, and Signer is silent", stepHandOver, workflowtest.DieAfter, answering(stepRead, job.SignerError{Transient: true}), job.Failed, fault.SignerFolderInterrupted,
			"may have been handed over. Lacuna Signer could not be asked: it did not answer.", 1},
		{"in Verifying, and Signer refuses", stepHandOver, workflowtest.DieAfter, answering(stepRead, coded("DocumentNotFound")), job.Failed, fault.SignerFolderInterrupted,
			"could not be asked: it answered DocumentNotFound (422).", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, d := died(t, tt.step, tt.fault)
				if tt.arrange != nil {
					tt.arrange(s, d)
				}
				before := s.CountSteps(stepRead)
				s.recovered()
				j := s.only(t)
				if j.Status != tt.status || j.Code != tt.code || !strings.Contains(j.Last().Message, tt.history) {
					t.Errorf("ends %s %q: %q; want %s %q with %q", j.Status, j.Code, j.Last().Message, tt.status, tt.code, tt.history)
				}
				if n := s.CountSteps(stepRead) - before; n != tt.reads {
					t.Errorf("the document was read %d times, want %d", n, tt.reads)
				}
				if s.Keys.Count() > 1 {
					t.Errorf("the key was asked %d times", s.Keys.Count())
				}
				checkHistory(t, j)
			})
		})
	}
}

func setStatus(to job.SignerStatus) func(*folderScene, *workflowtest.Document) {
	return func(s *folderScene, d *workflowtest.Document) { s.signer.SetStatus(d.ID, to, "") }
}

// silent is a Signer that reads no document within a time.
type silent struct {
	*workflowtest.Signer
	after time.Duration
	asked *int
	err   error // once the time is over
}

func (s silent) Document(ctx context.Context, id string) (job.SignerDocument, error) {
	*s.asked++
	takes(ctx, s.after)
	if ctx.Err() != nil || s.err != nil {
		return job.SignerDocument{}, &job.SignerError{Op: "read the document", Transient: true, Cause: ctx.Err()}
	}
	return s.Signer.Document(context.WithoutCancel(ctx), id)
}

// TestAskingIsBounded lets one invocation end many runs that died: asking costs it a while at most, and once Signer has
// failed to answer nobody asks it again.
func TestAskingIsBounded(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		after time.Duration
		err   bool
		asked int
		took  time.Duration
	}{
		{"Signer answers", time.Second, false, 8, 8 * time.Second},
		{"Signer fails", time.Second, true, 1, time.Second},
		{"Signer is silent", time.Hour, false, 1, 10 * time.Second},
		{"Signer is slow", 9 * time.Second, false, 4, 30 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFolderScene(t)
				const jobs = 8
				for range jobs {
					s.wait()
				}
				s.swept(t)
				for m, ok := s.Receive(); ok; m, ok = s.Receive() {
					s.BreakNext("ask the key", workflowtest.DieAfter)
					s.work(m)
				}
				time.Sleep(timeout + 3*time.Minute)
				asked := 0
				quiet := silent{Signer: s.signer, after: tt.after, asked: &asked}
				if tt.err {
					quiet.err = workflowtest.ErrBroken
				}
				s.w.Signer = quiet
				begin := time.Now()
				s.batch(t, s.Jobs())
				if took := time.Since(begin); asked != tt.asked || took != tt.took {
					t.Errorf("asked %d times in %s, want %d in %s", asked, took, tt.asked, tt.took)
				}
				for _, j := range s.Jobs() {
					if j.Code != fault.SignerFolderInterrupted {
						t.Errorf("a job ends %s %s", j.Status, j.Code)
					}
				}
			})
		})
	}
}

// batch works through doorbells in one invocation.
func (s *folderScene) batch(t *testing.T, jobs []job.Job) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	b, err := s.w.Batch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		if err := b.Work(ctx, job.Doorbell(j.ID)); err != nil {
			t.Error(err)
		}
	}
}

var _ workflow.Signer = silent{}
