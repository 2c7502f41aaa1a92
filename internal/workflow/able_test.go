package workflow_test

import (
	"context"
	"crypto/x509"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

// TestWhatStopsAProfile breaks what a profile needs, and mends it: the mark comes and goes by itself, nothing is made
// meanwhile, and nobody else is kept from working.
func TestWhatStopsAProfile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		broken func(s *folderScene)
		mended func(s *folderScene)
		code   fault.Code
		others int // jobs of another profile meanwhile
	}{
		{"no settings", func(s *folderScene) { s.w.Signer = nil }, func(s *folderScene) { s.w.Signer = s.signer }, fault.SignerNotConfigured, 0},
		{"no CPF", func(s *folderScene) { s.certificate("p", nobody(), nil) }, func(s *folderScene) { s.certificate("p", opened.Certificate, nil) },
			fault.CertificateWithoutCPF, 1},
		{"a certificate that has expired", func(s *folderScene) { s.certificate("p", expired(), nil) },
			func(s *folderScene) { s.certificate("p", opened.Certificate, nil) }, fault.CertificateExpired, 1},
		{"a certificate that is not there", func(s *folderScene) { s.certificate("p", nil, fault.New(fault.CertificateMissing, "gone")) },
			func(s *folderScene) { s.certificate("p", opened.Certificate, nil) }, fault.CertificateMissing, 1},
		{"a certificate that may not be read", func(s *folderScene) { s.certificate("p", nil, fault.New(fault.KeyUnavailable, "AccessDenied")) },
			func(s *folderScene) { s.certificate("p", opened.Certificate, nil) }, fault.CertificateMissing, 1},
		{"the folder is gone", func(s *folderScene) { s.signer.RemoveFolder(s.folder) },
			func(s *folderScene) { s.signer.RestoreFolder(s.folder); s.wait() }, fault.SignerFolderGone, 1},
		{"the folder is gone and the profile is bound to another", func(s *folderScene) { s.signer.RemoveFolder(s.folder) },
			func(s *folderScene) { s.rebind() }, fault.SignerFolderGone, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFolderScene(t)
				second := s.signer.AddFolder("second")
				s.bind("q", second)
				s.wait()
				s.signer.AddWaiting(second, "b.pdf", turnOf(holder))
				tt.broken(s)
				s.swept(t)
				d := s.Profile("p").Degraded
				if d.Code != string(tt.code) || d.Reason == "" || !d.Since.Equal(time.Now()) || (d.FolderID != "") != (tt.code == fault.SignerFolderGone) {
					t.Fatalf("the mark is %+v, want %s since now", d, tt.code)
				}
				s.swept(t)
				s.swept(t)
				if again := s.Profile("p").Degraded; again != d || s.CountSteps("degrade profile") > 2 {
					t.Errorf("the mark became %+v and was written %d times", again, s.CountSteps("degrade profile"))
				}
				if len(s.Jobs()) != tt.others {
					t.Errorf("%d jobs meanwhile, want %d of the other profile", len(s.Jobs()), tt.others)
				}
				tt.mended(s)
				s.swept(t)
				s.deliver()
				if left := s.Profile("p").Degraded; left.Code != "" && left.FolderID == s.folder {
					t.Errorf("the mark %s stays", left.Code)
				}
				if len(s.Jobs()) != 2 || s.Keys.Count() != 2 {
					t.Errorf("%d jobs and %d signatures after all, want 2", len(s.Jobs()), s.Keys.Count())
				}
			})
		})
	}
}

// rebind gives the profile another folder, in which a document waits.
func (s *folderScene) rebind() {
	s.folder = s.signer.AddFolder("another")
	p := s.Profile("p")
	p.SignerFolder = &profile.Binding{ID: s.folder}
	s.SetProfile(p)
	s.wait()
}

// certificates are keys that can be asked for their certificate alone.
type certificates struct {
	*workflowtest.Keys
	of   map[string]*x509.Certificate
	errs map[string]error
}

func (c certificates) Certificate(_ context.Context, p profile.Profile) (*x509.Certificate, error) {
	if err := c.errs[p.Name]; err != nil {
		return nil, err
	}
	if cert := c.of[p.Name]; cert != nil {
		return cert, nil
	}
	return opened.Certificate, nil
}

// certificate is what the sweep reads for a profile.
func (s *folderScene) certificate(name string, cert *x509.Certificate, err error) {
	s.w.Keys = certificates{s.Keys, map[string]*x509.Certificate{name: cert}, map[string]error{name: err}}
}

func expired() *x509.Certificate {
	return person(key.Public(), icpbrasiltest.Validity(day.AddDate(-2, 0, 0), day.AddDate(-1, 0, 0)))
}

// TestASweepTouchesNoKey sweeps with keys that cannot be opened.
func TestASweepTouchesNoKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFolderScene(t)
		s.Keys.Fail = errors.New("no right to the key")
		s.certificate("p", opened.Certificate, nil)
		s.wait()
		s.swept(t)
		if len(s.Jobs()) != 1 || s.CountSteps("open key") != 0 {
			t.Errorf("%d jobs, and a key was opened %d times", len(s.Jobs()), s.CountSteps("open key"))
		}
	})
}

// TestOnlyAnEmptyFolderIsAskedFor holds when the sweep asks whether a folder exists, and what counts as an answer.
func TestOnlyAnEmptyFolderIsAskedFor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		arrange  func(s *folderScene)
		asked    int
		degraded bool
		failures int64
	}{
		{"a folder with documents", func(s *folderScene) { s.wait() }, 0, false, 0},
		{"an empty folder", func(*folderScene) {}, 1, false, 0},
		{"a folder that is gone", func(s *folderScene) { s.signer.RemoveFolder(s.folder) }, 1, true, 0},
		{"an empty folder, and an outage", func(s *folderScene) { s.refuse(stepFolder, job.SignerError{Status: 503, Transient: true}) }, 1, false, 1},
		{"an empty folder, and no rights", func(s *folderScene) { s.refuse(stepFolder, job.SignerError{Status: 401}) }, 1, false, 1},
		{"an empty folder, and another refusal", func(s *folderScene) { s.refuse(stepFolder, coded("DocumentNotFound")) }, 1, false, 1},
		{"a list that fails", func(s *folderScene) { s.refuse(stepList, job.SignerError{Status: 503, Transient: true}) }, 0, false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newFolderScene(t)
				tt.arrange(s)
				s.swept(t)
				if asked := s.CountSteps(stepFolder); asked != tt.asked {
					t.Errorf("asked %d times, want %d", asked, tt.asked)
				}
				if code := s.Profile("p").Degraded.Code; (code != "") != tt.degraded {
					t.Errorf("the mark is %q, want one: %t", code, tt.degraded)
				}
				if n := s.meter.Counted(job.MetricSweepErrors, job.LabelOp, job.OpFolder); n != tt.failures {
					t.Errorf("%d failures were counted, want %d", n, tt.failures)
				}
			})
		})
	}
}

// TestAVanishedFolderIsAskedForOnceAPass counts the calls of passes over a degraded profile: one each, and nothing else.
func TestAVanishedFolderIsAskedForOnceAPass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFolderScene(t)
		s.signer.RemoveFolder(s.folder)
		s.swept(t)
		for range 3 {
			lists, asks := s.CountSteps(stepList), s.CountSteps(stepFolder)
			s.swept(t)
			if l, a := s.CountSteps(stepList)-lists, s.CountSteps(stepFolder)-asks; l != 0 || a != 1 {
				t.Errorf("the pass lists %d times and asks %d times, want 0 and 1", l, a)
			}
		}
		s.refuse(stepFolder, job.SignerError{Status: 503, Transient: true})
		s.swept(t)
		if s.Profile("p").Degraded.Code == "" || s.meter.Counted(job.MetricSweepErrors, job.LabelOp, job.OpFolder) != 1 {
			t.Error("an outage took the mark away, or was not counted")
		}
	})
}

// TestAMarkThatOnlyASignatureDisproves stops the sweep until a retry has signed.
func TestAMarkThatOnlyASignatureDisproves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFolderScene(t)
		s.certificate("p", opened.Certificate, nil)
		s.wait()
		s.swept(t)
		s.Keys.Fail = fault.New(fault.CertificateMismatch, "not the key's")
		s.deliver()
		s.Keys.Fail = nil
		j := s.only(t)
		s.wait()
		s.swept(t)
		if j.Code != fault.ProfileDegraded || len(s.Jobs()) != 1 {
			t.Fatalf("the job ends %s, and there are %d", j.Code, len(s.Jobs()))
		}
		if _, err := s.w.Retry(t.Context(), j.ID); err != nil {
			t.Fatal(err)
		}
		s.deliver()
		s.swept(t)
		s.deliver()
		if s.Keys.Count() != 2 || s.Profile("p").Degraded.Code != "" {
			t.Errorf("%d signatures and the mark %q, want 2 and none", s.Keys.Count(), s.Profile("p").Degraded.Code)
		}
	})
}
