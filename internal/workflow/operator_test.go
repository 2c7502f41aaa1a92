package workflow_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

// standing makes a job of a method stand in a status.
func standing(t *testing.T, m profile.Method, s job.Status) job.Job {
	t.Helper()
	j := job.New(job.Origin{Source: job.Watcher, Profile: "p", Method: m, Format: profile.Pades, Folder: "p", FileName: "a.pdf"}, time.Now())
	j.Status, j.Remote.DocumentID = s, "00000000-0000-4000-8000-000000009999"
	if s == job.Processing || s == job.Verifying {
		j.Claim = job.Claim{Owner: "somebody", Until: time.Now().Add(time.Hour)}
	}
	return j
}

func TestCancel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		method profile.Method
		status job.Status
		code   fault.Code // "": it is canceled
		told   bool       // Signer is
	}{
		{profile.Local, job.Queued, "", false},
		{profile.Local, job.Processing, fault.JobNotQueued, false},
		{profile.Local, job.Verifying, fault.JobNotQueued, false},
		{profile.Local, job.Completed, fault.JobNotQueued, false},
		{profile.Local, job.Failed, fault.JobNotQueued, false},
		{profile.Local, job.Canceled, fault.JobNotQueued, false},
		{profile.LacunaSigner, job.Queued, "", false},
		{profile.LacunaSigner, job.Processing, fault.JobNotQueued, false},
		{profile.LacunaSigner, job.AwaitingSigner, "", true},
		{profile.LacunaSigner, job.Verifying, fault.JobNotQueued, false},
		{profile.SignerFolder, job.Queued, "", false},
		{profile.SignerFolder, job.Processing, fault.JobNotQueued, false},
		{profile.SignerFolder, job.Verifying, fault.JobNotQueued, false},
	}
	for _, tt := range tests {
		t.Run(string(tt.method)+"/"+string(tt.status), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newRemoteScene(t)
				j := standing(t, tt.method, tt.status)
				s.Put(j)
				got, err := s.w.Cancel(t.Context(), j.ID, "")
				if fault.CodeOf(err) != tt.code || err == nil && (got.Status != job.Canceled || got.History[len(j.History)].Message != "Operator canceled.") {
					t.Errorf("Cancel = %s (%v), want code %q", got.Status, err, tt.code)
				}
				if told := count(s.Steps(), "cancel document") == 1; told != tt.told {
					t.Errorf("Signer was told: %t, want %t", told, tt.told)
				}
			})
		})
	}
}

func TestCancelTellsSigner(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ reason, told, says string }{
		{"", "Canceled by the operator.", "Operator canceled."},
		{"  engano ", "engano", "Operator canceled: engano."},
	} {
		t.Run(tt.says, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newRemoteScene(t)
				s.drop("a.pdf", samplePDF())
				j, err := s.w.Cancel(t.Context(), s.only(t).ID, tt.reason)
				if err != nil || j.Status != job.Canceled || j.Last().Message != tt.says {
					t.Fatalf("Cancel = %s %q (%v)", j.Status, j.Last().Message, err)
				}
				if d := s.document(t); d.Canceled != tt.told {
					t.Errorf("Signer was told %q, want %q", d.Canceled, tt.told)
				}
				if _, there := s.Visible("in/a.pdf"); !there {
					t.Error("the input is gone")
				}
			})
		})
	}
}

func TestCancelStandsWithoutSigner(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(*remoteScene)
		says    string
	}{
		{"a refusal", func(s *remoteScene) {
			s.signer.Refuse["cancel document"] = &job.SignerError{Op: "cancel", Status: 422, Code: "DocumentNotPending"}
		}, "DocumentNotPending"},
		{"silence", func(s *remoteScene) { s.BreakNext("cancel document", workflowtest.FailAfter) }, "did not answer"},
		{"no Signer any more", func(s *remoteScene) { s.w.Signer = nil }, "Signer:Endpoint"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newRemoteScene(t)
				s.drop("a.pdf", samplePDF())
				tt.prepare(s)
				j, err := s.w.Cancel(t.Context(), s.only(t).ID, "")
				if err != nil || j.Status != job.Canceled || !strings.HasPrefix(j.Last().Message, "Warning:") || !says(j, tt.says) {
					t.Errorf("Cancel = %s %q (%v), want a warning with %q", j.Status, j.Last().Message, err, tt.says)
				}
			})
		})
	}
}

// TestCancelDoesNotWaitForSigner has Signer answer never.
func TestCancelDoesNotWaitForSigner(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.drop("a.pdf", samplePDF())
		s.w.Signer = deaf{s.signer}
		began := time.Now()
		j, err := s.w.Cancel(t.Context(), s.only(t).ID, "")
		if took := time.Since(began); err != nil || j.Status != job.Canceled || took > 8*time.Second {
			t.Errorf("Cancel = %s (%v) after %s, want Canceled within 8 s", j.Status, err, took)
		}
	})
}

// deaf is a Signer that answers no cancel.
type deaf struct{ *workflowtest.Signer }

func (deaf) Cancel(ctx context.Context, _, _ string) error {
	<-ctx.Done()
	return &job.SignerError{Op: "cancel the document", Transient: true, Cause: ctx.Err()}
}

func TestCancelThatARunOvertook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		j := standing(t, profile.LacunaSigner, job.Queued)
		s.Put(j)
		s.w.Jobs = overtaken{s.World, func() {
			k, err := j.Take(job.Claim{Owner: "somebody", Until: time.Now().Add(time.Hour)}, job.Took{Method: j.Method}, time.Now())
			if err != nil {
				t.Error(err)
			}
			s.Put(k)
		}}
		if _, err := s.w.Cancel(t.Context(), j.ID, ""); !errors.Is(err, fault.JobRaceLost) {
			t.Errorf("Cancel = %v, want %v", err, fault.JobRaceLost)
		}
	})
}

// overtaken is a store in which somebody writes before each write.
type overtaken struct {
	*workflowtest.World
	first func()
}

func (o overtaken) Save(ctx context.Context, j job.Job) error {
	o.first()
	return o.World.Save(ctx, j)
}

func TestReasonsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		j := standing(t, profile.Local, job.Queued)
		s.Put(j)
		long := strings.Repeat("é", job.MaxReason+1)
		if _, err := s.w.Cancel(t.Context(), j.ID, long); !errors.Is(err, fault.ValidationReasonTooLong) {
			t.Errorf("Cancel = %v", err)
		}
		if _, err := s.w.Pause(t.Context(), "api", long); !errors.Is(err, fault.ValidationReasonTooLong) {
			t.Errorf("Pause = %v", err)
		}
		if _, err := s.w.Cancel(t.Context(), j.ID, long[:len(long)-2]); err != nil {
			t.Errorf("a reason of %d characters is refused: %v", job.MaxReason, err)
		}
	})
}

func TestRetryMakesANewJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.BreakNext("create document", workflowtest.FailAfter)
		s.drop("a.pdf", samplePDF())
		parent := s.only(t)
		child, err := s.w.Retry(t.Context(), parent.ID)
		if err != nil {
			t.Fatal(err)
		}
		if child.ParentID != parent.ID || child.Status != job.Queued || child.Source != job.Retry || child.Object != parent.Object || child.Remote != (job.Remote{}) {
			t.Errorf("the child is %+v", child)
		}
		if got := s.Jobs()[0]; got.Status != job.Failed || !says(got, string(child.ID)) {
			t.Errorf("the parent is %s: %q", got.Status, got.Last().Message)
		}
		s.deliver()
		if got := s.Jobs()[1]; got.Status != job.AwaitingSigner {
			t.Errorf("the child is %s %s", got.Status, got.Code)
		}
		// The event comes again: the object has its job, which is the child.
		o, _ := s.Visible("in/a.pdf")
		s.Send(workflowtest.Event(o))
		s.deliver()
		if n := len(s.Jobs()); n != 2 {
			t.Errorf("there are %d jobs, want 2", n)
		}
		if _, err := s.w.Retry(t.Context(), parent.ID); !errors.Is(err, fault.JobAlreadyProcessing) {
			t.Errorf("a second retry while the first is at work = %v, want %v", err, fault.JobAlreadyProcessing)
		}
	})
}

func TestRetryIsRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(t *testing.T, s *remoteScene, j *job.Job)
		code    fault.Code
	}{
		{"of a job that has not failed", func(_ *testing.T, _ *remoteScene, j *job.Job) { j.Status = job.AwaitingSigner }, fault.JobNotFailed},
		{"of a completed job", func(_ *testing.T, _ *remoteScene, j *job.Job) { j.Status = job.Completed }, fault.JobNotFailed},
		{"of a canceled job with a file", func(_ *testing.T, _ *remoteScene, j *job.Job) { j.Status = job.Canceled }, fault.JobNotFailed},
		{"of a document without action", func(_ *testing.T, _ *remoteScene, j *job.Job) {
			*j = job.NewWithoutAction(job.Found{Profile: "p", Remote: j.Remote}, time.Now())
		}, fault.JobNotFailed},
		{"without its input", func(_ *testing.T, s *remoteScene, _ *job.Job) { s.Hide("in/a.pdf") }, fault.JobInputMissing},
		{"of a disabled profile", func(_ *testing.T, s *remoteScene, _ *job.Job) {
			p := s.Profile("p")
			p.Enabled = false
			s.SetProfile(p)
		}, fault.ProfileDisabled},
		{"of a profile that takes no files any more", func(_ *testing.T, s *remoteScene, _ *job.Job) {
			p := s.Profile("p")
			p.Method = profile.SignerFolder
			s.SetProfile(p)
		}, fault.ProfileTakesNoFiles},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newRemoteScene(t)
				s.BreakNext("create document", workflowtest.FailAfter)
				s.drop("a.pdf", samplePDF())
				j := s.only(t)
				old := j.ID
				tt.prepare(t, s, &j)
				j.ID = old
				s.Put(j)
				if _, err := s.w.Retry(t.Context(), j.ID); fault.CodeOf(err) != tt.code {
					t.Errorf("Retry = %v, want %s", err, tt.code)
				}
				if n := len(s.Jobs()); n != 1 {
					t.Errorf("there are %d jobs, want 1", n)
				}
			})
		})
	}
}

// TestOfManyRetriesOneMakesAJob has operators press the button together, and replies get lost.
func TestOfManyRetriesOneMakesAJob(t *testing.T) {
	t.Parallel()
	for _, f := range []workflowtest.Fault{workflowtest.None, workflowtest.FailBefore, workflowtest.FailAfter} {
		t.Run(f.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newRemoteScene(t)
				s.BreakNext("create document", workflowtest.FailAfter)
				s.drop("a.pdf", samplePDF())
				id := s.only(t).ID
				if f != workflowtest.None {
					s.BreakNext("retry job", f)
				}
				var made sync.Map
				var all sync.WaitGroup
				for range 8 {
					all.Go(func() {
						if child, err := s.w.Retry(t.Context(), id); err == nil {
							made.Store(child.ID, true)
						}
					})
				}
				all.Wait()
				n := 0
				made.Range(func(any, any) bool { n++; return true })
				if n != 1 || len(s.Jobs()) != 2 {
					t.Errorf("%d retries made a job, %d jobs in all; want one", n, len(s.Jobs()))
				}
			})
		})
	}
}

// TestARequestThatIsRepeated has a client send its retry again, by and by and at once.
func TestARequestThatIsRepeated(t *testing.T) {
	t.Parallel()
	for _, f := range []workflowtest.Fault{workflowtest.None, workflowtest.FailAfter} {
		t.Run(f.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newRemoteScene(t)
				s.BreakNext("create document", workflowtest.FailAfter)
				s.drop("a.pdf", samplePDF())
				id := s.only(t).ID
				if f != workflowtest.None {
					s.BreakNext("retry job", f)
				}
				var all sync.WaitGroup
				children := make([]job.ID, 6)
				for i := range children {
					all.Go(func() {
						child, err := s.w.RetryOnce(t.Context(), id, "key")
						if err != nil {
							t.Errorf("RetryOnce = %v", err)
						}
						children[i] = child.ID
					})
				}
				all.Wait()
				for _, child := range children {
					if child != children[0] || child == "" {
						t.Errorf("one request made the jobs %v", children)
						break
					}
				}
				if _, err := s.w.RetryOnce(t.Context(), id, "another"); !errors.Is(err, fault.JobAlreadyProcessing) {
					t.Errorf("another request = %v, want %v", err, fault.JobAlreadyProcessing)
				}
			})
		})
	}
}

func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		ctx := t.Context()
		f, err := s.w.Pause(ctx, "api", "manutenção")
		if err != nil || !f.Paused || f.PausedBy != "api" || f.Reason != "manutenção" || f.PausedAt.IsZero() {
			t.Fatalf("Pause = %+v, %v", f, err)
		}
		if again, err := s.w.Pause(ctx, "other", "x"); err != nil || again.Reason != "manutenção" || again.Version != f.Version {
			t.Errorf("a second pause = %+v, %v; want it to change nothing", again, err)
		}
		s.drop("a.pdf", samplePDF())
		if j := s.only(t); j.Status != job.Queued {
			t.Errorf("while paused the job is %s", j.Status)
		}
		s.BreakNext("turn switch", workflowtest.FailAfter)
		if f, err = s.w.Resume(ctx, "api", ""); err != nil || f.Paused || f.ResumedAt.IsZero() {
			t.Errorf("Resume whose reply was lost = %+v, %v", f, err)
		}
		time.Sleep(5 * time.Minute)
		s.turn()
		if j := s.only(t); j.Status != job.AwaitingSigner {
			t.Errorf("after the resume recovery rang and the job is %s, want AwaitingSigner", j.Status)
		}
	})
}

func TestFlightCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		for _, status := range []job.Status{job.Queued, job.Processing, job.Verifying, job.AwaitingSigner, job.Completed} {
			s.Put(standing(t, profile.LacunaSigner, status))
		}
		if f, err := s.w.Flight(t.Context()); err != nil || f.InFlight["Pades"] != 2 || len(f.InFlight) != 1 {
			t.Errorf("Flight = %+v, %v; want 2 of Pades", f, err)
		}
	})
}
