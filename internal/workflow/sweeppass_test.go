package workflow_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// TestASweepKeepsItsTime wakes the sweep every minute and counts its passes.
func TestASweepKeepsItsTime(t *testing.T) {
	t.Parallel()
	for _, every := range []time.Duration{time.Minute, 90 * time.Second, 5 * time.Minute} {
		t.Run(every.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFolderScene(t)
				s.wait()
				s.w.Remote.SweepEvery = every
				const minutes = 30
				for end := time.Now().Add(minutes * time.Minute); time.Now().Before(end); {
					next := time.Now().Add(time.Minute)
					s.sweep()
					time.Sleep(time.Until(next))
				}
				want := int(minutes * time.Minute / every)
				if got := s.CountSteps(stepList); got < want-1 || got > want+1 {
					t.Errorf("%d passes in %d minutes, want about %d", got, minutes, want)
				}
			})
		})
	}
}

// TestASweepCallsOnceForEach is a sweep of 5000 documents in 20 folders: its calls are pages and one read-back each, and
// where the settings skip what has not changed, pages alone.
func TestASweepCallsOnceForEach(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFolderScene(t)
		const folders, documents = 20, 5000
		for n := range folders {
			name := fmt.Sprintf("p%02d", n)
			folder := s.signer.AddFolder(name)
			s.bind(name, folder)
			for range documents / folders {
				s.signer.AddWaiting(folder, "a.pdf", turnOf(holder))
			}
		}
		s.w.Remote.SkipUnchanged, s.w.Remote.AtOnce = true, 16
		const pages = documents/workflowtest.PageSize + 1 // and the empty folder of "p"
		type calls struct{ pages, reads, pairs, jobs, seen int }
		var last calls
		pass := func() calls {
			s.swept(t)
			now := calls{s.CountSteps(stepList), s.CountSteps(stepRead), s.CountSteps("look for the pair"), s.CountSteps("discover"), s.CountSteps("read what was seen")}
			did := calls{now.pages - last.pages, now.reads - last.reads, now.pairs - last.pairs, now.jobs - last.jobs, now.seen - last.seen}
			last = now
			return did
		}
		if got, want := pass(), (calls{pages, documents, documents, documents, 0}); got != want {
			t.Errorf("the first pass calls %+v, want %+v", got, want)
		}
		if got, want := pass(), (calls{pages, 0, 0, 0, folders * 3}); got != want {
			t.Errorf("the second pass calls %+v, want %+v", got, want)
		}
		s.signer.Change(s.Jobs()[7].Remote.DocumentID, func(*job.SignerDocument) {})
		if got, want := pass(), (calls{pages, 1, 1, 0, folders * 3}); got != want {
			t.Errorf("after a change the pass calls %+v, want %+v", got, want)
		}
		s.w.Remote.SkipUnchanged = false
		if got, want := pass(), (calls{pages, documents, documents, 0, 0}); got != want {
			t.Errorf("a pass that skips nothing calls %+v, want %+v", got, want)
		}
	})
}

// TestAnotherHolderReadsAll gives a profile the certificate of another person: what was read for the last one does not count.
func TestAnotherHolderReadsAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFolderScene(t)
		s.w.Remote.SkipUnchanged = true
		s.signer.AddWaiting(s.folder, "a.pdf", later("75502846369"), turnOf(holder))
		s.swept(t)
		s.swept(t)
		if reads := s.CountSteps(stepRead); reads != 1 {
			t.Fatalf("read %d times, want once", reads)
		}
		s.Keys.Key.Certificate = person(key.Public())
		s.refuse(stepRead, job.SignerError{Status: 500, Transient: true}) // a pass that fails does not count either
		s.swept(t)
		delete(s.signer.Refuse, stepRead)
		s.swept(t)
		s.swept(t)
		if reads := s.CountSteps(stepRead); reads != 3 {
			t.Errorf("read %d times, want once more beside the failure", reads)
		}
	})
}

// slowly is a Signer that takes its time.
type slowly struct {
	*workflowtest.Signer
	read time.Duration
}

func (s slowly) Document(ctx context.Context, id string) (job.SignerDocument, error) {
	takes(ctx, s.read)
	return s.Signer.Document(ctx, id)
}

func takes(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// TestALongSweepGoesOn takes several invocations, beside each other's schedules, and reads hardly anything twice.
func TestALongSweepGoesOn(t *testing.T) {
	t.Parallel()
	for _, signs := range []bool{false, true} {
		t.Run(fmt.Sprintf("while what was found is signed: %t", signs), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFolderScene(t)
				second := s.signer.AddFolder("second")
				s.bind("q", second)
				const documents = 600
				for range documents {
					s.wait()
					s.signer.AddWaiting(second, "b.pdf", turnOf(holder))
				}
				s.w.Signer = slowly{Signer: s.signer, read: 200 * time.Millisecond}
				invocations := 0
				for ; len(s.Jobs()) < 2*documents && invocations < 20; invocations++ {
					if _, err := s.sweep(); err != nil {
						t.Fatal(err)
					}
					if pass, err := s.Pass(t.Context(), "sweep"); err != nil || len(pass.State) > 8<<10 {
						t.Errorf("the pass keeps %d bytes: %v", len(pass.State), err)
					}
					if signs {
						s.deliver()
					}
					time.Sleep(5 * time.Second)
				}
				if len(s.Jobs()) != 2*documents || invocations < 4 {
					t.Errorf("%d jobs after %d invocations, want all after some", len(s.Jobs()), invocations)
				}
				// Each run may read up to a chunk that it had no time to end.
				if reads := s.CountSteps(stepRead) - s.CountSteps(stepStart); reads > 2*documents+100*invocations {
					t.Errorf("%d read-backs for %d documents in %d invocations", reads, 2*documents, invocations)
				}
			})
		})
	}
}

// TestAFolderWithoutEndHoldsUpNoOther is a folder whose documents take longer than any run.
func TestAFolderWithoutEndHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFolderScene(t)
		for range 200 {
			s.wait()
		}
		s.bind("q", s.signer.AddFolder("second"))
		s.w.Signer = slowly{Signer: s.signer, read: 20 * time.Second}
		for range 3 {
			s.sweep()
			time.Sleep(time.Minute)
		}
		if n := s.meter.Counted(job.MetricSweepErrors, job.LabelOp, job.OpList); n == 0 || s.CountSteps(stepFolder) == 0 {
			t.Errorf("%d failures, and the next folder was looked into %d times", n, s.CountSteps(stepFolder))
		}
	})
}

func TestTwoSweepsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFolderScene(t)
		const documents = 50
		for range documents {
			s.wait()
		}
		s.w.Passes = unleased{s.w.Passes} // so that both run
		s.w.Remote.AtOnce = 4
		done := make(chan error)
		for range 3 {
			go func() { _, err := s.sweep(); done <- err }()
		}
		for range 3 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		s.deliver()
		if len(s.Jobs()) != documents || s.Keys.Count() != documents {
			t.Errorf("%d jobs and %d signatures for %d documents", len(s.Jobs()), s.Keys.Count(), documents)
		}
		if n := s.meter.Counted(job.MetricFolderEnqueued, job.LabelProfile, "p"); n != documents {
			t.Errorf("%d were counted, want %d", n, documents)
		}
	})
}

// unleased gives everybody the lease.
type unleased struct{ workflow.Passes }

func (u unleased) Lease(ctx context.Context, name, owner string, now, until time.Time) (job.Pass, error) {
	return job.Pass{Name: name, Owner: owner, Until: until}, nil
}

func (u unleased) SavePass(context.Context, job.Pass) error { return nil }
