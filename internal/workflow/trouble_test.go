package workflow_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// troubled is an input bucket with calls of its own in place of some.
type troubled struct {
	workflow.Inputs
	current func(ctx context.Context, key string) (job.Object, error)
	fetch   func(ctx context.Context, o job.Object, w io.Writer) error
}

func (i troubled) Current(ctx context.Context, key string) (job.Object, error) {
	if i.current == nil {
		return i.Inputs.Current(ctx, key)
	}
	return i.current(ctx, key)
}

func (i troubled) Fetch(ctx context.Context, o job.Object, w io.Writer) error {
	if i.fetch == nil {
		return i.Inputs.Fetch(ctx, o, w)
	}
	return i.fetch(ctx, o, w)
}

// TestAnUploadSentAgain is a second PUT under a link whose first upload is signed and hidden: the bucket takes it.
func TestAnUploadSentAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		content string
		asked   int
	}{
		{"the same bytes are the same upload", string(samplePDF()), 1},
		{"other bytes are a job of their own", string(samplePDF()) + "% two\n", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t)
				id := job.NewID()
				key := job.UploadPrefix + string(id) + "/a.pdf"
				s.Reserve(job.Reservation{Key: key, Job: id, Profile: "p", FileName: "a.pdf"})
				s.Send(workflowtest.Event(s.Drop(key, samplePDF(), time.Now())))
				s.deliver()
				again := workflowtest.Event(s.Drop(key, []byte(tt.content), time.Now()))
				for range 3 {
					if err := s.workFor(timeout, again); err != nil {
						t.Fatalf("the second upload ends %v", err)
					}
				}
				if !s.ended() || s.Keys.Count() != tt.asked || len(s.Jobs()) != tt.asked {
					t.Errorf("%d jobs, the key asked %d times, want %d", len(s.Jobs()), s.Keys.Count(), tt.asked)
				}
			})
		})
	}
}

func TestABadObjectHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	tests := map[string]func(job.Object) (job.Object, error){
		"one that cannot be looked at": func(job.Object) (job.Object, error) { return job.Object{}, errors.New("BadRequest") },
		"one from before versioning":   func(o job.Object) (job.Object, error) { o.VersionID = "null"; return o, nil },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t)
				inner := s.w.Inputs
				s.w.Inputs = troubled{Inputs: inner, current: func(ctx context.Context, key string) (job.Object, error) {
					o, err := inner.Current(ctx, key)
					if key == "in/a-bad.pdf" {
						return spoil(o)
					}
					return o, err
				}}
				s.Drop("in/a-bad.pdf", samplePDF(), time.Now())
				s.Drop("in/b-lost.pdf", samplePDF(), time.Now())
				s.quiesce(3 * time.Hour)
				if j := s.only(t); j.FileName != "b-lost.pdf" || j.Status != job.Completed {
					t.Errorf("job %s ends %s, want b-lost.pdf Completed", j.FileName, j.Status)
				}
			})
		})
	}
}

// TestALongSearchTakesSeveralPasses looks at more objects than one pass has time for.
func TestALongSearchTakesSeveralPasses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		inner := s.w.Inputs
		s.w.Inputs = troubled{Inputs: inner, current: func(ctx context.Context, key string) (job.Object, error) {
			select {
			case <-time.After(300 * time.Millisecond):
			case <-ctx.Done():
			}
			return inner.Current(ctx, key)
		}}
		const files = 300
		for i := range files {
			s.Drop(fmt.Sprintf("in/%05d.pdf", i), samplePDF(), time.Now().Add(-time.Hour))
		}
		for pass := range 4 {
			if _, err := s.wake(); err != nil {
				t.Errorf("pass %d ends %v, want it to go on next time", pass, err)
			}
			time.Sleep(time.Minute)
		}
		if n := len(s.Jobs()); n != files {
			t.Errorf("%d of %d files were taken in", n, files)
		}
	})
}

func TestWhatNeverPassesEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.w.Inputs = troubled{Inputs: s.w.Inputs, fetch: func(context.Context, job.Object, io.Writer) error { return errors.New("InvalidObjectState") }}
		s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
		begin := time.Now()
		s.quiesce(48 * time.Hour)
		j := s.only(t)
		if took := time.Since(begin); j.Status != job.Failed || j.Code != fault.JobGivenUp || took < 24*time.Hour || took > 25*time.Hour {
			t.Errorf("after %s the job is %s %s, want Failed %s after a day", took, j.Status, j.Code, fault.JobGivenUp)
		}
		if s.Keys.Count() != 0 {
			t.Errorf("the key was asked %d times", s.Keys.Count())
		}
	})
}

func TestAKeyThatS3DoesNotTakeIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		name := strings.Repeat("a", 1024-len("in/.pdf")) + ".pdf"
		s.Send(workflowtest.Event(s.Drop("in/"+name, samplePDF(), time.Now())))
		s.deliver()
		if j := s.only(t); j.Status != job.Failed || j.Code != fault.JobPathTooLong || s.Keys.Count() != 0 {
			t.Errorf("the job ends %s %s, want Failed %s and no key asked", j.Status, j.Code, fault.JobPathTooLong)
		}
	})
}

func TestDoorbellsThatTheQueueRefusedComeNextTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.queue(250, time.Now())
		time.Sleep(150 * time.Second)
		s.BreakNext("ring", workflowtest.FailBefore)
		if _, err := s.wake(); err == nil {
			t.Error("a pass that could not ring ends well")
		}
		s.wake()
		slices.Sort(s.Messages)
		if n := len(slices.Compact(s.Messages)); n != 250 {
			t.Errorf("rung for %d of 250 jobs", n)
		}
	})
}

func TestDeadRunsAreRungThoughTheQueueCannotCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
		m, _ := s.Receive()
		s.BreakNext("get input", workflowtest.DieBefore)
		s.work(m)
		time.Sleep(time.Until(s.only(t).Claim.Until) + time.Minute)
		s.BreakNext("count messages", workflowtest.FailBefore)
		s.wake()
		if len(s.Messages) != 1 {
			t.Errorf("%d doorbells, want 1", len(s.Messages))
		}
	})
}

// slow is a trust whose responders take longer than the run has.
type slow struct{}

func (slow) Validate(ctx context.Context, _ *x509.Certificate, _ []*x509.Certificate, _ time.Time) error {
	<-ctx.Done()
	return fault.Wrap(fault.RevocationUnavailable, ctx.Err(), "no answer")
}

func TestASlowResponderEndsTheRunAndNotTheJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.validate(nil)
		s.w.Trust = slow{}
		err := s.workFor(55*time.Second, workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
		if j := s.only(t); err == nil || j.Status != job.Queued {
			t.Errorf("%v; the job is %s %s, want it Queued and its message again", err, j.Status, j.Code)
		}
	})
}

func TestADegradationStaysUntilTheProfileSigns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.seal("s3://seals/none.png")
		for i := range 3 {
			s.Send(workflowtest.Event(s.Drop(fmt.Sprintf("in/%d.pdf", i), samplePDF(), time.Now())))
			s.deliver()
			if s.Profile("p").Degraded == (profile.Degradation{}) {
				t.Error("a job that failed took the note away")
			}
		}
		if slices.Contains(s.Steps(), "restore profile") {
			t.Error("the profile was restored without a signature")
		}
	})
}

func TestAnUnreadableRecordKeepsNoOtherOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		good := workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now()))
		bad := strings.Replace(workflowtest.Event(s.Drop("in/b.pdf", samplePDF(), time.Now())), "in%2Fb.pdf", "in%2Gb.pdf", 1)
		both := strings.TrimSuffix(bad, "]}") + "," + strings.TrimPrefix(good, `{"Records":[`)
		err := s.workFor(timeout, both)
		if j := s.only(t); !errors.Is(err, fault.MessageMalformed) || j.FileName != "a.pdf" || j.Status != job.Completed {
			t.Errorf("%v; the job for %s is %s; want %v and a.pdf Completed", err, j.FileName, j.Status, fault.MessageMalformed)
		}
	})
}

// TestALostDetachedSignatureDoesNotBlockTheNext drops the file again after a run that died between the two outputs.
func TestALostDetachedSignatureDoesNotBlockTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		p := s.Profile("p")
		p.Format, p.Signature.Detached = profile.Cades, true
		s.SetProfile(p)
		s.Send(workflowtest.Event(s.Drop("in/a.txt", []byte("content"), time.Now())))
		m, _ := s.Receive()
		s.BreakNext("put output", workflowtest.DieAfter)
		s.work(m)
		s.quiesce(time.Hour)
		if j := s.only(t); j.Code != fault.JobInterrupted {
			t.Fatalf("the first job ends %s %s", j.Status, j.Code)
		}
		s.Send(workflowtest.Event(s.Drop("in/a.txt", []byte("content"), time.Now())))
		s.deliver()
		if j := s.Jobs()[1]; j.Status != job.Completed {
			t.Errorf("the second job ends %s %s: %s", j.Status, j.Code, j.Error)
		}
		if got := s.OutputKeys(); !slices.Equal(got, []string{"p/a.txt", "p/a.txt.p7s"}) {
			t.Errorf("the outputs are %q", got)
		}
	})
}

// refusing is an output bucket that refuses for good.
type refusing struct{ workflow.Outputs }

func (refusing) Put(context.Context, job.Publication) error {
	return fault.New(fault.JobOutputRefused, "KeyTooLongError")
}

func (refusing) Begin(context.Context, job.Publication) (string, error) {
	return "", fault.New(fault.JobOutputRefused, "KeyTooLongError")
}

func TestARefusedOutputEndsTheJobAtOnce(t *testing.T) {
	t.Parallel()
	for _, r := range routes {
		synctest.Test(t, func(t *testing.T) {
			s := arrived(t, r)
			s.w.Outputs = refusing{s.w.Outputs}
			begin := time.Now()
			s.deliver()
			if j := s.only(t); j.Status != job.Failed || j.Code != fault.JobOutputRefused || time.Since(begin) > time.Second {
				t.Errorf("%s: after %s the job is %s %s, want Failed %s at once", r.name, time.Since(begin), j.Status, j.Code, fault.JobOutputRefused)
			}
			if _, visible := s.Visible("in/a.pdf"); !visible {
				t.Errorf("%s: the input is gone", r.name)
			}
		})
	}
}
