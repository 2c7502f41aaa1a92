package workflow_test

import (
	"context"
	"crypto"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

// folderEnding is what becomes of a job whose document was found.
type folderEnding struct {
	name     string
	arrange  func(s *folderScene, d *workflowtest.Document)
	status   job.Status
	code     fault.Code
	history  string
	asked    int // the key
	accepted int // signatures
}

func TestFolderEndings(t *testing.T) {
	t.Parallel()
	for _, tt := range append(append(folderMoved, folderFailed...), folderAfterKey...) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFolderScene(t)
				d := s.wait()
				id := d.Actions[0].ID
				s.swept(t)
				if tt.arrange != nil {
					tt.arrange(s, d)
				}
				s.deliver()
				tt.check(t, s, d.Accepted[id])
			})
		})
	}
}

func (tt folderEnding) check(t *testing.T, s *folderScene, accepted int) {
	t.Helper()
	j := s.only(t)
	if j.Status != tt.status || j.Code != tt.code {
		t.Fatalf("ends %s %q, want %s %q; %s", j.Status, j.Code, tt.status, tt.code, j.Last().Message)
	}
	if s.Keys.Count() != tt.asked || accepted != tt.accepted {
		t.Errorf("the key was asked %d times and Signer accepted %d signatures, want %d and %d", s.Keys.Count(), accepted, tt.asked, tt.accepted)
	}
	if !strings.Contains(j.Last().Message, tt.history) {
		t.Errorf("the history ends with %q, want %q in it", j.Last().Message, tt.history)
	}
	if len(s.OutputKeys()) > 0 {
		t.Errorf("outputs %v were written", s.OutputKeys())
	}
	outcome := map[job.Status]string{job.Completed: job.OutcomeSigned, job.Canceled: job.OutcomeNoLongerPending, job.Failed: job.OutcomeFailed}[j.Status]
	if j.Code == fault.SignerFolderSignatureRefused {
		outcome = job.OutcomeRefused
	}
	if n := s.meter.Counted(job.MetricFolderSignatures, job.LabelOutcome, outcome); n != 1 {
		t.Errorf("the outcome %s was counted %d times", outcome, n)
	}
	checkHistory(t, j)
}

// folderMoved is what the seed calls moved on, and the good end.
var folderMoved = []folderEnding{
	{"signed", nil, job.Completed, "", "Lacuna Signer accepted the signature", 1, 1},
	{"signed, whatever became of the folder that the profile had", func(s *folderScene, _ *workflowtest.Document) {
		d := profile.Degradation{Code: string(fault.SignerFolderGone), Reason: "it is gone", FolderID: "another", Since: time.Now()}
		must(workflowtest.Profiles{World: s.World}.Degrade(context.Background(), "p", d))
	}, job.Completed, "", "Lacuna Signer accepted the signature", 1, 1},
	{"canceled at Signer", status(job.SignerCanceled), job.Canceled, "", "No longer pending at Lacuna Signer: Canceled", 0, 0},
	{"refused at Signer", status(job.SignerRefused), job.Canceled, "", "No longer pending at Lacuna Signer: Refused", 0, 0},
	{"expired at Signer", status(job.SignerExpired), job.Canceled, "", "No longer pending at Lacuna Signer: Expired", 0, 0},
	{"concluded at Signer", status(job.SignerConcluded), job.Canceled, "", "No longer pending at Lacuna Signer: Concluded", 0, 0},
	{"flow concluded", status(job.SignerFlowConcluded), job.Canceled, "", "No longer pending at Lacuna Signer: FlowConcluded", 0, 0},
	{"the holder's action is done", action(func(a *job.FlowAction) { a.Status = job.ActionCompleted }), job.Canceled, "", "No longer pending at Lacuna Signer: Completed", 0, 0},
	{"the holder refused", action(func(a *job.FlowAction) { a.Status = job.ActionRefused }), job.Canceled, "", "No longer pending at Lacuna Signer: Refused", 0, 0},
	{"done between the read and the action URL", func(s *folderScene, d *workflowtest.Document) {
		s.bend(bent{url: func(job.ActionQuery) error { s.signer.Act(d.ID, d.Actions[0].ID, job.ActionCompleted); return nil }})
	}, job.Canceled, "", "No longer pending at Lacuna Signer: FlowConcluded", 0, 0},
	{"done between the action URL and the start", func(s *folderScene, d *workflowtest.Document) {
		s.bend(bent{started: func(o job.Started) (job.Started, error) {
			s.signer.SetStatus(d.ID, job.SignerCanceled, "")
			e := coded("FlowActionNotPending")
			return o, &e
		}})
	}, job.Canceled, "", "No longer pending at Lacuna Signer: Canceled", 0, 0},
}

// folderFailed is what fails before the key is asked.
var folderFailed = []folderEnding{
	{"back to waiting", action(func(a *job.FlowAction) { a.Status = job.ActionCreated }), job.Failed, fault.SignerFolderSignatureFailed, "waits for an earlier step again", 0, 0},
	{"in a status that is not known", action(func(a *job.FlowAction) { a.Status = "Paused" }), job.Failed, fault.SignerFolderSignatureFailed, "the action is Paused", 0, 0},
	{"moved to another folder", document(func(d *job.SignerDocument) { d.FolderID = "elsewhere" }), job.Failed, fault.SignerFolderSignatureFailed, "not in the profile's folder", 0, 0},
	{"another person's", action(func(a *job.FlowAction) { a.Identifier = "75502846369" }), job.Failed, fault.SignerFolderSignatureFailed, "not the signature of the certificate's holder", 0, 0},
	{"done by another person", document(func(d *job.SignerDocument) {
		d.Actions[0].Identifier, d.Actions[0].Status = "75502846369", job.ActionCompleted
	}), job.Failed, fault.SignerFolderSignatureFailed, "not the signature of the certificate's holder", 0, 0},
	{"an approval", action(func(a *job.FlowAction) { a.Type = "Approver" }), job.Failed, fault.SignerFolderSignatureFailed, "not the signature of the certificate's holder", 0, 0},
	{"out of the flow", document(func(d *job.SignerDocument) { d.Actions = nil }), job.Failed, fault.SignerFolderSignatureFailed, "not in the document's flow", 0, 0},
	{"deleted", func(s *folderScene, d *workflowtest.Document) { delete(s.signer.Documents, d.ID) }, job.Failed, fault.SignerFolderSignatureFailed, "DocumentNotFound (422)", 0, 0},

	{"Signer does not answer the read", answering(stepRead, job.SignerError{Transient: true}), job.Failed, fault.SignerUnreachable, "it did not answer. Nothing was signed.", 0, 0},
	{"Signer is out of reach", answering(stepRead, job.SignerError{Transient: true, Unsent: true}), job.Failed, fault.SignerUnreachable, "could not be reached", 0, 0},
	{"the API key is not accepted", answering(stepRead, job.SignerError{Status: 401}), job.Failed, fault.SignerUnreachable, "(401)", 0, 0},
	{"the API key may not", answering(stepURL, job.SignerError{Status: 403, Code: "Forbidden"}), job.Failed, fault.SignerUnreachable, "(403)", 0, 0},
	{"Signer is slow", answering(stepStart, job.SignerError{Status: 503, Transient: true}), job.Failed, fault.SignerUnreachable, "(503)", 0, 0},
	{"Signer is busy", answering(stepStart, job.SignerError{Status: 429, Transient: true}), job.Failed, fault.SignerUnreachable, "(429)", 0, 0},
	{"a proxy answers", answering(stepURL, job.SignerError{Status: 400}), job.Failed, fault.SignerUnreachable, "not its own (400)", 0, 0},
	{"a certificate of another", answering(stepStart, coded("CpfMismatch")), job.Failed, fault.SignerFolderSignatureFailed, "CpfMismatch (422)", 0, 0},
	{"an action URL without a ticket", func(s *folderScene, _ *workflowtest.Document) {
		s.bend(bent{url: func(job.ActionQuery) error { return fault.New(fault.SignerFolderURLMalformed, "no ticket") }})
	}, job.Failed, fault.SignerFolderURLMalformed, "no ticket", 0, 0},
	{"nobody matched at the action URL", answering(stepURL, coded("NoPendingActionFoundForEmailAndIdentifier")), job.Failed, fault.SignerFolderSignatureFailed, "was not matched", 0, 0},
	{"not pending at the start", answering(stepStart, coded("SignatureNotPending")), job.Failed, fault.SignerFolderSignatureFailed, "was not matched", 0, 0},
	{"no action pending at the start", answering(stepStart, coded("FlowActionNotPending")), job.Failed, fault.SignerFolderSignatureFailed, "was not matched", 0, 0},
	{"the second read fails", func(s *folderScene, _ *workflowtest.Document) {
		s.bend(bent{url: func(job.ActionQuery) error {
			s.refuse(stepRead, job.SignerError{Status: 502, Transient: true})
			e := coded("SignatureNotPending")
			return &e
		}})
	}, job.Failed, fault.SignerUnreachable, "(502)", 0, 0},

	{"not begun", beginning(func(o *job.Started) { *o = job.Started{Findings: []string{"CertificateRevoked"}} }), job.Failed, fault.SignerFolderSignatureFailed, "CertificateRevoked", 0, 0},
	{"SHA-1", beginning(func(o *job.Started) { o.Digest, o.DigestName, o.Hash = 0, "1.3.14.3.2.26", make([]byte, 20) }), job.Failed, fault.SignerFolderSignatureFailed, "1.3.14.3.2.26", 0, 0},
	{"SHA-1 in Go's words", beginning(func(o *job.Started) { o.Digest, o.DigestName, o.Hash = crypto.SHA1, "", make([]byte, 20) }), job.Failed, fault.SignerFolderSignatureFailed, "SHA-1", 0, 0},
	{"an unknown digest", beginning(func(o *job.Started) { o.Digest, o.DigestName = 0, "WHIRLPOOL" }), job.Failed, fault.SignerFolderSignatureFailed, "WHIRLPOOL", 0, 0},
	{"a digest that is no word", beginning(func(o *job.Started) { o.Digest, o.DigestName = 0, "<script>" }), job.Failed, fault.SignerFolderSignatureFailed, "not known", 0, 0},
	{"no digest", beginning(func(o *job.Started) { o.Digest, o.DigestName = 0, "" }), job.Failed, fault.SignerFolderSignatureFailed, "named no digest", 0, 0},
	{"a hash too short", beginning(func(o *job.Started) { o.Hash = o.Hash[:31] }), job.Failed, fault.SignerFolderSignatureFailed, "not the width of SHA-256", 0, 0},
	{"a hash of another digest", beginning(func(o *job.Started) { o.Digest = crypto.SHA512 }), job.Failed, fault.SignerFolderSignatureFailed, "not the width of SHA-512", 0, 0},
	{"no token", beginning(func(o *job.Started) { o.Token = "" }), job.Failed, fault.SignerUnreachable, "no token", 0, 0},

	{"the profile left the method", changing(func(p *profile.Profile) { p.Method, p.SignerFolder = profile.Local, nil }), job.Failed, fault.SignerFolderProfileChanged, "has left the method", 0, 0},
	{"the profile is bound elsewhere", changing(func(p *profile.Profile) { p.SignerFolder = &profile.Binding{ID: "elsewhere"} }), job.Failed, fault.SignerFolderSignatureFailed, "not in the profile's folder", 0, 0},
	{"no settings", func(s *folderScene, _ *workflowtest.Document) { s.w.Signer = nil }, job.Failed, fault.ProfileDegraded, "signer.not-configured: this service has no Signer:Endpoint and Signer:ApiKey", 0, 0},
	{"the folder is gone", func(s *folderScene, _ *workflowtest.Document) {
		d := profile.Degradation{Code: string(fault.SignerFolderGone), Reason: "it is gone", FolderID: s.folder, Since: time.Now()}
		must(workflowtest.Profiles{World: s.World}.Degrade(context.Background(), "p", d))
	}, job.Failed, fault.ProfileDegraded, "signer-folder.not-found: it is gone", 0, 0},
	{"no certificate", func(s *folderScene, _ *workflowtest.Document) {
		s.Keys.Fail = fault.New(fault.CertificateMissing, "there is none")
	}, job.Failed, fault.ProfileDegraded, "certificate.missing: there is none", 0, 0},
	{"no CPF", func(s *folderScene, _ *workflowtest.Document) { s.Keys.Key = profile.Key{Certificate: nobody()} }, job.Failed, fault.ProfileDegraded, "certificate.without-cpf: ", 0, 0},
}

// folderAfterKey is what fails once the key was asked.
var folderAfterKey = []folderEnding{
	{"a key that says no", denying(fault.New(fault.JobKeyRefused, "the key refused to sign")), job.Failed, fault.SignerFolderKeyUnavailable, "would not sign (job.key-refused): the key refused to sign. Nothing was handed over", 1, 0},
	{"a key that is disabled", denying(fault.New(fault.KeyUnavailable, "DisabledException")), job.Failed, fault.SignerFolderKeyUnavailable, "DisabledException", 1, 0},
	{"a key that is silent", denying(fault.New(fault.JobKeySilent, "no answer")), job.Failed, fault.SignerFolderKeyUnavailable, "may have signed. Nothing was handed over", 1, 0},
	{"a key of whom nothing is known", denying(context.Canceled), job.Failed, fault.SignerFolderKeyUnavailable, "may have signed. Nothing was handed over", 1, 0},

	{"refused in the answer", func(s *folderScene, _ *workflowtest.Document) {
		s.begin(func(o *job.Started) { o.Hash = make([]byte, 32) })
	}, job.Failed, fault.SignerFolderSignatureRefused, "refused it: SignatureInvalid.", 1, 0},
	{"refused without a reason", func(s *folderScene, _ *workflowtest.Document) {
		s.bend(bent{started: func(o job.Started) (job.Started, error) { o.Hash = make([]byte, 32); return o, nil }, handed: func(job.Handed) job.Handed { return job.Handed{} }})
	}, job.Failed, fault.SignerFolderSignatureRefused, "it did not say why", 1, 0},
	{"a completion that times out and was accepted", func(s *folderScene, _ *workflowtest.Document) { s.BreakNext(stepHandOver, workflowtest.FailAfter) },
		job.Failed, fault.SignerUnreachable, "may have accepted it", 1, 1},
	{"a completion that never left", func(s *folderScene, _ *workflowtest.Document) { s.BreakNext(stepHandOver, workflowtest.FailBefore) },
		job.Failed, fault.SignerUnreachable, "was not handed over: Lacuna Signer could not be reached. The document is untouched", 1, 0},
	{"a completion that meets a 502", answering(stepHandOver, job.SignerError{Status: 502, Transient: true}), job.Failed, fault.SignerUnreachable, "may have accepted it", 1, 0},
	{"a completion that is too much", answering(stepHandOver, job.SignerError{Status: 429, Transient: true}), job.Failed, fault.SignerUnreachable, "did not accept it", 1, 0},
	{"a completion without rights", answering(stepHandOver, job.SignerError{Status: 401}), job.Failed, fault.SignerUnreachable, "did not accept it", 1, 0},
	{"a completion that Signer refuses", answering(stepHandOver, coded("InvalidToken")), job.Failed, fault.SignerFolderSignatureFailed, "InvalidToken (422). Lacuna Signer did not accept it", 1, 0},
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func status(to job.SignerStatus) func(*folderScene, *workflowtest.Document) {
	return document(func(d *job.SignerDocument) { d.Status = to })
}

func document(change func(*job.SignerDocument)) func(*folderScene, *workflowtest.Document) {
	return func(s *folderScene, d *workflowtest.Document) { s.signer.Change(d.ID, change) }
}

// action changes the holder's action while another one keeps the document pending.
func action(change func(*job.FlowAction)) func(*folderScene, *workflowtest.Document) {
	return document(func(d *job.SignerDocument) {
		change(&d.Actions[0])
		d.Actions = append(d.Actions, turnOf("75502846369"))
	})
}

func answering(step string, e job.SignerError) func(*folderScene, *workflowtest.Document) {
	return func(s *folderScene, _ *workflowtest.Document) { s.refuse(step, e) }
}

func beginning(change func(*job.Started)) func(*folderScene, *workflowtest.Document) {
	return func(s *folderScene, _ *workflowtest.Document) { s.begin(change) }
}

func denying(err error) func(*folderScene, *workflowtest.Document) {
	return func(s *folderScene, _ *workflowtest.Document) { s.Keys.Deny = err }
}

func changing(change func(*profile.Profile)) func(*folderScene, *workflowtest.Document) {
	return func(s *folderScene, _ *workflowtest.Document) {
		p := s.Profile("p")
		change(&p)
		s.SetProfile(p)
	}
}
