package simulation

import (
	"bytes"
	"context"
	"time"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// Scenario is what a simulation begins with, and who can act in it.
type Scenario struct {
	Name string

	profile   profile.Profile
	content   []byte // of the files
	files     int    // versions of one file that come
	beside    string // where the original is published, if the output does not contain it
	inMemory  int64
	schedules []string
	requests  []request
	deeds     []deed
	waiting   func(s *simulation) // puts documents into a folder
	sent      bool                // nothing departs from the usual until the document is at Lacuna Signer: another scenario has that
}

// arrange makes the profile, and has files and documents come.
func (sc Scenario) arrange(s *simulation) {
	s.world.SetProfile(sc.profile)
	s.acted["files"] = sc.files
	for range sc.files {
		o := s.world.Drop("in/a.pdf", sc.content, time.Now())
		s.files = append(s.files, o)
		s.world.Send(workflowtest.Event(o))
	}
	if sc.waiting != nil {
		sc.waiting(s)
	}
}

// dropped are the object versions that have come.
func (sc Scenario) dropped(s *simulation) []job.Object { return s.files }

// begun reports whether there is a job, or nothing that waits for one.
func (sc Scenario) begun(s *simulation) bool { return len(s.jobs) > 0 || !s.awaited() }

const roomy = 1 << 20 // more than any document here

// Scenarios are what is simulated, of a document, the key's certificate and its holder.
func Scenarios(m *Material, document []byte) []Scenario {
	all := append(localScenarios(document), personScenarios(m, document)...)
	return append(all, folderScenarios(m)...)
}

// localScenarios have the service sign with its own key: published in one request, with operators in between; by an upload
// in parts; as two outputs; two versions of one file side by side.
func localScenarios(document []byte) []Scenario {
	local := Scenario{content: document, files: 1, inMemory: roomy, schedules: []string{"recover"},
		profile: profile.Profile{Name: "p", Enabled: true, Method: profile.Local, Format: profile.Pades, Verify: true,
			Certificate: &profile.Certificate{Source: profile.Kms}, Signature: profile.Signature{Digest: profile.SHA256}}}
	put, upload, detached, twins := local, local, local, local
	put.Name, upload.Name, detached.Name, twins.Name = "put", "upload", "detached", "twins"
	put.requests, put.deeds = []request{cancel, pause, resume, retry, rescan, remove}, []deed{lift}
	upload.inMemory, upload.requests = 1, []request{retry}
	detached.inMemory, detached.beside = 1, "p/a.pdf"
	detached.profile.Format, detached.profile.Signature.Detached = profile.Cades, true
	twins.files = 2
	return []Scenario{put, upload, detached, twins}
}

// personScenarios have a person sign at Lacuna Signer, or refuse there, or see the document canceled; or what comes back is
// spoilt.
func personScenarios(m *Material, document []byte) []Scenario {
	base := Scenario{content: document, files: 1, inMemory: roomy, schedules: []string{"poll", "recover"}, requests: []request{cancel},
		profile: profile.Profile{Name: "p", Enabled: true, Method: profile.LacunaSigner, Format: profile.Pades, Verify: true,
			Signer: &profile.Participant{Name: "Jack Bauer", Email: "jack.bauer@example.com", Identifier: "75502846369"}}}
	signed, parts, rejected := base, base, base
	signed.Name, parts.Name, rejected.Name = "signed", "parts", "rejected"
	good := m.Person(document, false)
	signed.deeds = []deed{concludes("the person signs", true, good), concludes("what comes back is spoilt", false, spoilt(good))}
	parts.deeds = []deed{concludes("the person signs", true, m.Person(document, true))}
	parts.sent, rejected.sent = true, true
	parts.inMemory, parts.beside, parts.profile.Format = 1, "p/a.pdf", profile.Cades
	rejected.deeds = []deed{ends("the person refuses", true, job.SignerRefused), ends("the document is canceled there", false, job.SignerCanceled)}
	return []Scenario{signed, parts, rejected}
}

// spoilt is a signed document that is not what was signed.
func spoilt(document []byte) []byte {
	return bytes.Replace(document, []byte("/MediaBox[0"), []byte("/MediaBox[1"), 1)
}

// folderScenarios have the service sign what waits in a folder at Lacuna Signer, found by a sweep, or by a bell that can
// ring twice; with an operator who retries, and with a holder who may sign by hand.
func folderScenarios(m *Material) []Scenario {
	base := Scenario{inMemory: roomy, schedules: []string{"sweep", "recover"}, requests: []request{retry}, deeds: []deed{signsByHand},
		profile: profile.Profile{Name: "p", Enabled: true, Method: profile.SignerFolder, Certificate: &profile.Certificate{Source: profile.Kms}}}
	swept, checked := base, base
	swept.Name, checked.Name = "swept", "checked"
	swept.waiting = func(s *simulation) { s.wait(m.Holder) }
	checked.waiting = func(s *simulation) {
		s.wait(m.Holder)
		s.bell()
	}
	return []Scenario{swept, checked}
}

// wait puts a document into the profile's folder, and binds the profile to it.
func (s *simulation) wait(holder string) {
	folder := s.signer.AddFolder("contracts")
	p := s.scenario.profile
	p.SignerFolder = &profile.Binding{ID: folder}
	s.world.SetProfile(p)
	s.signer.AddWaiting(folder, "contrato.pdf", job.FlowAction{Type: job.ActionSigner, Status: job.ActionPending, Step: 1, Identifier: holder, Email: "ana@example.invalid"})
}

// bell has a notification tell of the document.
func (s *simulation) bell() {
	for id, d := range s.signer.Documents {
		s.checks.set(append(s.checks.messages(), job.Check{DocumentID: id, FolderID: d.FolderID, At: time.Now()}.Message()))
	}
}

// What operators ask for.
var (
	cancel = request{"cancel", 1, func(s *simulation) bool { return len(s.ids(cancelable)) > 0 }, func(s *simulation) use {
		id := s.ids(cancelable)[0]
		return func(ctx context.Context, w *workflow.Workflow) error { _, err := w.Cancel(ctx, id, ""); return err }
	}}
	pause = request{"pause", 1, func(s *simulation) bool { return !s.pausedNow() }, func(*simulation) use {
		return func(ctx context.Context, w *workflow.Workflow) error {
			_, err := w.Pause(ctx, "operator", "")
			return err
		}
	}}
	resume = request{"resume", 1, (*simulation).pausedNow, func(*simulation) use {
		return func(ctx context.Context, w *workflow.Workflow) error {
			_, err := w.Resume(ctx, "operator", "")
			return err
		}
	}}
	rescan = request{"search for files", 1, func(s *simulation) bool { return true }, func(*simulation) use {
		return func(ctx context.Context, w *workflow.Workflow) error { _, err := w.Rescan(ctx, "p"); return err }
	}}
	remove = request{"delete the record", 1, func(s *simulation) bool { return len(s.jobs) > 0 }, func(s *simulation) use {
		id := s.jobs[0].ID
		return func(ctx context.Context, w *workflow.Workflow) error { return w.Delete(ctx, id) }
	}}
	retry = request{"retry", 2, func(s *simulation) bool { return len(s.ids(retriable)) > 0 }, func(s *simulation) use {
		id := s.ids(retriable)[0]
		return func(ctx context.Context, w *workflow.Workflow) error { _, err := w.Retry(ctx, id); return err }
	}}
)

func cancelable(j job.Job) bool { return j.Status == job.Queued || j.Status == job.AwaitingSigner }
func retriable(j job.Job) bool  { return j.Retriable() == nil }

// lift is the operator who does not forget a pause.
var lift = deed{"the pause is lifted", true, (*simulation).pausedNow, func(s *simulation) {
	p, err := s.world.State(context.Background())
	if err != nil {
		return
	}
	p.Version, p.Paused = p.Version+1, false
	_ = s.world.Turn(context.Background(), p) // nobody else turns it in between
}}

// concludes is what a person's signature makes of the document.
func concludes(name string, usual bool, signed []byte) deed {
	return deed{name, usual, (*simulation).awaited, func(s *simulation) { s.signer.Conclude(s.first(), signed) }}
}

// ends is what becomes of a document that nobody signs.
func ends(name string, usual bool, status job.SignerStatus) deed {
	return deed{name, usual, (*simulation).awaited, func(s *simulation) { s.signer.SetStatus(s.first(), status, "") }}
}

// signsByHand is the holder who signs the waiting document there.
var signsByHand = deed{"the holder signs by hand", false, (*simulation).awaited, func(s *simulation) {
	d := s.signer.Documents[s.first()]
	s.signer.Act(d.ID, d.Actions[0].ID, job.ActionCompleted)
}}

// awaited reports whether a document waits at Lacuna Signer.
func (s *simulation) awaited() bool {
	return len(s.signer.Documents) > 0 && s.signer.Documents[s.first()].Status == job.SignerPending
}

// first is the oldest document at Lacuna Signer.
func (s *simulation) first() (first string) {
	for id := range s.signer.Documents {
		if first == "" || id < first {
			first = id
		}
	}
	return first
}
