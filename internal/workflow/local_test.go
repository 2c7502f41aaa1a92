package workflow_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

// TestEndings holds what becomes of one document under what can be found wrong. The input stays but where it says so.
func TestEndings(t *testing.T) {
	t.Parallel()
	encrypted := strings.Replace(string(samplePDF()), "/Root 1 0 R", "/Root 1 0 R/Encrypt<</Filter/Standard/V 1/R 2>>", 1)
	tests := []struct {
		name    string
		arrange func(s *scene)
		key     string
		content string
		status  job.Status
		code    fault.Code
		asked   int
		history string
		gone    bool
	}{
		{"a document is signed", nil, "in/a.pdf", "", job.Completed, "", 1, "Signed and published.", true},
		{"an input that is held stays", func(s *scene) { s.Held = true }, "in/a.pdf", "", job.Completed, fault.JobInputHeld, 1, "may not be deleted", false},
		{"a name that is taken", func(s *scene) { s.Occupy("p/a.signed.pdf", []byte("x")) }, "in/a.pdf", "", job.Failed, fault.JobOutputExists, 0, "not touched", false},
		{"a withdrawn input", func(s *scene) { s.Hide("in/a.pdf") }, "in/a.pdf", "", job.Failed, fault.JobInputMissing, 0, "", true},
		{"an encrypted file", nil, "in/a.pdf", encrypted, job.Failed, fault.PDFEncrypted, 0, "", false},
		{"no PDF at all", nil, "in/a.pdf", "hello", job.Failed, fault.PDFNotAPDF, 0, "", false},
		{"a format that is none", func(s *scene) { s.format("Jades") }, "in/a.json", "x", job.Failed, fault.JobFormatUnsupported, 0, "Jades", false},
		{"no XML at all", func(s *scene) { s.format(profile.Xades) }, "in/a.xml", "hello", job.Failed, fault.XMLMalformed, 0, "", false},
		{"a key that says no", func(s *scene) { s.Keys.Deny = fault.New(fault.JobKeyRefused, "AccessDeniedException") }, "in/a.pdf", "", job.Failed, fault.JobKeyRefused, 1, "AccessDenied", false},
		{"a key that is silent", func(s *scene) { s.Keys.Deny = errors.New("connection reset") }, "in/a.pdf", "", job.Failed, fault.JobKeySilent, 1, "may have been asked", false},
		{"a certificate that is missing", func(s *scene) { s.Keys.Fail = fault.New(fault.CertificateMissing, "there is none") }, "in/a.pdf", "", job.Failed, fault.ProfileDegraded, 0, "certificate.missing", false},
		{"a key of another certificate", func(s *scene) { s.Keys.Fail = fault.New(fault.CertificateMismatch, "it is not the key's") }, "in/a.pdf", "", job.Failed, fault.ProfileDegraded, 0, "certificate.key-mismatch", false},
		{"a certificate that was revoked", func(s *scene) { s.validate(fault.New(fault.CertificateRevoked, "in May")) }, "in/a.pdf", "", job.Failed, fault.ProfileDegraded, 0, "certificate.revoked", false},
		{"a certificate that nobody trusts", func(s *scene) { s.validate(fault.New(fault.CertificateUntrusted, "no anchor")) }, "in/a.pdf", "", job.Failed, fault.ProfileDegraded, 0, "certificate.untrusted", false},
		{"a revocation that nobody tells", func(s *scene) { s.validate(fault.New(fault.RevocationUnavailable, "no list")) }, "in/a.pdf", "", job.Failed, fault.RevocationUnavailable, 0, "no list", false},
		{"a certificate that is good", func(s *scene) { s.validate(nil) }, "in/a.pdf", "", job.Completed, "", 1, "", true},
		{"a seal", func(s *scene) { s.seal("") }, "in/a.pdf", "", job.Completed, "", 1, "", true},
		{"a seal whose image is gone", func(s *scene) { s.seal("s3://seals/none.png") }, "in/a.pdf", "", job.Failed, fault.ProfileDegraded, 0, "seal.image-missing", false},
		{"a certificate that expired", func(s *scene) { time.Sleep(time.Until(opened.Certificate.NotAfter) + time.Hour) }, "in/a.pdf", "", job.Failed, fault.ProfileDegraded, 0, "certificate.expired", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t)
				content := tt.content
				if content == "" {
					content = string(samplePDF())
				}
				event := workflowtest.Event(s.Drop(tt.key, []byte(content), time.Now()))
				if tt.arrange != nil {
					tt.arrange(s)
				}
				s.Send(event)
				s.deliver()
				j := s.only(t)
				if j.Status != tt.status || j.Code != tt.code || s.Keys.Count() != tt.asked {
					t.Fatalf("ends %s %q after asking the key %d times, want %s %q and %d; %s", j.Status, j.Code, s.Keys.Count(), tt.status, tt.code, tt.asked, j.Error)
				}
				if !strings.Contains(j.Last().Message, tt.history) {
					t.Errorf("the history ends with %q, want %q in it", j.Last().Message, tt.history)
				}
				if _, visible := s.Visible(tt.key); visible == tt.gone {
					t.Errorf("the input is there: %t, want %t", visible, !tt.gone)
				}
				checkHistory(t, j)
			})
		})
	}
}

// format makes the profile sign in a format.
func (s *scene) format(f profile.Format) {
	p := s.Profile("p")
	p.Format = f
	s.SetProfile(p)
}

// validate makes the profile validate its certificate, with the given answer.
func (s *scene) validate(answer error) {
	p := s.Profile("p")
	p.ValidateCertificate, s.trust.Answer = true, answer
	s.SetProfile(p)
}

// seal makes the profile's signatures visible.
func (s *scene) seal(image string) {
	p := s.Profile("p")
	p.Signature.Seal = &profile.Seal{Page: 1, Left: 10, Bottom: 10, Width: 150, Height: 50, Image: image}
	s.SetProfile(p)
}

// TestFormats signs files in each format and looks at what is published.
func TestFormats(t *testing.T) {
	t.Parallel()
	const note = `<NFe xmlns="http://www.portalfiscal.inf.br/nfe"><infNFe Id="NFe1"><x>1</x></infNFe></NFe>`
	tests := []struct {
		name, file, content string
		signature           profile.Signature
		pem                 bool
		outputs             []string
	}{
		{"by extension, PDF", "a.PDF", string(samplePDF()), profile.Signature{}, false, []string{"p/a.signed.pdf"}},
		{"by extension, XML", "a.xml", note, profile.Signature{}, false, []string{"p/a.signed.xml"}},
		{"by extension, anything", "a.docx", "x", profile.Signature{}, false, []string{"p/a.docx.p7m"}},
		{"SHA-512", "a.docx", "x", profile.Signature{Digest: profile.SHA512}, false, []string{"p/a.docx.p7m"}},
		{"an element", "a.xml", note, profile.Signature{Element: "infNFe"}, false, []string{"p/a.signed.xml"}},
		{"PEM", "a.docx", "x", profile.Signature{}, true, []string{"p/a.docx.pem"}},
		{"detached", "dir/a.docx", "x", profile.Signature{Detached: true}, false, []string{"p/dir/a.docx", "p/dir/a.docx.p7s"}},
	}
	for _, tt := range tests {
		for _, inMemory := range []int64{0, 1} { // in one request, and in parts
			t.Run(fmt.Sprint(tt.name, " ", inMemory), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					s := newScene(t)
					s.w.InMemory = max(inMemory, 1<<20*(1-inMemory))
					p := s.Profile("p")
					p.Format, p.Signature, p.SaveAsPem = profile.Auto, tt.signature, tt.pem
					s.SetProfile(p)
					s.Send(workflowtest.Event(s.Drop("in/"+tt.file, []byte(tt.content), time.Now())))
					s.deliver()
					j := s.only(t)
					if j.Status != job.Completed || s.Keys.Count() != 1 {
						t.Fatalf("ends %s %s after asking %d times: %s", j.Status, j.Code, s.Keys.Count(), j.Error)
					}
					if got := s.OutputKeys(); !slices.Equal(got, tt.outputs) {
						t.Errorf("outputs are %q, want %q", got, tt.outputs)
					}
					if _, visible := s.Visible("in/" + tt.file); visible {
						t.Error("the input is still there")
					}
					if s.OpenUploads() != 0 {
						t.Errorf("%d uploads are open", s.OpenUploads())
					}
				})
			})
		}
	}
}

// TestASignedMessageGetsOneMoreSignature signs an output again: in parallel, or as any file if the profile says so.
func TestASignedMessageGetsOneMoreSignature(t *testing.T) {
	t.Parallel()
	for name, nested := range map[string]bool{"in parallel": false, "nested": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t)
				p := s.Profile("p")
				p.Format, p.Signature.Nested = profile.Cades, nested
				s.SetProfile(p)
				s.Send(workflowtest.Event(s.Drop("in/a.txt", []byte("content"), time.Now())))
				s.deliver()
				first, _ := s.Output("p/a.txt.p7m")
				s.Send(workflowtest.Event(s.Drop("in/again/a.txt.p7m", first, time.Now())))
				s.deliver()
				want := "p/again/a.txt.p7m"
				if nested {
					want = "p/again/a.txt.p7m.p7m"
				}
				// The same signer signs the same content in the same way, so that a parallel signature adds no byte.
				if second, _ := s.Output(want); len(second) < len(first) || nested != (len(second) > len(first)) || s.Keys.Count() != 2 {
					t.Errorf("the outputs are %q; the second has %d bytes, the first %d", s.OutputKeys(), len(second), len(first))
				}
			})
		})
	}
}

func TestADegradedProfileSaysWhyAndRecovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.Keys.Fail = fault.New(fault.KeyUnavailable, "the key is disabled")
		s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
		s.deliver()
		if d := s.Profile("p").Degraded; d.Code != string(fault.KeyUnavailable) || d.Reason != "the key is disabled" || !d.Since.Equal(time.Now()) {
			t.Errorf("the profile says %+v", d)
		}
		s.Keys.Fail = nil
		s.Send(workflowtest.Event(s.Drop("in/b.pdf", samplePDF(), time.Now())))
		s.deliver()
		if d := s.Profile("p").Degraded; d != (profile.Degradation{}) {
			t.Errorf("the profile still says %+v", d)
		}
	})
}

func TestWhatMayPassGivesTheClaimBack(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(s *scene)
		mend  func(s *scene)
	}{
		{"the key is throttled", func(s *scene) { s.Keys.Deny = fault.New(fault.Throttled, "slow down") }, func(s *scene) { s.Keys.Deny = nil }},
		{"the key cannot be opened now", func(s *scene) { s.Keys.Fail = errors.New("connection reset") }, func(s *scene) { s.Keys.Fail = nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t)
				event := workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now()))
				tt.spoil(s)
				for range 10 { // more than the deaths that a job survives
					if _, err := s.work(event); err == nil {
						t.Fatal("the message is consumed, want it again")
					}
					if j := s.only(t); j.Status != job.Queued || j.Claim.Owner != "" || !j.Marked.IsZero() || j.Deaths != 0 {
						t.Fatalf("the job is %s, claimed by %q, marked %t, deaths %d; want it queued as new", j.Status, j.Claim.Owner, !j.Marked.IsZero(), j.Deaths)
					}
				}
				tt.mend(s)
				if _, err := s.work(event); err != nil {
					t.Fatal(err)
				}
				if j := s.only(t); j.Status != job.Completed {
					t.Errorf("the job ends %s %s, want Completed", j.Status, j.Code)
				}
			})
		})
	}
}

func TestARunWithoutTimeClaimsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		event := workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now()))
		if err := s.workFor(25*time.Second, event); !errors.Is(err, fault.Throttled) {
			t.Errorf("the message ends with %v, want it again", err)
		}
		if j := s.only(t); j.Status != job.Queued || len(j.History) != 1 {
			t.Errorf("the job is %s with %d entries, want Queued and never claimed", j.Status, len(j.History))
		}
	})
}

func TestTwoRunsOneJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		event := workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now()))
		errs := make(chan error)
		for range 8 {
			go func() { errs <- s.workFor(timeout, event) }()
		}
		for range 8 {
			if err := <-errs; err != nil {
				t.Errorf("a run ends with %v", err)
			}
		}
		if j := s.only(t); j.Status != job.Completed || s.Keys.Count() != 1 {
			t.Errorf("the job ends %s and the key was asked %d times", j.Status, s.Keys.Count())
		}
	})
}

func TestOneBadRecordLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		b, err := s.w.Batch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var failed int
		for i := range 10 {
			body := `{"Records":`
			if i != 4 {
				body = workflowtest.Event(s.Drop("in/"+string(rune('a'+i))+".pdf", samplePDF(), time.Now()))
			}
			if err := b.Work(t.Context(), body); err != nil {
				failed++
			}
		}
		if failed != 1 || len(s.Jobs()) != 9 || !s.ended() {
			t.Errorf("%d records failed and %d jobs were made, want 1 and 9 ended", failed, len(s.Jobs()))
		}
	})
}
