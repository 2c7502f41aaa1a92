package workflow_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

func TestWhatMakesNoJob(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, key, content string }{
		{"a folder marker", "in/2026/", ""},
		{"a folder marker with content", "in/2026/", "x"},
		{"an empty object", "in/a.pdf", ""},
		{"an ignored extension", "in/a.pdf.tmp", "x"},
		{"a key outside of all folders", "out/a.pdf", "x"},
		{"an upload that nobody announced", "uploads/x/a.pdf", "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t)
				if died, err := s.work(workflowtest.Event(s.Drop(tt.key, []byte(tt.content), time.Now()))); died || err != nil {
					t.Fatalf("the message comes again: %v", err)
				}
				if n := len(s.Jobs()); n != 0 {
					t.Errorf("there are %d jobs, want none", n)
				}
			})
		})
	}
}

func TestAnUnversionedObjectIsNeverLost(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "null"} {
		synctest.Test(t, func(t *testing.T) {
			s := newScene(t)
			o := s.Drop("in/a.pdf", samplePDF(), time.Now())
			o.VersionID = version
			if _, err := s.work(workflowtest.Event(o)); !errors.Is(err, fault.StorageUnfit) {
				t.Errorf("version %q: the message ends with %v, want %v so that it reaches the dead letters", version, err, fault.StorageUnfit)
			}
		})
	}
}

func TestAVersionHasOneJobForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		event := workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now()))
		for range 10 {
			s.Send(event)
		}
		s.deliver()
		time.Sleep(24 * time.Hour)
		s.Send(event)
		s.deliver()
		if j := s.only(t); j.Status != job.Completed || s.Keys.Count() != 1 {
			t.Errorf("the job is %s and the key was asked %d times, want Completed and 1", j.Status, s.Keys.Count())
		}
	})
}

func TestEachVersionIsItsOwnJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		first := s.Drop("in/a.pdf", samplePDF(), time.Now())
		second := s.Drop("in/a.pdf", append(samplePDF(), "% two\n"...), time.Now())
		s.Send(workflowtest.Event(second)) // out of order
		s.Send(workflowtest.Event(first))
		s.deliver()
		jobs := s.Jobs()
		if len(jobs) != 2 {
			t.Fatalf("there are %d jobs, want 2", len(jobs))
		}
		content, owner := s.Output("p/a.signed.pdf")
		if jobs[0].Status != job.Completed || owner != jobs[0].ID || !strings.Contains(string(content), "% two\n") {
			t.Errorf("the second version ends %s; the output is of %s", jobs[0].Status, owner)
		}
		if got := jobs[1]; got.Status != job.Failed || got.Code != fault.JobInputMissing && got.Code != fault.JobOutputExists {
			t.Errorf("the first version, hidden and its name taken, ends %s %s", got.Status, got.Code)
		}
		if s.Keys.Count() != 1 {
			t.Errorf("the key was asked %d times, want 1", s.Keys.Count())
		}
	})
}

func TestTheVersionOfTheEventIsSigned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		first := s.Drop("in/a.pdf", append(samplePDF(), "% one\n"...), time.Now())
		second := s.Drop("in/a.pdf", append(samplePDF(), "% two\n"...), time.Now())
		s.Send(workflowtest.Event(first))
		s.deliver()
		j := s.only(t)
		content, _ := s.Output("p/a.signed.pdf")
		if j.Status != job.Completed || j.Code != fault.JobInputDiverged || !strings.Contains(string(content), "% one\n") {
			t.Errorf("the job ends %s %q, want Completed %q with the first version signed", j.Status, j.Code, fault.JobInputDiverged)
		}
		if o, ok := s.Visible("in/a.pdf"); !ok || o.VersionID != second.VersionID {
			t.Error("the second version is gone")
		}
	})
}

func TestAnUploadGetsItsReservedJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		id := job.NewID()
		key := job.UploadPrefix + string(id) + "/contrato.pdf"
		s.Reserve(job.Reservation{Key: key, Job: id, Profile: "p", FileName: "contrato.pdf"})
		event := workflowtest.Event(s.Drop(key, samplePDF(), time.Now()))
		s.Send(event)
		s.Send(event)
		s.deliver()
		j := s.only(t)
		if j.ID != id || j.Status != job.Completed || j.Source != job.Upload || j.FileName != "contrato.pdf" {
			t.Errorf("got job %s %s from %s for %q", j.ID, j.Status, j.Source, j.FileName)
		}
		if want := []string{"uploads/" + string(id) + "/contrato.signed.pdf"}; fmt.Sprint(s.OutputKeys()) != fmt.Sprint(want) {
			t.Errorf("outputs are %v, want %v", s.OutputKeys(), want)
		}
	})
}

func TestAnUploadIsBounded(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]fault.Code{string(samplePDF()): fault.UploadTooLarge, "": fault.UploadEmpty} {
		synctest.Test(t, func(t *testing.T) {
			s := newScene(t)
			s.w.MaxUpload = int64(len(samplePDF())) - 1
			id := job.NewID()
			key := job.UploadPrefix + string(id) + "/a.pdf"
			s.Reserve(job.Reservation{Key: key, Job: id, Profile: "p", FileName: "a.pdf"})
			s.Send(workflowtest.Event(s.Drop(key, []byte(content), time.Now())))
			s.deliver()
			if j := s.only(t); j.Status != job.Failed || j.Code != want || s.Keys.Count() != 0 {
				t.Errorf("the job ends %s %s, want Failed %s and no key asked", j.Status, j.Code, want)
			}
		})
	}
}

func TestAFileWaitsForItsDisabledProfile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		p := s.Profile("p")
		p.Enabled = false
		s.SetProfile(p)
		s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
		s.deliver()
		if n := len(s.Jobs()); n != 0 {
			t.Fatalf("there are %d jobs, want none", n)
		}
		p.Enabled = true
		s.SetProfile(p)
		s.quiesce(3 * time.Hour)
		if j := s.only(t); j.Status != job.Completed {
			t.Errorf("the job ends %s %s, want Completed", j.Status, j.Code)
		}
	})
}

// A profile with a method of a newer release gets its jobs here too, and they wait for a run of that release.
func TestAFileOfANewerMethodWaitsQueued(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		p := s.Profile("p")
		p.Method = "Newer"
		s.SetProfile(p)
		s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
		s.deliver()
		if j := s.only(t); j.Status != job.Queued || j.Version != 1 {
			t.Errorf("the job is %s at version %d, want Queued as it was made", j.Status, j.Version)
		}
	})
}

func TestPauseStopsClaimsAndNothingElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.Pause(true)
		s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
		s.quiesce(8 * time.Hour)
		if j := s.only(t); j.Status != job.Queued {
			t.Fatalf("the job is %s, want Queued", j.Status)
		}
		s.Pause(false)
		s.quiesce(2 * time.Minute)
		if j := s.only(t); j.Status != job.Completed {
			t.Errorf("two minutes after the resume the job is %s, want Completed", j.Status)
		}
	})
}

func TestAMissingProfileFailsTheJobByName(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		id := job.NewID()
		key := job.UploadPrefix + string(id) + "/a.pdf"
		s.Reserve(job.Reservation{Key: key, Job: id, Profile: "gone", Format: profile.Pades, FileName: "a.pdf"})
		s.Send(workflowtest.Event(s.Drop(key, samplePDF(), time.Now())))
		s.deliver()
		if j := s.only(t); j.Status != job.Failed || j.Code != fault.ProfileNotFound || s.Keys.Count() != 0 {
			t.Errorf("the job ends %s %s, want Failed %s and no key asked", j.Status, j.Code, fault.ProfileNotFound)
		}
	})
}
