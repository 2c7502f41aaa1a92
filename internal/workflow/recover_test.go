package workflow_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

func TestALostEventLosesNoFile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.wake() // the first search finds nothing
		s.Drop("in/a.pdf", samplePDF(), time.Now())
		s.Drop("in/b.tmp", samplePDF(), time.Now())
		s.Drop("in/c/", nil, time.Now())
		s.quiesce(30 * time.Minute)
		if n := len(s.Jobs()); n != 0 {
			t.Fatalf("%d jobs before the search is due", n)
		}
		s.quiesce(2 * time.Hour)
		if j := s.only(t); j.Status != job.Completed || j.FileName != "a.pdf" {
			t.Errorf("the job for %s ends %s %s, want a.pdf Completed", j.FileName, j.Status, j.Code)
		}
	})
}

func TestAYoungFileIsLeftToItsEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.Drop("in/a.pdf", samplePDF(), time.Now().Add(-14*time.Minute))
		s.wake()
		if n := len(s.Jobs()); n != 0 {
			t.Errorf("%d jobs, want none: the event may still be on the way", n)
		}
	})
}

func TestRecoverBesideItselfChangesNothingMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.queue(3, time.Now())
		time.Sleep(3 * time.Minute)
		done := make(chan error)
		for range 4 {
			go func() { _, err := s.wake(); done <- err }()
		}
		for range 4 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		s.wake()
		if got := len(s.Messages); got != 3 {
			t.Errorf("there are %d messages for 3 jobs, want 3", got)
		}
	})
}

func TestDoorbellsDouble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.queue(1, time.Now())
		var rung []int
		for minute := range 70 {
			before := len(s.Messages)
			s.wake()
			if len(s.Messages) > before {
				rung = append(rung, minute)
			}
			s.Messages = nil
			time.Sleep(time.Minute)
		}
		if want := fmt.Sprint([]int{2, 4, 8, 16, 32, 64}); fmt.Sprint(rung) != want {
			t.Errorf("rung in the minutes %v, want %v", rung, want)
		}
	})
}

func TestABacklogIsNotMultiplied(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name          string
		jobs, waiting int
		passes, want  int
	}{
		{"a full queue gets the least", 100_000, 100_000, 1, 50},
		{"an empty queue gets the most", 100_000, 0, 1, 1000},
		{"a half-full queue gets the rest", 100_000, 600, 1, 400},
		{"what did not fit comes in the next passes", 2500, 0, 3, 2500},
		{"and is rung once", 2500, 0, 4, 2500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t)
				s.queue(tt.jobs, time.Now())
				time.Sleep(150 * time.Second)
				rung := map[string]int{}
				for range tt.passes {
					s.Messages = make([]string, tt.waiting)
					s.wake()
					for _, m := range s.Messages[tt.waiting:] {
						rung[m]++
					}
					time.Sleep(10 * time.Second)
				}
				if len(rung) != tt.want {
					t.Errorf("rung for %d jobs, want %d", len(rung), tt.want)
				}
				for m, n := range rung {
					if n != 1 {
						t.Fatalf("%s was rung %d times", m, n)
					}
				}
			})
		})
	}
}

func TestThreeDeathsAreForgivenAndNoMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
		m, _ := s.Receive()
		for death := 1; death <= 4; death++ {
			s.BreakNext("get input", workflowtest.DieBefore) // before the mark
			if died, err := s.work(m); !died {
				t.Fatalf("run %d did not die: %v", death, err)
			}
			time.Sleep(timeout + 3*time.Minute)
			m = job.Doorbell(s.only(t).ID)
		}
		if _, err := s.work(m); err != nil {
			t.Fatal(err)
		}
		if j := s.only(t); j.Status != job.Failed || j.Code != fault.JobInterrupted || s.Keys.Count() != 0 {
			t.Errorf("after four deaths the job is %s %s, want Failed %s", j.Status, j.Code, fault.JobInterrupted)
		}
	})
}

// queue puts jobs in place that nobody was told of.
func (s *scene) queue(n int, at time.Time) {
	for i := range n {
		s.Put(job.New(job.Origin{Source: job.Watcher, Profile: "p", Method: profile.Local, Format: profile.Pades, Folder: "p",
			FileName: "a.pdf", Object: job.Object{Bucket: "input", Key: fmt.Sprintf("in/%d.pdf", i), VersionID: "v", Size: 1}}, at))
	}
}
