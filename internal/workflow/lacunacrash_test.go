package workflow_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

// story is a job of the method LacunaSigner from its file to its end.
type story struct {
	name     string
	inMemory int64 // 1: the output is an upload in parts
	detached bool  // the signature comes back without its content
	cancel   bool  // an operator cancels while the person is awaited
}

var stories = []story{{"put", 1 << 20, false, false}, {"upload", 1, false, false}, {"detached", 1, true, false}, {"cancel", 1 << 20, false, true}}

// play lets a story happen: the file comes, the person signs a minute later, or an operator cancels. Messages whose run
// died or failed come again, schedules go on.
func (s *remoteScene) play(t *testing.T, st story) {
	t.Helper()
	s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
	acted := false
	for end := time.Now().Add(24 * time.Hour); time.Now().Before(end) && !(acted && s.ended()) && !s.lost(); {
		s.turn()
		if len(s.signer.Documents) > 0 && !acted {
			acted = true
			s.act(t, st)
		}
	}
}

// lost reports whether every job has ended without a person.
func (s *remoteScene) lost() bool { return len(s.signer.Documents) == 0 && s.ended() }

func (s *remoteScene) act(t *testing.T, st story) {
	t.Helper()
	d := s.document(t)
	switch {
	case st.cancel:
		s.cancelAll()
	case st.detached:
		s.signer.Conclude(d.ID, personallyCMS(t, d.Content, true))
	default:
		s.signer.Conclude(d.ID, personally(t, d.Content))
	}
}

// cancelAll is an operator who tries until the answer is clear.
func (s *remoteScene) cancelAll() {
	for _, j := range s.Jobs() {
		for range 5 {
			died, err := s.Invoke(func() error {
				_, err := s.w.Cancel(context.Background(), j.ID, "engano")
				return err
			})
			if !died && (err == nil || fault.CodeOf(err) != fault.Internal) {
				break
			}
		}
	}
}

// newStory is the scene of a story.
func newStory(t *testing.T, st story) *remoteScene {
	t.Helper()
	s := newRemoteScene(t, func(p *profile.Profile) {
		if st.detached {
			p.Format = profile.Cades
		}
	})
	s.w.InMemory = st.inMemory
	return s
}

// untroubled is what the runs of a story call when nothing goes wrong.
func untroubled(t *testing.T, st story) (steps []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newStory(t, st)
		s.play(t, st)
		s.checkStory(t, st)
		want := job.Completed
		if st.cancel {
			want = job.Canceled
		}
		if j := s.only(t); j.Status != want {
			t.Fatalf("the undisturbed job ends %s %s: %s", j.Status, j.Code, j.Error)
		}
		steps = s.Steps()
	})
	return steps
}

// TestEveryRemoteStepMayBreak breaks each call that dispatch, poll, download, tail and cancel make, in each way.
func TestEveryRemoteStepMayBreak(t *testing.T) {
	t.Parallel()
	for _, st := range stories {
		for n, step := range untroubled(t, st) {
			for _, f := range workflowtest.Faults {
				t.Run(fmt.Sprintf("%s/%02d %s/%s", st.name, n+1, step, f), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						s := newStory(t, st)
						s.Break(n+1, f)
						s.play(t, st)
						s.checkStory(t, st)
					})
				})
			}
		}
	}
}

// TestRemoteRunsMayDieTwice kills a run at each step, and a later one at each of its own.
func TestRemoteRunsMayDieTwice(t *testing.T) {
	t.Parallel()
	const later = 40 // more than the next run and its recovery make
	for _, st := range stories[1:2] {
		for n, step := range untroubled(t, st) {
			t.Run(fmt.Sprintf("%s/%02d %s", st.name, n+1, step), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					for m := 2; m <= later; m += 3 {
						s := newStory(t, st)
						s.Break(n+1, workflowtest.DieAfter)
						s.Break(n+1+m, workflowtest.DieBefore)
						s.play(t, st)
						s.checkStory(t, st)
					}
				})
			})
		}
	}
}

// TestRunsThatAlwaysDieEnd has every download kill its run.
func TestRunsThatAlwaysDieEnd(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"download document", "put output"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStory(t, stories[0])
				s.drop("a.pdf", samplePDF())
				s.act(t, stories[0])
				for end := time.Now().Add(24 * time.Hour); time.Now().Before(end) && !s.ended(); {
					s.BreakNext(step, workflowtest.DieBefore)
					s.turn()
				}
				j := s.only(t)
				if j.Code != fault.JobInterrupted || j.Deaths != job.MaxDeaths {
					t.Errorf("the job ends %s %s after %d deaths, want %s after %d more than none", j.Status, j.Code, j.Deaths, fault.JobInterrupted, job.MaxDeaths)
				}
			})
		})
	}
}

// TestManyDoorbellsAndPolls has messages repeated and polls side by side, in a random order from a seed: a job leaves
// AwaitingSigner once, and is dispatched once.
func TestManyDoorbellsAndPolls(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, 1))
				s := newStory(t, stories[0])
				event := workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now()))
				acted := false
				for range 60 {
					switch r.IntN(6) {
					case 0:
						s.Send(event)
					case 1:
						for _, j := range s.Jobs() {
							s.Send(job.Doorbell(j.ID))
						}
					case 2:
						s.poll()
					case 3:
						s.wake()
					case 4:
						if m, ok := s.Receive(); ok {
							if died, err := s.work(m); died || err != nil || r.IntN(3) == 0 {
								s.Send(m)
							}
						}
					case 5:
						time.Sleep(time.Duration(r.IntN(300)) * time.Second)
						s.BreakNext([]string{"save job", "create document", "download document", "ring", "save dispatched job"}[r.IntN(5)],
							workflowtest.Faults[r.IntN(len(workflowtest.Faults))])
					}
					if len(s.signer.Documents) == 1 && !acted {
						acted = true
						s.act(t, stories[0])
					}
				}
				s.Send(event)
				s.rest(24 * time.Hour)
				s.checkStory(t, stories[0])
			})
		})
	}
}

// checkStory holds a story that has come to its end against the promises.
func (s *remoteScene) checkStory(t *testing.T, st story) {
	t.Helper()
	j := s.only(t)
	if !j.Status.Final() {
		t.Errorf("the job does not end: %s, %+v", j.Status, j.Last())
	}
	for id, documents := range s.signer.Dispatched() {
		if len(documents) != 1 {
			t.Errorf("job %s has %d documents at Signer, want one", id, len(documents))
		}
	}
	name := "p/a.signed.pdf"
	if st.detached {
		name = "p/a.pdf.p7s"
	}
	content, owner := s.Output(name)
	_, visible := s.Visible("in/a.pdf")
	switch j.Status {
	case job.Completed:
		if visible || owner != j.ID || !st.detached && !bytes.HasPrefix(content, samplePDF()) {
			t.Errorf("completed with the input there %t and an output of %d bytes that belongs to %s", visible, len(content), owner)
		}
		if beside, _ := s.Output("p/a.pdf"); st.detached && !bytes.Equal(beside, samplePDF()) {
			t.Error("there is a detached signature without its content")
		}
	case job.Failed:
		s.checkFailure(t, j, visible)
	case job.Canceled:
		if !st.cancel || !visible || content != nil {
			t.Errorf("canceled by nobody, or with an output of %d bytes and the input there %t", len(content), visible)
		}
	}
	checkHistory(t, j)
	left := 0
	for i, e := range j.History[1:] {
		if j.History[i].Status == job.AwaitingSigner && e.Status != job.AwaitingSigner {
			left++
		}
	}
	if left > 1 {
		t.Errorf("the job left AwaitingSigner %d times", left)
	}
}

func (s *remoteScene) checkFailure(t *testing.T, j job.Job, visible bool) {
	t.Helper()
	documents := len(s.signer.Documents)
	switch j.Code {
	case fault.SignerUnreachable:
		if documents > 0 && !says(j, "may exist") {
			t.Errorf("there is a document at Signer, and the history denies it: %s", j.Error)
		}
	case fault.SignerDispatchInterrupted:
	default:
		t.Errorf("failed with %s: %s", j.Code, j.Error)
	}
	if !visible {
		t.Error("the input of a failed job is gone")
	}
}
