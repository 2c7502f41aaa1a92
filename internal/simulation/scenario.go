package simulation

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

// Scenario is what a simulation begins with, and who can act in it.
type Scenario struct {
	Name string

	profile   profile.Profile
	content   []byte   // of the files
	keys      []string // of the files that come, in their order; a key that is there twice has two versions
	beside    string   // where the original is published, if the output does not contain it
	inMemory  int64
	oneName   bool // a name is good for one file
	schedules []string
	atOnce    int  // invocations that are alive at a time; 0 is two
	together  bool // the schedules of a tick begin side by side, not one after the other
	leaseless bool // every pass is granted, whoever else has it
	requests  []request
	deeds     []deed
	waiting   func(s *simulation) // puts documents into a folder
	sent      bool                // nothing departs from the usual until the document is at Lacuna Signer: another scenario has that
}

// mostAlive is how many invocations there are at a time.
func (sc Scenario) mostAlive() int { return cmp.Or(sc.atOnce, 2) }

// arrange makes the profile, and has files and documents come.
func (sc Scenario) arrange(s *simulation) {
	s.world.SetProfile(sc.profile)
	s.acted["files"] = len(sc.keys)
	for _, key := range sc.keys {
		o := s.world.Drop(key, sc.content, time.Now())
		s.files = append(s.files, o)
		s.world.Send(workflowtest.Event(o))
	}
	if sc.waiting != nil {
		sc.waiting(s)
	}
}

// dropped are the object versions that have come.
func (sc Scenario) dropped(s *simulation) []job.Object { return s.files }

// begun reports whether all that waits in a folder has had a job.
func (sc Scenario) begun(s *simulation) bool { return len(s.watch.unfound()) == 0 }

const roomy = 1 << 20 // more than any document here

// Scenarios are what is simulated, of a document, the key's certificate and its holder.
func Scenarios(m *Material, document []byte) []Scenario {
	return slices.Concat(localScenarios(document), recordScenarios(document), personScenarios(m, document), folderScenarios(m),
		[]Scenario{together(m, document)})
}

// local has the service sign a file with its own key.
func local(document []byte) Scenario {
	return Scenario{content: document, keys: []string{"in/a.pdf"}, inMemory: roomy, schedules: []string{"recover"},
		profile: profile.Profile{Name: "p", Enabled: true, Method: profile.Local, Format: profile.Pades, Verify: true,
			Certificate: &profile.Certificate{Source: profile.Kms}, Signature: profile.Signature{Digest: profile.SHA256}}}
}

// localScenarios publish in different ways: in one request, with operators in between; by an upload in parts; as two
// outputs; encrypted; two versions of one file side by side.
func localScenarios(document []byte) []Scenario {
	put, upload, detached, sealed, twins := local(document), local(document), local(document), local(document), local(document)
	put.Name, upload.Name, detached.Name, sealed.Name, twins.Name = "put", "upload", "detached", "sealed", "twins"
	put.requests, put.deeds = []request{cancel, pause, resume, retry, rescan, remove}, []deed{lift}
	upload.inMemory, upload.requests = 1, []request{retry}
	detached.inMemory, detached.beside = 1, "p/a.pdf"
	detached.profile.Format, detached.profile.Signature.Detached = profile.Cades, true
	sealed.inMemory, sealed.profile.Encrypt, sealed.requests = 1, true, []request{retry}
	twins.keys = []string{"in/a.pdf", "in/a.pdf"}
	return []Scenario{put, upload, detached, sealed, twins}
}

// recordScenarios are about what is remembered: by operators who delete records and search for files, and where a name is
// good for one file.
func recordScenarios(document []byte) []Scenario {
	records, names := local(document), local(document)
	records.Name, names.Name = "records", "names"
	records.requests = []request{cancel, retry, rescan, remove, wipe}
	names.keys, names.oneName, names.requests = []string{"in/a.pdf", "in/A.pdf"}, true, []request{cancel, rescan, remove}
	return []Scenario{records, names}
}

// person has somebody sign a file at Lacuna Signer.
func person(document []byte) Scenario {
	return Scenario{content: document, keys: []string{"in/a.pdf"}, inMemory: roomy, schedules: []string{"poll", "recover"}, requests: []request{cancel},
		profile: profile.Profile{Name: "p", Enabled: true, Method: profile.LacunaSigner, Format: profile.Pades, Verify: true,
			Signer: &profile.Participant{Name: "Jack Bauer", Email: "jack.bauer@example.com", Identifier: "75502846369"}}}
}

// personScenarios have a person sign at Lacuna Signer, or refuse there, or see the document canceled; or what comes back is
// spoilt; or nobody keeps the passes apart.
func personScenarios(m *Material, document []byte) []Scenario {
	signed, parts, rejected, leaseless := person(document), person(document), person(document), person(document)
	signed.Name, parts.Name, rejected.Name, leaseless.Name = "signed", "parts", "rejected", "leaseless"
	good := m.Person(document, false)
	signed.requests = []request{cancel, pause, resume}
	signed.deeds = []deed{concludes("the person signs", true, good), concludes("what comes back is spoilt", false, spoilt(good)), lift}
	parts.deeds = []deed{concludes("the person signs", true, m.Person(document, true))}
	parts.sent, rejected.sent, leaseless.sent = true, true, true
	parts.inMemory, parts.beside, parts.profile.Format = 1, "p/a.pdf", profile.Cades
	rejected.deeds = []deed{ends("the person refuses", true, job.SignerRefused), ends("the document is canceled there", false, job.SignerCanceled)}
	leaseless.deeds, leaseless.leaseless, leaseless.together, leaseless.atOnce = []deed{concludes("the person signs", true, good)}, true, true, 3
	return []Scenario{signed, parts, rejected, leaseless}
}

// spoilt is a signed document that is not what was signed.
func spoilt(document []byte) []byte {
	return bytes.Replace(document, []byte("/MediaBox[0"), []byte("/MediaBox[1"), 1)
}

// folder has the service sign what waits in a folder at Lacuna Signer.
func folder() Scenario {
	return Scenario{inMemory: roomy, schedules: []string{"sweep", "recover"}, requests: []request{retry}, deeds: []deed{signsByHand, lift},
		profile: profile.Profile{Name: "p", Enabled: true, Method: profile.SignerFolder, Certificate: &profile.Certificate{Source: profile.Kms}}}
}

// folderScenarios find the document by a sweep, or by a bell that can ring twice; with an operator who retries, and with a
// holder who may sign by hand.
func folderScenarios(m *Material) []Scenario {
	swept, checked := folder(), folder()
	swept.Name, checked.Name = "swept", "checked"
	swept.requests = []request{retry, pause, resume}
	swept.waiting = func(s *simulation) { s.wait(s.scenario.profile, m.Holder) }
	checked.waiting = func(s *simulation) {
		s.wait(s.scenario.profile, m.Holder)
		s.bell()
	}
	return []Scenario{swept, checked}
}

// together has a file for a person and a document in a folder, and all that schedules wake at work side by side.
func together(m *Material, document []byte) Scenario {
	all := person(document)
	all.Name, all.schedules, all.together, all.atOnce, all.sent = "together", []string{"poll", "sweep", "recover"}, true, 3, true
	all.deeds = []deed{concludes("the person signs", true, m.Person(document, false)), signsByHand}
	all.waiting = func(s *simulation) {
		p := folder().profile
		p.Name = "f"
		s.wait(p, m.Holder)
	}
	return all
}

// wait puts a document into a folder, and binds a profile to it.
func (s *simulation) wait(p profile.Profile, holder string) {
	id := s.signer.AddFolder("contracts")
	p.SignerFolder = &profile.Binding{ID: id}
	s.world.SetProfile(p)
	s.signer.AddWaiting(id, "contrato.pdf", job.FlowAction{Type: job.ActionSigner, Status: job.ActionPending, Step: 1, Identifier: holder, Email: "ana@example.invalid"})
}

// bell has a notification tell of the document.
func (s *simulation) bell() {
	for id, d := range s.signer.Documents {
		s.checks.set(append(s.checks.messages(), job.Check{DocumentID: id, FolderID: d.FolderID, At: time.Now()}.Message()))
	}
}
