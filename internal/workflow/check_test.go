package workflow_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

// check is one message of the checks queue.
func (s *folderScene) check(c job.Check) (died bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 75*time.Second)
	defer cancel()
	return s.Invoke(func() error { return s.w.Check(ctx, c.Message()) })
}

// bell is the check that a notification about a document makes.
func (s *folderScene) bell(d *workflowtest.Document) job.Check {
	return job.Check{DocumentID: d.ID, FolderID: s.folder, At: time.Now()}
}

func TestChecks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		arrange func(s *folderScene, d *workflowtest.Document, c *job.Check)
		jobs    int
		again   fault.Code // with which the message comes again
		asked   int        // read-backs
	}{
		{"a document that waits", func(*folderScene, *workflowtest.Document, *job.Check) {}, 1, "", 1},
		{"a folder that is made up", func(s *folderScene, _ *workflowtest.Document, c *job.Check) { c.FolderID = s.signer.AddFolder("x") }, 1, "", 1},
		{"a document that is elsewhere", func(s *folderScene, d *workflowtest.Document, _ *job.Check) { d.FolderID = s.signer.AddFolder("x") }, 0, "", 1},
		{"a document that is nowhere", func(_ *folderScene, d *workflowtest.Document, _ *job.Check) { d.FolderID = "" }, 0, "", 1},
		{"a document that does not exist", func(s *folderScene, d *workflowtest.Document, _ *job.Check) { delete(s.signer.Documents, d.ID) }, 0, "", 1},
		{"a document that is over", func(_ *folderScene, d *workflowtest.Document, _ *job.Check) { d.Status = job.SignerCanceled }, 0, "", 1},
		{"a disabled profile", func(s *folderScene, _ *workflowtest.Document, _ *job.Check) {
			p := s.Profile("p")
			p.Enabled = false
			s.SetProfile(p)
		}, 0, "", 1},
		{"a profile without a CPF", func(s *folderScene, _ *workflowtest.Document, _ *job.Check) {
			s.Keys.Key = profile.Key{Certificate: nobody()}
		}, 0, "", 1},
		{"a profile whose folder is gone", func(s *folderScene, _ *workflowtest.Document, _ *job.Check) {
			p := s.Profile("p")
			p.Degraded = profile.Degradation{Code: string(fault.SignerFolderGone), FolderID: s.folder}
			s.SetProfile(p)
		}, 0, "", 1},
		{"while paused", func(s *folderScene, _ *workflowtest.Document, _ *job.Check) { s.Pause(true) }, 1, "", 1},
		{"an old one", func(_ *folderScene, _ *workflowtest.Document, c *job.Check) { time.Sleep(5*time.Minute + time.Second) }, 0, "", 0},
		{"without settings", func(s *folderScene, _ *workflowtest.Document, _ *job.Check) { s.w.Signer = nil }, 0, "", 0},
		{"Signer is silent", reading(job.SignerError{Transient: true}), 0, fault.SignerUnreachable, 1},
		{"Signer does not know us", reading(job.SignerError{Status: 401}), 0, fault.SignerUnreachable, 1},
		{"our own rate has no room", func(s *folderScene, _ *workflowtest.Document, _ *job.Check) { s.w.Signer = &rationed{Signer: s.signer} }, 0, fault.Throttled, 0},
		{"Signer refuses", reading(coded("Whatever")), 0, "", 1},
		{"the certificate cannot be read now", func(s *folderScene, _ *workflowtest.Document, _ *job.Check) { s.Keys.Fail = workflowtest.ErrBroken }, 0, fault.Internal, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFolderScene(t)
				d := s.wait()
				c := s.bell(d)
				tt.arrange(s, d, &c)
				for range 2 { // messages come twice
					if _, err := s.check(c); fault.CodeOf(err) != tt.again {
						t.Errorf("the check ends %v, want %q", err, tt.again)
					}
				}
				if len(s.Jobs()) != tt.jobs || len(s.Messages) != tt.jobs {
					t.Errorf("%d jobs and %d doorbells, want %d", len(s.Jobs()), len(s.Messages), tt.jobs)
				}
				if n := s.CountSteps(stepRead); n != 2*tt.asked {
					t.Errorf("read back %d times, want %d", n, 2*tt.asked)
				}
				if !slices.Equal(s.table.Unrung, []string{d.ID, d.ID}) || s.Steps()[0] != "unring" {
					t.Errorf("unrung %v, want the document first of all", s.table.Unrung)
				}
			})
		})
	}
}

func reading(e job.SignerError) func(*folderScene, *workflowtest.Document, *job.Check) {
	return func(s *folderScene, _ *workflowtest.Document, _ *job.Check) { s.refuse(stepRead, e) }
}

func TestAMessageThatIsNoCheck(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFolderScene(t)
		if err := s.w.Check(t.Context(), `{"job":"x"}`); fault.CodeOf(err) != fault.MessageMalformed || len(s.Steps()) > 0 {
			t.Errorf("ends %v after %v", err, s.Steps())
		}
	})
}

// TestTheWholeWay is a notification, or none, and the signature that follows.
func TestTheWholeWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFolderScene(t)
		d, e := s.wait(), s.wait()
		if _, err := s.check(s.bell(d)); err != nil {
			t.Fatal(err)
		}
		s.swept(t)
		s.deliver()
		for _, d := range []*workflowtest.Document{d, e} {
			if d.Status != job.SignerFlowConcluded || d.Accepted[d.Actions[0].ID] != 1 {
				t.Errorf("a document is %s with %v", d.Status, d.Accepted)
			}
		}
		want := []string{job.EventSignerDocumentEnqueued, job.EventSignerDocumentEnqueued, job.EventJobSignedAtSigner, job.EventJobSignedAtSigner}
		if got := s.table.Events(); !slices.Equal(got, want) {
			t.Errorf("events %v, want %v", got, want)
		}
	})
}

// TestChecksOfDispatchedDocuments rings for a concluded document that was sent from here, and does nothing while paused or
// about a document that is not ours.
func TestChecksOfDispatchedDocuments(t *testing.T) {
	t.Parallel()
	for _, paused := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := newRemoteScene(t)
			s := &folderScene{scene: r.scene, signer: r.signer, table: workflowtest.NewDiscoveries(r.World)}
			s.w.Discoveries = s.table
			r.drop("a.pdf", samplePDF())
			d := r.document(t)
			r.signer.Conclude(d.ID, personally(t, d.Content))
			s.Pause(paused)
			for _, id := range []string{d.ID, "0194f3c2-5b1e-7c40-9d3a-6f2b8e1a4c57"} {
				if _, err := s.check(job.Check{DocumentID: id, At: time.Now()}); err != nil {
					t.Error(err)
				}
			}
			s.deliver()
			if done := s.only(t).Status == job.Completed; done == paused {
				t.Errorf("paused %t: the job is %s", paused, s.only(t).Status)
			}
		})
	}
}
