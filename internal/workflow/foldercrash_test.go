package workflow_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// folderStory is a document that waits, from the day that it is found: by a sweep alone, or by a notification first.
type folderStory struct {
	name    string
	bell    bool
	nothing bool // there is nothing for the holder
	skip    bool // what has not changed is skipped
}

var folderStories = []folderStory{{"sweep", false, false, false}, {"check", true, false, false}, {"no action", true, true, false}, {"skipping", false, false, true}}

// newFolderStory is the scene of a story.
func newFolderStory(t *testing.T, st folderStory) (*folderScene, *workflowtest.Document) {
	t.Helper()
	s := newFolderScene(t)
	s.w.Remote.SkipUnchanged = st.skip
	if st.nothing {
		return s, s.signer.AddWaiting(s.folder, "a.pdf", turnOf("75502846369"))
	}
	return s, s.wait()
}

// play lets a story happen: the bell rings, messages whose run died or failed come again, schedules go on.
func (s *folderScene) play(st folderStory, d *workflowtest.Document) {
	bells := 5
	if !st.bell {
		bells = 0
	}
	bell := s.bell(d)
	for end := time.Now().Add(24 * time.Hour); time.Now().Before(end) && !s.ended(); time.Sleep(time.Minute) {
		if bells > 0 {
			bells--
			if died, err := s.check(bell); !died && err == nil {
				bells = 0
			}
		}
		s.deliver()
		s.sweep()
		s.deliver()
		s.wake()
	}
}

// smooth is what a story calls when nothing goes wrong.
func smooth(t *testing.T, st folderStory) (steps []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, d := newFolderStory(t, st)
		s.play(st, d)
		s.checkStory(t, st, d)
		if j := s.only(t); !st.nothing && j.Status != job.Completed {
			t.Fatalf("the smooth story ends %s %s: %s", j.Status, j.Code, j.Error)
		}
		steps = s.Steps()
	})
	return steps
}

// TestEveryStepInAFolderMayBreak breaks each call of sweep, check and signing, in each way in which it can break.
func TestEveryStepInAFolderMayBreak(t *testing.T) {
	t.Parallel()
	for _, st := range folderStories {
		for n, step := range smooth(t, st) {
			for _, f := range workflowtest.Faults {
				t.Run(fmt.Sprintf("%s/%02d %s/%s", st.name, n+1, step, f), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						s, d := newFolderStory(t, st)
						s.Break(n+1, f)
						s.play(st, d)
						s.checkStory(t, st, d)
						s.retryStory(t, st, d)
					})
				})
			}
		}
	}
}

// TestARunInAFolderMayDieTwice kills a run at each step, and then whatever comes after it at each of its steps.
func TestARunInAFolderMayDieTwice(t *testing.T) {
	t.Parallel()
	const later = 40 // more steps than the second attempt and its recovery make
	st := folderStories[0]
	for n, step := range smooth(t, st) {
		t.Run(fmt.Sprintf("%02d %s", n+1, step), func(t *testing.T) {
			t.Parallel()
			for m := 1; m <= later; m++ {
				synctest.Test(t, func(t *testing.T) {
					s, d := newFolderStory(t, st)
					s.Break(n+1, workflowtest.DieAfter)
					s.Break(n+1+m, workflowtest.DieBefore)
					s.play(st, d)
					s.checkStory(t, st, d)
				})
			}
		})
	}
}

// checkStory holds a scene that has come to rest against the promises.
func (s *folderScene) checkStory(t *testing.T, st folderStory, d *workflowtest.Document) {
	t.Helper()
	j := s.only(t)
	checkHistory(t, j)
	if st.nothing {
		if j.Status != job.Failed || j.Code != fault.SignerFolderNoHolderAction || s.Keys.Count() != 0 {
			t.Errorf("ends %s %s", j.Status, j.Code)
		}
		return
	}
	accepted := d.Accepted[d.Actions[0].ID]
	if accepted > 1 || s.Keys.Count() > 1 {
		t.Errorf("%d signatures were accepted and the key was asked %d times, want at most one", accepted, s.Keys.Count())
	}
	last := j.Last().Message
	unknown := strings.Contains(last, "may have")
	switch j.Status {
	case job.Completed:
		if accepted != 1 {
			t.Error("completed without a signature at Signer")
		}
	case job.Failed:
		if j.Code != fault.SignerFolderInterrupted && j.Code != fault.SignerUnreachable && j.Code != fault.SignerFolderKeyUnavailable {
			t.Errorf("fails with %s: %s", j.Code, j.Error)
		}
		if accepted == 1 && !unknown {
			t.Errorf("Signer has the signature, and the history ends with %q", last)
		}
	default: // nobody else acts here, so that nothing moves on by itself
		t.Errorf("ends %s: %q", j.Status, last)
	}
}

// retryStory has an operator retry what failed: it is signed unless it was, and never twice.
func (s *folderScene) retryStory(t *testing.T, st folderStory, d *workflowtest.Document) {
	t.Helper()
	j := s.only(t)
	if j.Status != job.Failed || st.nothing {
		return
	}
	had := d.Accepted[d.Actions[0].ID]
	if _, err := s.w.Retry(t.Context(), j.ID); err != nil {
		t.Fatal(err)
	}
	s.play(folderStory{}, d)
	child := s.Jobs()[1]
	want := map[int]job.Status{0: job.Completed, 1: job.Canceled}[had]
	if child.Status != want || d.Accepted[d.Actions[0].ID] != 1 {
		t.Errorf("the retry ends %s with %d signatures, want %s and one", child.Status, d.Accepted[d.Actions[0].ID], want)
	}
	checkHistory(t, child)
}

// interleaved is a table that lets something happen before one of its calls.
type interleaved struct {
	workflow.Discoveries
	before func()
}

func (i interleaved) Discovered(ctx context.Context, documentID, actionID string) (job.ID, error) {
	i.before()
	return i.Discoveries.Discovered(ctx, documentID, actionID)
}

func (i interleaved) Discover(ctx context.Context, j job.Job) error {
	i.before()
	return i.Discoveries.Discover(ctx, j)
}

// TestInterleavedLooksMakeOneJob lets another sweep, or a check, run through between any two steps of a sweep.
func TestInterleavedLooksMakeOneJob(t *testing.T) {
	t.Parallel()
	others := map[string]func(s *folderScene, d *workflowtest.Document) error{
		"sweep": func(s *folderScene, _ *workflowtest.Document) error { return s.w.Sweep(context.Background()) },
		"check": func(s *folderScene, d *workflowtest.Document) error {
			return s.w.Check(context.Background(), s.bell(d).Message())
		},
	}
	for name, other := range others {
		for _, nothing := range []bool{false, true} {
			for at := 1; at <= 4; at++ {
				t.Run(fmt.Sprintf("%s/%t/%d", name, nothing, at), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						s, d := newFolderStory(t, folderStory{nothing: nothing})
						s.wait()
						s.w.Passes = unleased{s.w.Passes}
						calls := 0
						s.w.Discoveries = interleaved{s.w.Discoveries, func() {
							if calls++; calls == at {
								if err := other(s, d); err != nil {
									t.Error(err)
								}
							}
						}}
						s.swept(t)
						s.swept(t)
						found := 2
						if nothing {
							found = 1
						}
						counted := s.meter.Counted(job.MetricFolderEnqueued, job.LabelProfile, "p")
						if len(s.Jobs()) != 2 || counted != int64(found) || len(s.Messages) != found || len(s.table.Events()) != 2 {
							t.Errorf("%d jobs for 2 documents, %d counted, %d doorbells, events %v", len(s.Jobs()), counted, len(s.Messages), s.table.Events())
						}
					})
				})
			}
		}
	}
}
