package workflow_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

func TestRescan(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(t *testing.T, s *scene)
		want    job.RescanFolder // but for Name, Path and EnqueuedFiles
		ends    job.Status       // of the newest job, if there is one
	}{
		{"a file whose event was lost", func(*testing.T, *scene) {}, job.RescanFolder{Scanned: 1, Enqueued: 1}, job.Completed},
		{"a job at work", func(_ *testing.T, s *scene) { s.Pause(true); s.announce(); s.Pause(false) }, job.RescanFolder{Scanned: 1, AlreadyActive: 1}, job.Queued},
		{"a job that failed", func(_ *testing.T, s *scene) {
			s.Keys.Fail = fault.New(fault.KeyUnavailable, "off")
			s.announce()
			s.Keys.Fail = nil
		}, job.RescanFolder{Scanned: 1, Enqueued: 1}, job.Completed},
		{"a job that failed, and a reply that is lost", func(_ *testing.T, s *scene) {
			s.Keys.Fail = fault.New(fault.KeyUnavailable, "off")
			s.announce()
			s.Keys.Fail = nil
			s.BreakNext("retake", workflowtest.FailAfter)
		}, job.RescanFolder{Scanned: 1, Enqueued: 1}, job.Completed},
		{"a job that failed, and a write that is sent twice", func(_ *testing.T, s *scene) {
			s.Keys.Fail = fault.New(fault.KeyUnavailable, "off")
			s.announce()
			s.Keys.Fail = nil
			s.w.Arrivals = repeating{s.w.Arrivals}
		}, job.RescanFolder{Scanned: 1, Enqueued: 1}, job.Completed},
		{"a job that failed, and another search is faster", func(_ *testing.T, s *scene) {
			s.Keys.Fail = fault.New(fault.KeyUnavailable, "off")
			s.announce()
			s.Keys.Fail = nil
			s.w.Arrivals = faster{s.w.Arrivals}
		}, job.RescanFolder{Scanned: 1, AlreadyActive: 1}, job.Queued},
		{"a job that was canceled", func(t *testing.T, s *scene) {
			s.Pause(true)
			s.announce()
			if _, err := s.w.Cancel(t.Context(), s.only(t).ID, ""); err != nil {
				t.Fatal(err)
			}
			s.Pause(false)
		}, job.RescanFolder{Scanned: 1, Enqueued: 1}, job.Completed},
		{"a job that was deleted", func(t *testing.T, s *scene) {
			s.Pause(true)
			s.announce()
			if err := s.w.Delete(t.Context(), s.only(t).ID); err != nil {
				t.Fatal(err)
			}
			s.Pause(false)
		}, job.RescanFolder{Scanned: 1, Enqueued: 1}, job.Completed},
		{"a job that is completed, and its file held", func(_ *testing.T, s *scene) { s.Held = true; s.announce() }, job.RescanFolder{Scanned: 1, AlreadyProcessed: 1}, job.Completed},
		{"a file that makes no job", func(_ *testing.T, s *scene) {
			s.Hide("in/a.pdf")
			s.Drop("in/b.tmp", samplePDF(), time.Now())
		}, job.RescanFolder{Scanned: 1, Ignored: 1}, ""},
		{"a disabled profile", func(_ *testing.T, s *scene) { s.disable() }, job.RescanFolder{Scanned: 1, Ignored: 1}, ""},
		{"a failed job of a disabled profile", func(_ *testing.T, s *scene) {
			s.Keys.Fail = fault.New(fault.KeyUnavailable, "off")
			s.announce()
			s.disable()
		}, job.RescanFolder{Scanned: 1, Ignored: 1}, job.Failed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t)
				s.Drop("in/a.pdf", samplePDF(), time.Now())
				tt.prepare(t, s)
				report, err := s.w.Rescan(t.Context(), "")
				if err != nil || !report.Complete || len(report.Folders) != 1 {
					t.Fatalf("Rescan = %+v, %v", report, err)
				}
				got := report.Folders[0]
				names := len(got.EnqueuedFiles)
				got.Name, got.Path, got.EnqueuedFiles = "", "", nil
				if fmt.Sprint(got) != fmt.Sprint(tt.want) || names != tt.want.Enqueued {
					t.Errorf("found is %+v with %d names, want %+v", got, names, tt.want)
				}
				if tt.want.Enqueued > 0 {
					s.deliver()
				}
				if jobs := s.Jobs(); tt.ends != "" && jobs[len(jobs)-1].Status != tt.ends {
					t.Errorf("the newest job is %s %s, want %s", jobs[len(jobs)-1].Status, jobs[len(jobs)-1].Code, tt.ends)
				}
			})
		})
	}
}

// repeating is a table whose client misses the first reply and sends the write again.
type repeating struct{ workflow.Arrivals }

func (r repeating) Retake(ctx context.Context, j job.Job, latest job.ID, n job.NameClaim) error {
	if err := r.Arrivals.Retake(ctx, j, latest, n); err != nil {
		return err
	}
	return r.Arrivals.Retake(ctx, j, latest, n)
}

// faster is a table in which another search makes its job first.
type faster struct{ workflow.Arrivals }

func (f faster) Retake(ctx context.Context, j job.Job, latest job.ID, n job.NameClaim) error {
	other := j
	other.ID = job.NewID()
	if err := f.Arrivals.Retake(ctx, other, latest, n); err != nil {
		return err
	}
	return f.Arrivals.Retake(ctx, j, latest, n)
}

// announce sends the event of the file and works until nothing is left.
func (s *scene) announce() {
	o, _ := s.Visible("in/a.pdf")
	s.Send(workflowtest.Event(o))
	s.deliver()
}

func (s *scene) disable() {
	p := s.Profile("p")
	p.Enabled = false
	s.SetProfile(p)
}

func TestRescanIsCarriedOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		for i := range 20 {
			s.Drop(fmt.Sprintf("in/%02d.pdf", i), samplePDF(), time.Now())
		}
		s.w.Inputs = late{s.w.Inputs}
		report := s.rescanFor(t, 29*time.Second)
		if report.Complete || report.Folders[0].Scanned == 0 || report.Folders[0].Scanned == 20 {
			t.Fatalf("a search of 20 slow files in 9 seconds = %+v", report)
		}
		for range 5 {
			s.wake()
			time.Sleep(time.Minute)
		}
		if n := len(s.Jobs()); n != 20 {
			t.Errorf("recovery carried on to %d jobs, want 20", n)
		}
		if report := s.rescanFor(t, time.Hour); !report.Complete || report.Folders[0].AlreadyActive != 20 {
			t.Errorf("a second search = %+v, want nothing new", report)
		}
	})
}

// late is an input bucket that takes a second for each look.
type late struct{ workflow.Inputs }

func (l late) Current(ctx context.Context, key string) (job.Object, error) {
	time.Sleep(time.Second)
	return l.Inputs.Current(ctx, key)
}

// rescanFor is a search by an invocation that has the given time.
func (s *scene) rescanFor(t *testing.T, d time.Duration) job.RescanReport {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	report, err := s.w.Rescan(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestRescanOfAFolderThatIsNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.w.Folders = append(s.w.Folders, workflow.Folder{Name: "uploads", Prefix: job.UploadPrefix})
		for _, name := range []string{"nowhere", "uploads"} { // what came through the API is its clients' to send again
			if _, err := s.w.Rescan(t.Context(), name); !errors.Is(err, fault.FolderNotFound) {
				t.Errorf("Rescan(%s) = %v, want %v", name, err, fault.FolderNotFound)
			}
		}
	})
}

func TestANameIsGoodForOneDocument(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		first  func(t *testing.T, s *scene)
		second string
		code   fault.Code
	}{
		{"after a completed job", func(_ *testing.T, s *scene) { s.deliver() }, "in/a.pdf", fault.FileAlreadyProcessed},
		{"in another case", func(_ *testing.T, s *scene) { s.deliver() }, "in/A.PDF", fault.FileAlreadyProcessed},
		{"while the first waits", func(_ *testing.T, s *scene) { s.Pause(true); s.deliver(); s.Pause(false) }, "in/A.pdf", fault.FileAlreadyProcessed},
		{"after a failed job", func(_ *testing.T, s *scene) {
			s.Keys.Fail = fault.New(fault.KeyUnavailable, "off")
			s.deliver()
			s.Keys.Fail = nil
		}, "in/A.pdf", ""},
		{"after a deleted job", func(t *testing.T, s *scene) {
			s.deliver()
			if err := s.w.Delete(t.Context(), s.only(t).ID); err != nil {
				t.Fatal(err)
			}
		}, "in/b/a.pdf", ""},
		{"another name", func(_ *testing.T, s *scene) { s.deliver() }, "in/b.pdf", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t)
				s.w.RejectKnownNames = true
				s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
				tt.first(t, s)
				s.Send(workflowtest.Event(s.Drop(tt.second, samplePDF(), time.Now().Add(time.Second))))
				s.deliver()
				jobs := s.Jobs()
				if last := jobs[len(jobs)-1]; last.Code != tt.code || tt.code == "" && last.Status != job.Completed {
					t.Errorf("the second job ends %s %s: %s; want code %q", last.Status, last.Code, last.Error, tt.code)
				}
				if tt.code != "" {
					if _, there := s.Visible(tt.second); !there {
						t.Error("the second file is gone")
					}
				}
			})
		})
	}
}

func TestOfTwoFilesOneGetsTheName(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.w.RejectKnownNames = true
		s.w.Arrivals = betweenLookAndWrite{s.World, func() {
			s.w.Arrivals = s.World
			s.Send(workflowtest.Event(s.Drop("in/A.pdf", samplePDF(), time.Now())))
			s.deliver()
		}}
		s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
		s.deliver()
		codes := map[fault.Code]int{}
		for _, j := range s.Jobs() {
			codes[j.Code]++
		}
		if len(s.Jobs()) != 2 || codes[fault.FileAlreadyProcessed] != 1 {
			t.Errorf("the jobs end %v, want one to have the name", codes)
		}
	})
}

// betweenLookAndWrite lets something happen between the look for a name and the write that takes it.
type betweenLookAndWrite struct {
	*workflowtest.World
	between func()
}

func (i betweenLookAndWrite) TakeIn(ctx context.Context, j job.Job, n job.NameClaim) error {
	i.between()
	return i.World.TakeIn(ctx, j, n)
}

func TestClear(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		for i := range 250 {
			s.drop(fmt.Sprintf("%d.pdf", i), samplePDF())
		}
		time.Sleep(time.Second)
		events := len(s.signer.Documents)
		done, err := s.w.Clear(t.Context(), "api")
		if err != nil || !done.Complete || done.Deleted != 250 || len(s.Jobs()) != 0 {
			t.Fatalf("Clear = %+v, %v; %d jobs are left", done, err, len(s.Jobs()))
		}
		if n := count(s.Steps(), "cancel document"); n != 0 || len(s.signer.Documents) != events {
			t.Errorf("Signer was told %d times", n)
		}
		o, _ := s.Visible("in/7.pdf")
		s.Send(workflowtest.Event(o))
		s.deliver()
		time.Sleep(2 * time.Hour)
		s.wake()
		if n := len(s.Jobs()); n != 0 {
			t.Errorf("%d files were taken in again by themselves", n)
		}
	})
}

func TestClearLeavesWhatCameLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.drop("a.pdf", samplePDF())
		time.Sleep(time.Second)
		s.BreakNext("remove job", workflowtest.FailBefore)
		if _, err := s.w.Clear(t.Context(), "api"); err == nil {
			t.Error("a clear that failed says nothing")
		}
		s.drop("b.pdf", samplePDF())
		time.Sleep(time.Minute)
		s.wake()
		if jobs := s.Jobs(); len(jobs) != 1 || jobs[0].FileName != "b.pdf" {
			t.Errorf("recovery left %d jobs, want the later one", len(jobs))
		}
	})
}

func TestARunStopsAtADeletedJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.w.Inputs = troubled{Inputs: s.w.Inputs, fetch: func(ctx context.Context, o job.Object, w io.Writer) error {
			if err := s.w.Delete(ctx, s.only(t).ID); err != nil {
				t.Error(err)
			}
			return workflowtest.Inputs{World: s.World}.Fetch(ctx, o, w)
		}}
		s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
		s.deliver()
		if n := s.Keys.Count(); n != 0 || len(s.Jobs()) != 0 || len(s.OutputKeys()) != 0 {
			t.Errorf("the run went on: the key was asked %d times, %d jobs, outputs %v", n, len(s.Jobs()), s.OutputKeys())
		}
	})
}
