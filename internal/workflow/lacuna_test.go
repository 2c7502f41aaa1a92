package workflow_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/sign/cades"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/xades"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

const waitHours = 168

// participant signs what the profile "p" of a remote scene sends.
var participant = profile.Participant{Name: "Jack Bauer", Email: "jack.bauer@example.com", Identifier: "75502846369"}

// remote is how Lacuna Signer is worked with in these tests: a pass does one thing after the other, so that every step has
// its number.
var remote = workflow.Remote{PollEvery: 30 * time.Second, Timeout: waitHours * time.Hour, MaxFailures: 5, SweepEvery: 5 * time.Minute, AtOnce: 1}

// remoteScene is a scene whose profile "p" sends its files to a person.
type remoteScene struct {
	*scene
	signer *workflowtest.Signer
}

// newRemoteScene must be called inside a bubble.
func newRemoteScene(t *testing.T, change ...func(*profile.Profile)) *remoteScene {
	t.Helper()
	s := newScene(t)
	p := profile.Profile{Name: "p", Enabled: true, Method: profile.LacunaSigner, Format: profile.Pades, Verify: true, Signer: &participant}
	for _, c := range change {
		c(&p)
	}
	s.SetProfile(p)
	signer := workflowtest.NewSigner(s.World)
	d := workflowtest.NewDiscoveries(s.World)
	s.w.Signer, s.w.Remote, s.w.Discoveries, s.w.Journal, s.w.Bells = signer, remote, d, d, d
	return &remoteScene{s, signer}
}

// poll is one invocation of the poll function.
func (s *remoteScene) poll() (died bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 75*time.Second)
	defer cancel()
	return s.Invoke(func() error { return s.w.Poll(ctx) })
}

// drop brings a file to the profile and has it dispatched.
func (s *remoteScene) drop(name string, content []byte) {
	s.Send(workflowtest.Event(s.Drop("in/"+name, content, time.Now())))
	s.deliver()
}

// document is the one document at Signer.
func (s *remoteScene) document(t *testing.T) *workflowtest.Document {
	t.Helper()
	if len(s.signer.Documents) != 1 {
		t.Fatalf("there are %d documents at Signer, want 1", len(s.signer.Documents))
	}
	for _, d := range s.signer.Documents {
		return d
	}
	return nil
}

// turn is a minute of the schedules: poll, messages, recovery, messages.
func (s *remoteScene) turn() {
	s.poll()
	s.deliver()
	s.wake()
	s.deliver()
	time.Sleep(10 * time.Second)
}

// rest lets schedules and time pass until every job has ended, for at most the given time.
func (s *remoteScene) rest(limit time.Duration) {
	for end := time.Now().Add(limit); time.Now().Before(end) && !s.ended(); {
		s.turn()
	}
}

// personally signs a document as somebody at Lacuna Signer does, in the format of its kind.
func personally(t *testing.T, content []byte) []byte {
	t.Helper()
	switch {
	case bytes.HasPrefix(content, []byte("%PDF-")):
		return personallyPDF(t, content)
	case bytes.HasPrefix(content, []byte("<")):
		policy := current(t, icpbrasil.XAdES)
		d, err := xades.Prepare(content, xades.Options{Certificate: opened.Certificate, Chain: opened.Chain, Hash: crypto.SHA256, Policy: policy, Time: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		out, err := d.Sign(key)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	return personallyCMS(t, content, false)
}

func current(t *testing.T, f icpbrasil.Form) icpbrasil.Policy {
	t.Helper()
	p, err := icpbrasil.Current(f, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func personallyPDF(t *testing.T, content []byte) []byte {
	t.Helper()
	d, err := pades.Prepare(bytes.NewReader(content), int64(len(content)), pades.Options{
		Certificate: opened.Certificate, Chain: opened.Chain, Hash: crypto.SHA256, Policy: current(t, icpbrasil.PAdES), Time: time.Now(), SubFilter: "ETSI.CAdES.detached",
	})
	if err != nil {
		t.Fatal(err)
	}
	h := crypto.SHA256.New()
	h.Write(content)
	tail, err := d.Sign(h, key)
	if err != nil {
		t.Fatal(err)
	}
	return append(bytes.Clone(content), tail...)
}

func personallyCMS(t *testing.T, content []byte, detached bool) []byte {
	t.Helper()
	d, err := cades.Prepare(int64(len(content)), cades.Options{
		Certificate: opened.Certificate, Chain: opened.Chain, Hash: crypto.SHA256, Policy: current(t, icpbrasil.CAdES), Time: time.Now(), Detached: detached,
	})
	if err != nil {
		t.Fatal(err)
	}
	h := crypto.SHA256.New()
	h.Write(content)
	parts, err := d.Sign(h, key)
	if err != nil {
		t.Fatal(err)
	}
	r := parts.Around(bytes.NewReader(content), int64(len(content)))
	if detached {
		r = parts.Around(nil, 0)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func says(j job.Job, text string) bool {
	for _, e := range j.History {
		if strings.Contains(e.Message, text) {
			return true
		}
	}
	return false
}

func TestAFileGoesToAPersonAndComesBack(t *testing.T) {
	t.Parallel()
	const name = "contrato nº 1.pdf"
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.drop(name, samplePDF())
		j, d := s.only(t), s.document(t)
		sum := sha256.Sum256(samplePDF())
		if j.Status != job.AwaitingSigner || j.Claim != (job.Claim{}) || j.Remote.DocumentID != d.ID || j.Remote.SHA256 != hex.EncodeToString(sum[:]) {
			t.Fatalf("after the dispatch the job is %+v", j)
		}
		if d.Created.Job != j.ID || d.Created.Participant != participant || d.Created.Name != name || d.MIMEType != "application/pdf" || d.ForceCades {
			t.Errorf("created was %+v", d.Created)
		}
		s.turn()
		if got := s.only(t); got.Status != job.AwaitingSigner || got.Version != j.Version {
			t.Errorf("a pending document has the job written: %s, version %d, want %d", got.Status, got.Version, j.Version)
		}
		signed := personally(t, d.Content)
		s.signer.Conclude(d.ID, signed)
		s.turn()
		j = s.only(t)
		if out, owner := s.Output("p/contrato nº 1.signed.pdf"); j.Status != job.Completed || owner != j.ID || !bytes.Equal(out, signed) {
			t.Fatalf("the job ends %s %s %s, the output has %d bytes, want %d", j.Status, j.Code, j.Error, len(out), len(signed))
		}
		if _, there := s.Visible("in/" + name); there {
			t.Error("the input is still there")
		}
		if s.Keys.Count() != 0 || says(j, "rewrote") {
			t.Errorf("a key was asked %d times, or the history is wrong: %v", s.Keys.Count(), j.History)
		}
		checkHistory(t, j)
	})
}

// TestWhatComesBackIsNamedByItsBytes has people sign in every way, whatever the profile expected.
func TestWhatComesBackIsNamedByItsBytes(t *testing.T) {
	t.Parallel()
	text, xml := []byte("de conta\n"), []byte("<nota><valor>1</valor></nota>")
	tests := []struct {
		name     string
		file     string
		content  []byte
		change   func(*profile.Profile)
		returned func(t *testing.T, sent []byte) []byte
		output   string
		beside   bool
		note     string
		force    bool
	}{
		{"a PDF", "a.pdf", samplePDF(), nil, personally, "a.signed.pdf", false, "", false},
		{"XML", "a.xml", xml, func(p *profile.Profile) { p.Format = profile.Xades }, personally, "a.signed.xml", false, "", false},
		{"anything", "a.rem", text, func(p *profile.Profile) { p.Format = profile.Cades }, personally, "a.rem.p7m", false, "", false},
		{"anything, in PEM", "a.rem", text, func(p *profile.Profile) { p.Format, p.SaveAsPem = profile.Cades, true }, personally, "a.rem.pem", false, "", false},
		{"anything, its extension kept", "a.rem", text, func(p *profile.Profile) { p.Format, p.PreserveFileExtension = profile.Cades, true }, personally, "a.signed.rem", false, "", false},
		{"detached", "a.rem", text, func(p *profile.Profile) { p.Format = profile.Cades },
			func(t *testing.T, sent []byte) []byte { return personallyCMS(t, sent, true) }, "a.rem.p7s", true, "", false},
		{"CAdES of a PDF", "a.pdf", samplePDF(), func(p *profile.Profile) { p.Format = profile.Cades },
			func(t *testing.T, sent []byte) []byte { return personallyCMS(t, sent, false) }, "a.pdf.p7m", false, "", true},
		{"CAdES of XML", "a.xml", xml, func(p *profile.Profile) { p.Format = profile.Cades },
			func(t *testing.T, sent []byte) []byte { return personallyCMS(t, sent, false) }, "a.xml.p7m", false, "", true},
		{"Signer makes PAdES all the same", "a.pdf", samplePDF(), func(p *profile.Profile) { p.Format = profile.Cades }, personally, "a.signed.pdf", false, "", true},
		{"by the extension", "a.xml", xml, func(p *profile.Profile) { p.Format = profile.Auto }, personally, "a.signed.xml", false, "", false},
		{"a PDF that was rewritten", "a.pdf", samplePDF(), nil,
			func(t *testing.T, sent []byte) []byte {
				return personally(t, bytes.Replace(sent, []byte("[0 0 200 200]"), []byte("[0 0 300 300]"), 1))
			},
			"a.signed.pdf", false, "does not begin with the", false},
		{"another content", "a.rem", text, func(p *profile.Profile) { p.Format = profile.Cades },
			func(t *testing.T, _ []byte) []byte { return personallyCMS(t, []byte("other"), false) }, "a.rem.p7m", false, "Its content of 5 bytes is not what was sent", false},
		{"a policy is demanded and there", "a.pdf", samplePDF(), func(p *profile.Profile) { p.RequirePolicy = true }, personally, "a.signed.pdf", false, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var changes []func(*profile.Profile)
				if tt.change != nil {
					changes = append(changes, tt.change)
				}
				s := newRemoteScene(t, changes...)
				s.drop(tt.file, tt.content)
				d := s.document(t)
				if d.ForceCades != tt.force {
					t.Errorf("forceCadesSignature is %t, want %t", d.ForceCades, tt.force)
				}
				s.signer.Conclude(d.ID, tt.returned(t, d.Content))
				s.turn()
				j := s.only(t)
				if j.Status != job.Completed {
					t.Fatalf("the job ends %s %s: %s", j.Status, j.Code, j.Error)
				}
				want := []string{"p/" + tt.output}
				if tt.beside {
					want = []string{"p/" + tt.file, "p/" + tt.output}
				}
				if got := s.OutputKeys(); strings.Join(got, " ") != strings.Join(want, " ") {
					t.Errorf("published are %v, want %v", got, want)
				}
				if tt.note != "" && !says(j, tt.note) || tt.note == "" && says(j, "sent:") {
					t.Errorf("the history says %q, want %q in it", j.Last().Message, tt.note)
				}
			})
		})
	}
}

// TestWhatComesBackIsVerified has bytes come back that must not be published.
func TestWhatComesBackIsVerified(t *testing.T) {
	t.Parallel()
	cut := func(t *testing.T, sent []byte) []byte { b := personally(t, sent); return b[:len(b)-20] }
	more := func(t *testing.T, sent []byte) []byte { return append(personally(t, sent), "\n% more\n"...) }
	tampered := func(t *testing.T, sent []byte) []byte {
		return bytes.Replace(personally(t, sent), []byte("/Count 1"), []byte("/Count 2"), 1)
	}
	tests := []struct {
		name     string
		format   profile.Format
		anchors  []*x509.Certificate
		returned func(t *testing.T, sent []byte) []byte
	}{
		{"nothing signed", profile.Pades, nil, func(_ *testing.T, sent []byte) []byte { return sent }},
		{"no document", profile.Pades, nil, func(*testing.T, []byte) []byte { return []byte("hello") }},
		{"cut short", profile.Pades, nil, cut},
		{"bytes after the last signature", profile.Pades, nil, more},
		{"tampered", profile.Pades, nil, tampered},
		{"a chain to nowhere", profile.Pades, []*x509.Certificate{opened2()}, personally},
		{"detached over something else", profile.Cades, nil, func(t *testing.T, _ []byte) []byte { return personallyCMS(t, []byte("other"), true) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newRemoteScene(t, func(p *profile.Profile) { p.Format = tt.format })
				if tt.anchors != nil {
					s.w.Anchors = tt.anchors
				}
				s.drop("a.pdf", samplePDF())
				d := s.document(t)
				s.signer.Conclude(d.ID, tt.returned(t, d.Content))
				s.turn()
				j := s.only(t)
				if j.Status != job.Failed || j.Code != fault.JobVerifyFailed || len(s.OutputKeys()) != 0 {
					t.Errorf("the job ends %s %s (%s) with outputs %v, want Failed %s", j.Status, j.Code, j.Error, s.OutputKeys(), fault.JobVerifyFailed)
				}
				if _, there := s.Visible("in/a.pdf"); !there {
					t.Error("the input is gone")
				}
			})
		})
	}
}

// opened2 is a certificate that nothing leads to.
func opened2() *x509.Certificate {
	return &x509.Certificate{Raw: []byte("other"), RawSubject: []byte("other")}
}

func TestWhatIsRefusedBeforeDispatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		file    string
		content string
		format  profile.Format
		prepare func(*remoteScene)
		code    fault.Code
	}{
		{"PAdES of no PDF", "a.pdf", "hello", profile.Pades, nil, fault.PDFNotAPDF},
		{"XAdES of no XML", "a.xml", "hello", profile.Xades, nil, fault.JobFormatUnsupported},
		{"a name that is taken", "a.rem", "hello", profile.Cades, func(s *remoteScene) { s.Occupy("p/a.rem.p7m", nil) }, fault.JobOutputExists},
		{"no Signer", "a.rem", "hello", profile.Cades, func(s *remoteScene) { s.w.Signer = nil }, fault.ProfileDegraded},
		{"a profile that takes no files any more", "a.rem", "hello", profile.Cades, func(s *remoteScene) {
			p := s.Profile("p")
			p.Method = profile.SignerFolder
			s.SetProfile(p)
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newRemoteScene(t, func(p *profile.Profile) { p.Format = tt.format })
				if tt.prepare != nil {
					tt.prepare(s)
				}
				s.drop(tt.file, []byte(tt.content))
				if len(s.signer.Documents) != 0 || len(s.signer.Uploads) != 0 {
					t.Error("Signer was sent something")
				}
				if tt.code == "" {
					return
				}
				if j := s.only(t); j.Status != job.Failed || j.Code != tt.code {
					t.Errorf("the job ends %s %s, want Failed %s", j.Status, j.Code, tt.code)
				}
			})
		})
	}
}

// TestDispatchFailsAtOnce has each remote call of the dispatch fail in each way: nothing is repeated, and the history says
// whether the document may exist.
func TestDispatchFailsAtOnce(t *testing.T) {
	t.Parallel()
	const none, may = "no document was created", "may exist"
	tests := []struct {
		step   string
		with   *job.SignerError
		fault_ workflowtest.Fault
		says   string
	}{
		{"upload to signer", &job.SignerError{Op: "upload", Status: 503, Transient: true}, 0, none},
		{"upload to signer", &job.SignerError{Op: "upload", Status: 401}, 0, none},
		{"upload to signer", nil, workflowtest.FailBefore, none},
		{"upload to signer", nil, workflowtest.FailAfter, none},
		{"create document", &job.SignerError{Op: "create", Status: 422, Code: "FolderNotFound"}, 0, none},
		{"create document", &job.SignerError{Op: "create", Status: 403}, 0, none},
		{"create document", &job.SignerError{Op: "create", Status: 429, Transient: true}, 0, none},
		{"create document", &job.SignerError{Op: "create", Status: 408, Transient: true}, 0, may},
		{"create document", &job.SignerError{Op: "create", Status: 502, Transient: true}, 0, may},
		{"create document", &job.SignerError{Op: "create", Status: 200, Transient: true}, 0, may},
		{"create document", nil, workflowtest.FailBefore, none},
		{"create document", nil, workflowtest.FailAfter, may},
	}
	for _, tt := range tests {
		name := tt.step + "/" + tt.fault_.String()
		if tt.with != nil {
			name = tt.step + "/" + tt.with.Said()
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newRemoteScene(t)
				s.signer.Refuse[tt.step] = tt.with
				if tt.fault_ != workflowtest.None {
					s.BreakNext(tt.step, tt.fault_)
				}
				s.drop("a.pdf", samplePDF())
				s.rest(time.Hour)
				j := s.only(t)
				if j.Status != job.Failed || j.Code != fault.SignerUnreachable || !strings.Contains(j.Error, tt.says) {
					t.Errorf("the job ends %s %s: %q; want %s with %q", j.Status, j.Code, j.Error, fault.SignerUnreachable, tt.says)
				}
				if n := count(s.Steps(), tt.step); n != 1 {
					t.Errorf("%q was called %d times, want once", tt.step, n)
				}
				if _, there := s.Visible("in/a.pdf"); !there {
					t.Error("the input is gone")
				}
			})
		})
	}
}

func count(steps []string, name string) (n int) {
	for _, s := range steps {
		if s == name {
			n++
		}
	}
	return n
}

func TestDispatchWithoutRoomIsGivenBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.signer.Throttled = fault.New(fault.Throttled, "no room")
		s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
		m, _ := s.Receive()
		if _, err := s.work(m); !errors.Is(err, fault.Throttled) {
			t.Errorf("the run ends %v, want %v", err, fault.Throttled)
		}
		if j := s.only(t); j.Status != job.Queued || !j.Marked.IsZero() || j.Deaths != 0 || len(s.signer.Documents) != 0 {
			t.Errorf("the job is %s, marked %v, %d deaths, %d documents", j.Status, j.Marked, j.Deaths, len(s.signer.Documents))
		}
		s.signer.Throttled = nil
		s.Send(m)
		s.deliver()
		if j := s.only(t); j.Status != job.AwaitingSigner {
			t.Errorf("the job is %s, want AwaitingSigner", j.Status)
		}
	})
}
