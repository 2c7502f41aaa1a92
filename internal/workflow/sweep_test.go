package workflow_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

// TestWhatASweepFinds holds what comes of a document in the folder, by what is read back.
func TestWhatASweepFinds(t *testing.T) {
	t.Parallel()
	const other = "75502846369"
	approves := turnOf(holder)
	approves.Type = "Approver"
	ruled := turnOf("")
	ruled.Type = "SignRule"
	done := turnOf(holder)
	done.Status = job.ActionCompleted
	tests := []struct {
		name    string
		actions []job.FlowAction
		change  func(*job.SignerDocument)
		queued  int
		code    fault.Code // of a job born Failed
	}{
		{"the holder's turn", []job.FlowAction{turnOf(holder)}, nil, 1, ""},
		{"the holder's turn beside another's", []job.FlowAction{turnOf(other), turnOf(holder)}, nil, 1, ""},
		{"two turns of the holder", []job.FlowAction{turnOf(holder), turnOf(holder)}, nil, 2, ""},
		{"the holder signs later", []job.FlowAction{turnOf(other), later(holder)}, nil, 0, ""},
		{"the holder has signed", []job.FlowAction{done, turnOf(other)}, nil, 0, ""},
		{"nothing for the holder", []job.FlowAction{turnOf(other)}, nil, 0, fault.SignerFolderNoHolderAction},
		{"the holder only approves", []job.FlowAction{approves}, nil, 0, fault.SignerFolderNoHolderAction},
		{"the holder may be one of a rule", []job.FlowAction{ruled}, nil, 0, fault.SignerFolderNoHolderAction},
		{"no flow at all", nil, nil, 0, fault.SignerFolderNoHolderAction},
		{"a CPF without its zeros", []job.FlowAction{turnOf(strings.TrimLeft("0"+holder, "0")), turnOf("0" + holder)}, nil, 1, ""},
		{"moved since it was listed", []job.FlowAction{turnOf(holder)}, func(d *job.SignerDocument) { d.FolderID = "elsewhere" }, 0, ""},
		{"canceled since it was listed", []job.FlowAction{turnOf(holder)}, func(d *job.SignerDocument) { d.Status = job.SignerCanceled }, 0, ""},
		{"in a status that is not known", []job.FlowAction{turnOf(holder)}, func(d *job.SignerDocument) { d.Status = "Paused" }, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFolderScene(t)
				d := s.signer.AddWaiting(s.folder, "contrato.pdf", tt.actions...)
				if tt.change != nil {
					s.w.Signer = changed{s.signer, tt.change}
				}
				for range 3 {
					s.swept(t)
				}
				queued := 0
				for _, j := range s.Jobs() {
					checkFound(t, s, d, j)
					if j.Status == job.Queued {
						queued++
					} else if j.Status != job.Failed || j.Code != tt.code || j.Retriable() == nil {
						t.Errorf("a job is born %s %q, want Failed %q and not retriable", j.Status, j.Code, tt.code)
					}
				}
				if failed := len(s.Jobs()) - queued; queued != tt.queued || failed > 1 || (failed == 1) != (tt.code != "") {
					t.Errorf("%d jobs wait and %d are born Failed, want %d, and one of %q", queued, failed, tt.queued, tt.code)
				}
				if rung := len(s.Messages); rung != tt.queued {
					t.Errorf("rung %d times, want %d", rung, tt.queued)
				}
				if n := s.meter.Counted(job.MetricFolderEnqueued, job.LabelProfile, "p"); n != int64(tt.queued) {
					t.Errorf("%d were counted, want %d", n, tt.queued)
				}
			})
		})
	}
}

// changed is a Signer whose documents are not what their list says.
type changed struct {
	*workflowtest.Signer
	change func(*job.SignerDocument)
}

func (c changed) Document(ctx context.Context, id string) (job.SignerDocument, error) {
	d, err := c.Signer.Document(ctx, id)
	c.change(&d)
	return d, err
}

func checkFound(t *testing.T, s *folderScene, d *workflowtest.Document, j job.Job) {
	t.Helper()
	want := job.Remote{DocumentID: d.ID, ActionID: j.Remote.ActionID, FolderID: s.folder, DocumentName: "contrato.pdf", MIMEType: "application/pdf"}
	if j.Profile != "p" || j.Method != profile.SignerFolder || j.Format != profile.Pades || j.Source != job.FromSigner || j.Remote != want || want.ActionID == "" {
		t.Errorf("found %+v of profile %s in format %s", j.Remote, j.Profile, j.Format)
	}
	event := job.EventSignerDocumentEnqueued
	if j.Status == job.Failed {
		event = job.EventSignerDocumentWithoutHolderAction
	}
	if !slices.Contains(s.table.Events(), event) {
		t.Errorf("the events are %v, want %s among them", s.table.Events(), event)
	}
}

func TestFormatsAtSigner(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mime, file string
		force      bool
		want       profile.Format
	}{
		{"application/pdf", "a", false, profile.Pades},
		{"application/pdf", "a.pdf", true, profile.Cades},
		{"application/xml", "a", false, profile.Xades},
		{"text/xml", "a", false, profile.Xades},
		{"text/xml", "a", true, profile.Cades},
		{"text/plain", "a.pdf", false, profile.Cades},
		{"", "a.pdf", false, profile.Pades},
		{"", "a.docx", false, profile.Cades},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s %s %t", tt.mime, tt.file, tt.force), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFolderScene(t)
				s.signer.Change(s.wait().ID, func(d *job.SignerDocument) {
					d.Name, d.FileName, d.MIMEType, d.ForceCades = "", strings.Repeat("ç", 300)+tt.file, tt.mime, tt.force
				})
				s.swept(t)
				j := s.only(t)
				if j.Format != tt.want || len(j.Remote.DocumentName) > 512 || !strings.HasPrefix(j.Remote.DocumentName, "ç") {
					t.Errorf("format %s and a name of %d bytes, want %s and a bounded one", j.Format, len(j.Remote.DocumentName), tt.want)
				}
			})
		})
	}
}

// TestAPairIsFinal lets everything happen to a job that a sweep could mistake for a reason to make another.
func TestAPairIsFinal(t *testing.T) {
	t.Parallel()
	tests := map[string]func(s *folderScene, j job.Job){
		"waiting": func(*folderScene, job.Job) {},
		"failed": func(s *folderScene, j job.Job) {
			s.Keys.Deny = fault.New(fault.JobKeyRefused, "no")
			s.deliver()
		},
		"canceled": func(s *folderScene, j job.Job) { _, err := s.w.Cancel(context.Background(), j.ID, ""); must(err) },
		"deleted":  func(s *folderScene, j job.Job) { s.table.Forget(j.ID) },
	}
	for name, arrange := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFolderScene(t)
				s.wait()
				s.swept(t)
				arrange(s, s.only(t))
				jobs, before := len(s.Jobs()), len(s.Steps())
				s.swept(t)
				if len(s.Jobs()) != jobs {
					t.Errorf("there are %d jobs, want %d", len(s.Jobs()), jobs)
				}
				want := []string{"read pass", "lease pass", "list profiles", "open key", stepList, stepRead, "look for the pair", "save pass", "save pass"}
				if got := s.Steps()[before:]; !slices.Equal(got, want) {
					t.Errorf("the pass calls %q, want %q", got, want)
				}
			})
		})
	}
}

// TestTheTurnComes is a document whose earlier participant has not signed yet, and one that a holder is added to.
func TestTheTurnComes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFolderScene(t)
		const added = "0194f3c2-5b1e-7c40-9d3a-6f2b8e1a4c57"
		d := s.signer.AddWaiting(s.folder, "a.pdf", turnOf("75502846369"), later(holder))
		e := s.signer.AddWaiting(s.folder, "b.pdf", turnOf("75502846369"))
		s.swept(t)
		if j := s.only(t); j.Code != fault.SignerFolderNoHolderAction {
			t.Fatalf("the job is %s %s", j.Status, j.Code)
		}
		s.signer.Act(d.ID, d.Actions[0].ID, job.ActionCompleted)
		s.signer.Change(e.ID, func(d *job.SignerDocument) {
			a := turnOf(holder)
			a.ID = added
			d.Actions = append(d.Actions, a)
		})
		s.swept(t)
		s.deliver()
		if d.Accepted[d.Actions[1].ID] != 1 || e.Accepted[added] != 1 || len(s.Jobs()) != 3 {
			t.Errorf("%d jobs and signatures %v, %v; want 3 and one each", len(s.Jobs()), d.Accepted, e.Accepted)
		}
	})
}

// TestWhichFoldersAreSwept holds who is left out, and that a pause is no reason.
func TestWhichFoldersAreSwept(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		arrange func(*folderScene)
		jobs    int
	}{
		{"an enabled profile", func(*folderScene) {}, 1},
		{"a disabled profile", func(s *folderScene) { p := s.Profile("p"); p.Enabled = false; s.SetProfile(p) }, 0},
		{"a profile of another method", func(s *folderScene) {
			p := s.Profile("p")
			p.Method = profile.Local
			s.SetProfile(p)
		}, 0},
		{"while paused", func(s *folderScene) { s.Pause(true) }, 1},
		{"a folder below", func(s *folderScene) { s.bind("p", s.signer.AddFolder("above")) }, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFolderScene(t)
				s.wait()
				tt.arrange(s)
				s.swept(t)
				s.deliver()
				if len(s.Jobs()) != tt.jobs {
					t.Errorf("%d jobs, want %d", len(s.Jobs()), tt.jobs)
				}
				if paused := tt.name == "while paused"; paused && s.only(t).Status != job.Queued {
					t.Errorf("the job is %s, want it to wait for the resume", s.only(t).Status)
				}
			})
		})
	}
}
