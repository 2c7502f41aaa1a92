package workflow_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

var errThrottled = fault.New(fault.Throttled, "slower")

// TestWhatIsGivenBack holds what ends a claim and no job: nothing was signed, and another run will.
func TestWhatIsGivenBack(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		arrange func(s *folderScene)
		mend    func(s *folderScene)
		within  time.Duration
		asked   int
	}{
		{"Signer's rate has no room", func(s *folderScene) { s.signer.Throttled = errThrottled }, func(s *folderScene) { s.signer.Throttled = nil }, timeout, 0},
		{"the key's rate has no room", func(s *folderScene) { s.w.Keys = unready{s.Keys} }, func(s *folderScene) { s.w.Keys = s.Keys }, timeout, 0},
		{"the key is throttled", func(s *folderScene) { s.Keys.Deny = errThrottled }, func(s *folderScene) { s.Keys.Deny = nil }, timeout, 1},
		{"the key cannot be opened now", func(s *folderScene) { s.Keys.Fail = errors.New("no answer") }, func(s *folderScene) { s.Keys.Fail = nil }, timeout, 0},
		{"the time is up in a call", func(s *folderScene) { s.w.Signer = slowly{Signer: s.signer, read: time.Hour} }, func(s *folderScene) { s.w.Signer = s.signer }, timeout, 0},
		{"the time is short after the start", func(s *folderScene) { s.w.Signer = slowly{Signer: s.signer, read: 20 * time.Second} },
			func(s *folderScene) { s.w.Signer = s.signer }, 52 * time.Second, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFolderScene(t)
				s.wait()
				s.swept(t)
				tt.arrange(s)
				m, _ := s.Receive()
				if err := s.workFor(tt.within, m); err == nil {
					t.Error("the message does not come again")
				}
				j := s.only(t)
				if j.Status != job.Queued || j.Deaths != 0 || !j.Marked.IsZero() || s.Keys.Count() != tt.asked {
					t.Fatalf("the job is %s after %d deaths, the key asked %d times: %s", j.Status, j.Deaths, s.Keys.Count(), j.Last().Message)
				}
				if n := s.meter.Counted(job.MetricFolderSignatures, job.LabelOutcome, job.OutcomeFailed); n != 0 {
					t.Error("a claim that was given back is counted")
				}
				tt.mend(s)
				s.Send(m)
				s.deliver()
				if j := s.only(t); j.Status != job.Completed || s.Keys.Count() != tt.asked+1 {
					t.Errorf("ends %s with the key asked %d times", j.Status, s.Keys.Count())
				}
			})
		})
	}
}

// unready are keys whose rate has no room.
type unready struct{ *workflowtest.Keys }

func (u unready) Open(ctx context.Context, p profile.Profile) (profile.Key, error) {
	key, err := u.Keys.Open(ctx, p)
	key.Ready = func(context.Context) error { return errThrottled }
	return key, err
}

// TestWhoseActionIsAskedFor holds what identifies the action: its id goes along only where there is a choice.
func TestWhoseActionIsAskedFor(t *testing.T) {
	t.Parallel()
	approves := turnOf(holder)
	approves.Type = "Approver"
	tests := []struct {
		name   string
		beside []job.FlowAction
		id     bool
	}{
		{"alone", nil, false},
		{"beside another person", []job.FlowAction{turnOf("75502846369")}, false},
		{"beside a later one", []job.FlowAction{later(holder)}, false},
		{"beside another signature", []job.FlowAction{turnOf(holder)}, true},
		{"beside an approval", []job.FlowAction{approves}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFolderScene(t)
				d := s.signer.AddWaiting(s.folder, "a.pdf", append([]job.FlowAction{turnOf(holder)}, tt.beside...)...)
				b := s.bend(bent{})
				s.swept(t)
				m, _ := s.Receive()
				must(s.workFor(timeout, m))
				j := s.Jobs()[0]
				want := job.ActionQuery{DocumentID: d.ID, Identifier: holder, Email: "ana@example.invalid"}
				if tt.id {
					want.ActionID = j.Remote.ActionID
				}
				if b.query != want || j.Status != job.Completed || d.Accepted[j.Remote.ActionID] != 1 {
					t.Errorf("asked %+v, want %+v; the job ends %s", b.query, want, j.Status)
				}
			})
		})
	}
}

// TestLostEventsChangeNothing breaks the journal for good.
func TestLostEventsChangeNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFolderScene(t)
		s.w.Journal = mute{}
		s.wait()
		s.swept(t)
		s.deliver()
		if j := s.only(t); j.Status != job.Completed {
			t.Errorf("ends %s", j.Status)
		}
	})
}

type mute struct{}

func (mute) Write(context.Context, job.Event) error { return errors.New("no table") }

// row finds a row of the readiness report.
func (s *folderScene) row(t *testing.T, name string) job.Ready {
	t.Helper()
	for _, r := range s.w.Readiness(t.Context()) {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("there is no row %s", name)
	return job.Ready{}
}

// TestAFailingSweepTurnsRed lets passes fail at each stage: red after three in a row, green after one that is good. What
// Signer wrote is never shown.
func TestAFailingSweepTurnsRed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		stage string
		fail  func(s *folderScene)
		mend  func(s *folderScene)
		kind  string
	}{
		{job.OpList, answeringAll(stepList, job.SignerError{Status: 401, Cause: errors.New("KEY-OF-A-DOCUMENT")}), nil, "(401)"},
		{job.OpFolder, func(s *folderScene) {
			for id := range s.signer.Documents {
				delete(s.signer.Documents, id)
			}
			s.refuse(stepFolder, job.SignerError{Status: 503, Transient: true})
		}, nil, "(503)"},
		{job.OpRead, answeringAll(stepRead, coded("SomethingElse")), nil, "SomethingElse (422)"},
		{job.OpEnqueue, func(s *folderScene) { s.wait(); s.w.Discoveries = undiscovering{s.table} }, func(s *folderScene) { s.w.Discoveries = s.table }, "internal"},
		{job.OpPass, func(s *folderScene) { s.w.Profiles = unlisted{workflowtest.Profiles{World: s.World}} },
			func(s *folderScene) { s.w.Profiles = workflowtest.Profiles{World: s.World} }, "internal"},
	}
	for _, tt := range tests {
		t.Run(tt.stage, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFolderScene(t)
				s.wait()
				s.swept(t)
				tt.fail(s)
				since := ""
				for pass := 1; pass <= 4; pass++ {
					time.Sleep(remote.SweepEvery)
					if pass == 1 {
						since = time.Now().UTC().Format(time.RFC3339)
					}
					s.sweep()
					r := s.row(t, "signer-folder-sweep")
					if r.OK != (pass < 3) || r.Gates {
						t.Errorf("after %d passes the row is %+v", pass, r)
					}
					if !strings.Contains(r.Detail, since) || !strings.Contains(r.Detail, `"`+tt.stage+`"`) || !strings.Contains(r.Detail, tt.kind) || strings.Contains(r.Detail, "KEY-OF") {
						t.Errorf("the detail is %q, want since when, the stage and %s", r.Detail, tt.kind)
					}
				}
				if n := s.meter.Counted(job.MetricSweepErrors, job.LabelOp, tt.stage); n != 4 {
					t.Errorf("%d failures were counted, want 4", n)
				}
				clear(s.signer.Refuse)
				if tt.mend != nil {
					tt.mend(s)
				}
				s.swept(t)
				if r := s.row(t, "signer-folder-sweep"); !r.OK || r.Detail != "The last pass met no failure." {
					t.Errorf("after a good pass the row is %+v", r)
				}
			})
		})
	}
}

func answeringAll(step string, e job.SignerError) func(*folderScene) {
	return func(s *folderScene) { s.refuse(step, e) }
}

// undiscovering is a table that discovers nothing.
type undiscovering struct{ *workflowtest.Discoveries }

func (undiscovering) Discover(context.Context, job.Job) error { return errors.New("no table") }

// unlisted are profiles that cannot be listed by a sweep.
type unlisted struct{ workflowtest.Profiles }

func (unlisted) List(context.Context) ([]profile.Profile, error) { return nil, errors.New("no table") }

func TestRowsOfAQuietService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFolderScene(t)
		if r := s.row(t, "signer-folder-sweep"); !r.OK || r.Detail != "No pass has ended yet." {
			t.Errorf("the row is %+v", r)
		}
		if r := s.row(t, "signer-notifications"); !r.OK || r.Gates || r.Detail != "No notification has arrived yet." {
			t.Errorf("the row is %+v", r)
		}
		s.table.Last = time.Now()
		if r := s.row(t, "signer-notifications"); !r.OK || !strings.Contains(r.Detail, time.Now().UTC().Format(time.RFC3339)) {
			t.Errorf("the row is %+v", r)
		}
		s.BreakNext("read the last bell", workflowtest.FailBefore)
		if r := s.row(t, "signer-notifications"); r.OK {
			t.Error("a row that cannot be asked is green")
		}
	})
}

// TestAStateHoldsNoCPF looks into what a pass keeps.
func TestAStateHoldsNoCPF(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFolderScene(t)
		s.w.Remote.SkipUnchanged = true
		s.wait()
		s.swept(t)
		pass, err := s.Pass(t.Context(), "sweep")
		must(err)
		if !json.Valid([]byte(pass.State)) || strings.Contains(pass.State, holder) || len(pass.State) > 1024 {
			t.Errorf("the pass keeps %s", pass.State)
		}
	})
}
