package workflow_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/bsenc"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

// cipher makes envelopes with a key of its own.
type cipher struct {
	key   bsenc.Key
	ready error
}

func newCipher(t *testing.T) *cipher {
	t.Helper()
	k, err := bsenc.DeriveKey("a password of these tests", []byte("a salt of 16 byte"), bsenc.MinIterations)
	if err != nil {
		t.Fatal(err)
	}
	return &cipher{key: k}
}

func (c *cipher) Ready(context.Context) error { return c.ready }
func (c *cipher) Seal(_ context.Context, r io.Reader, size int64) ([]byte, error) {
	return bsenc.SealFrom(nil, c.key, r, size)
}

func TestOutputsAreEncrypted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		change  func(*profile.Profile)
		outputs string
		begins  bool // the cleartext begins with the input
	}{
		{"a PDF", func(*profile.Profile) {}, "p/a.signed.pdf.enc", true},
		{"a message", func(p *profile.Profile) { p.Format = profile.Cades }, "p/a.pdf.p7m.enc", false},
		{"a signature beside its content", func(p *profile.Profile) { p.Format, p.Signature.Detached = profile.Cades, true }, "p/a.pdf.enc p/a.pdf.p7s.enc", false},
	}
	for _, tt := range tests {
		for _, inMemory := range []int64{1, 1 << 20} {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					s := newScene(t)
					c := newCipher(t)
					s.w.Cipher, s.w.InMemory = c, inMemory
					p := s.Profile("p")
					p.Encrypt = true
					tt.change(&p)
					s.SetProfile(p)
					s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
					s.deliver()
					if j := s.only(t); j.Status != job.Completed {
						t.Fatalf("the job ends %s %s: %s", j.Status, j.Code, j.Error)
					}
					if got := strings.Join(s.OutputKeys(), " "); got != tt.outputs {
						t.Fatalf("published are %s, want %s", got, tt.outputs)
					}
					for _, k := range s.OutputKeys() {
						sealed, _ := s.Output(k)
						clear, err := bsenc.Open(c.key, sealed)
						if err != nil || bytes.Contains(sealed, []byte("%PDF")) {
							t.Errorf("%s is no envelope: %v", k, err)
						}
						if tt.begins && !bytes.HasPrefix(clear, samplePDF()) || k == "p/a.pdf.enc" && !bytes.Equal(clear, samplePDF()) {
							t.Errorf("%s has %d bytes of something else inside", k, len(clear))
						}
					}
				})
			})
		}
	}
}

func TestWhatAPersonSignedIsEncrypted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t, func(p *profile.Profile) { p.Encrypt = true })
		c := newCipher(t)
		s.w.Cipher = c
		s.drop("a.pdf", samplePDF())
		d := s.document(t)
		signed := personally(t, d.Content)
		s.signer.Conclude(d.ID, signed)
		s.turn()
		sealed, _ := s.Output("p/a.signed.pdf.enc")
		if clear, err := bsenc.Open(c.key, sealed); err != nil || !bytes.Equal(clear, signed) || len(s.OutputKeys()) != 1 {
			t.Errorf("published are %v: %v", s.OutputKeys(), err)
		}
	})
}

func TestWhatCannotBeEncryptedIsNotSigned(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(s *scene, c *cipher)
		status  job.Status
		code    fault.Code
	}{
		{"no encryption in the settings", func(s *scene, _ *cipher) { s.w.Cipher = nil }, job.Failed, fault.ProfileDegraded},
		{"no password", func(_ *scene, c *cipher) { c.ready = fault.New(fault.EncryptionUnavailable, "the secret is gone") }, job.Failed, fault.ProfileDegraded},
		{"a document that is too large", func(s *scene, _ *cipher) { s.w.MaxEncrypt = 10 }, job.Failed, fault.JobInputTooLarge},
		{"a service that does not answer", func(_ *scene, c *cipher) { c.ready = errors.New("timeout") }, job.Queued, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t)
				c := newCipher(t)
				s.w.Cipher = c
				tt.prepare(s, c)
				p := s.Profile("p")
				p.Encrypt = true
				s.SetProfile(p)
				s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
				s.deliver()
				if j := s.only(t); j.Status != tt.status || j.Code != tt.code || s.Keys.Count() != 0 {
					t.Errorf("the job is %s %s, the key was asked %d times; want %s %s and none", j.Status, j.Code, s.Keys.Count(), tt.status, tt.code)
				}
			})
		})
	}
}
