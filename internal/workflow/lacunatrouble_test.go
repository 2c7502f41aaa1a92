package workflow_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// lately is a Signer some of whose calls take long, or do not look at the context they are given.
type lately struct {
	*workflowtest.Signer
	upload, download, create time.Duration
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return &job.SignerError{Op: "transfer", Transient: true, Cause: ctx.Err()}
	}
}

func (s lately) Upload(ctx context.Context, name, contentType string, content *io.SectionReader) (string, error) {
	if err := wait(ctx, s.upload); err != nil {
		return "", err
	}
	return s.Signer.Upload(ctx, name, contentType, content)
}

func (s lately) Download(ctx context.Context, id string, w io.Writer) error {
	if err := wait(ctx, s.download); err != nil {
		return err
	}
	return s.Signer.Download(ctx, id, w)
}

func (s lately) Create(ctx context.Context, d job.Dispatch) (string, error) {
	id, err := s.Signer.Create(ctx, d)
	time.Sleep(s.create)
	return id, err
}

// closed is an output bucket that does not let us look.
type closed struct{ workflow.Outputs }

func (closed) Owner(context.Context, string) (job.ID, error) { return "", errors.New("503") }

func TestOurOwnTroubleHasAnEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		trouble func(s *remoteScene)
		code    fault.Code
		most    int // downloads
	}{
		{"a bucket that does not answer", func(s *remoteScene) { s.w.Outputs = closed{s.w.Outputs} }, fault.JobGivenUp, 150},
		{"a transfer that does not end within a run", func(s *remoteScene) {
			s.w.Signer = lately{Signer: s.signer, download: 10 * time.Minute}
		}, fault.SignerUnreachable, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newRemoteScene(t)
				s.drop("a.pdf", samplePDF())
				d := s.document(t)
				s.signer.Conclude(d.ID, personally(t, d.Content))
				tt.trouble(s)
				s.rest(9 * 24 * time.Hour)
				j := s.only(t)
				if j.Status != job.Failed || j.Code != tt.code || d.Downloads > tt.most {
					t.Errorf("after nine days the job is %s %s, with %d downloads; want Failed %s with at most %d", j.Status, j.Code, d.Downloads, tt.code, tt.most)
				}
			})
		})
	}
}

func TestATroubleThatEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t, func(p *profile.Profile) { p.Encrypt = true })
		c := newCipher(t)
		s.w.Cipher = c
		s.drop("a.pdf", samplePDF())
		d := s.document(t)
		s.signer.Conclude(d.ID, personally(t, d.Content))
		s.w.Cipher = nil // the settings changed while the person signed
		for range 60 {
			s.turn()
		}
		if j := s.only(t); j.Status != job.AwaitingSigner || j.Remote.Troubled.IsZero() || d.Downloads != 0 {
			t.Fatalf("without a key to encrypt with the job is %s %s, with %d downloads", j.Status, j.Code, d.Downloads)
		}
		s.w.Cipher = c
		s.rest(time.Hour)
		if j := s.only(t); j.Status != job.Completed || d.Downloads != 1 {
			t.Errorf("with the key back the job ends %s %s after %d downloads", j.Status, j.Code, d.Downloads)
		}
	})
}

func TestAnUploadThatNeverEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.w.Signer = lately{Signer: s.signer, upload: 10 * time.Minute}
		s.drop("a.pdf", samplePDF())
		s.rest(3 * 24 * time.Hour)
		if j := s.only(t); j.Code != fault.JobGivenUp || len(s.signer.Documents) != 0 {
			t.Errorf("after three days the job is %s %s", j.Status, j.Code)
		}
	})
}

func TestNothingIsCreatedWithoutTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.w.Signer = lately{Signer: s.signer, upload: timeout - 20*time.Second - 10*time.Second}
		s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
		m, _ := s.Receive()
		if _, err := s.work(m); !errors.Is(err, fault.Throttled) {
			t.Errorf("the run ends %v, want %v", err, fault.Throttled)
		}
		if j := s.only(t); j.Status != job.Queued || !j.Marked.IsZero() || len(s.signer.Documents) != 0 {
			t.Errorf("with ten seconds left the job is %s, marked %v, with %d documents", j.Status, j.Marked, len(s.signer.Documents))
		}
	})
}

func TestADocumentThatComesLateIsNoted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.w.Signer = lately{Signer: s.signer, create: timeout - 10*time.Second} // past the run's own end
		s.drop("a.pdf", samplePDF())
		if j, d := s.only(t), s.document(t); j.Status != job.AwaitingSigner || j.Remote.DocumentID != d.ID {
			t.Errorf("the document exists and the job is %s %s", j.Status, j.Code)
		}
	})
}

// unread is a Signer whose API key we cannot read: its calls fail by our own trouble.
type unread struct{ *workflowtest.Signer }

var errNoKey = errors.New("read the API key: the store does not answer")

func (unread) Document(context.Context, string) (job.SignerDocument, error) {
	return job.SignerDocument{}, errNoKey
}
func (unread) Upload(context.Context, string, string, *io.SectionReader) (string, error) {
	return "", errNoKey
}

func TestAKeyThatWeCannotReadIsNotSignersFault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.drop("a.pdf", samplePDF())
		s.w.Signer = unread{s.signer}
		s.drop("b.pdf", samplePDF())
		for range 20 {
			if _, err := s.poll(); !errors.Is(err, errNoKey) {
				t.Fatalf("the poll says %v", err)
			}
			time.Sleep(time.Minute)
		}
		jobs := s.Jobs()
		if jobs[0].Status != job.AwaitingSigner || jobs[0].Remote.Failures != 0 || jobs[1].Status != job.Queued {
			t.Errorf("the jobs are %s with %d failures, and %s", jobs[0].Status, jobs[0].Remote.Failures, jobs[1].Status)
		}
	})
}

// TestAnAnswerWhoseWriteIsLost has a row of failures end while the table does not answer.
func TestAnAnswerWhoseWriteIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.w.Remote.PollEvery = time.Minute
		s.drop("a.pdf", samplePDF())
		s.failing("read document", outage, 5)
		s.BreakNext("get job", workflowtest.FailBefore)
		s.poll()
		for range 5 {
			time.Sleep(time.Minute)
			s.poll()
		}
		if n := s.only(t).Remote.Failures; n != 0 {
			t.Errorf("after good answers %d failures count, want none", n)
		}
	})
}

func TestADispatchMendsItsProfile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.w.Signer = nil
		s.drop("a.pdf", samplePDF())
		if d := s.Profile("p").Degraded; d.Code != string(fault.SignerNotConfigured) {
			t.Fatalf("without settings the profile is degraded by %q", d.Code)
		}
		s.w.Signer = s.signer
		s.drop("b.pdf", samplePDF())
		if d := s.Profile("p").Degraded; d.Code != "" {
			t.Errorf("a file was sent, and the profile is still degraded by %q", d.Code)
		}
	})
}

func TestXMLThatCouldNotBeVerifiedIsNotSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t, func(p *profile.Profile) { p.Format = profile.Xades })
		s.w.MaxXML = 1024
		s.drop("a.xml", append([]byte("<a>"), append(bytes.Repeat([]byte(" "), 1024), "</a>"...)...))
		if j := s.only(t); j.Code != fault.XMLTooLarge || len(s.signer.Uploads) != 0 {
			t.Errorf("the job ends %s %s", j.Status, j.Code)
		}
	})
}

func TestWhatIsNotWhatWasSentKeepsItsInput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t, func(p *profile.Profile) { p.Format = profile.Cades })
		s.drop("a.rem", []byte("sent"))
		d := s.document(t)
		s.signer.Conclude(d.ID, personallyCMS(t, []byte("other"), false))
		s.turn()
		_, there := s.Visible("in/a.rem")
		if j := s.only(t); j.Status != job.Completed || j.Code != fault.JobInputHeld || !there {
			t.Errorf("the job ends %s %q, the input there: %t", j.Status, j.Code, there)
		}
	})
}

func TestWhatIsEncryptedIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t, func(p *profile.Profile) { p.Encrypt = true })
		s.w.Cipher, s.w.MaxEncrypt = newCipher(t), 1<<20
		s.drop("a.pdf", samplePDF())
		d := s.document(t)
		s.signer.Conclude(d.ID, append(personally(t, d.Content), make([]byte, 1<<20)...))
		s.turn()
		if j := s.only(t); j.Code != fault.JobInputTooLarge {
			t.Errorf("the job ends %s %s", j.Status, j.Code)
		}
	})
}

func TestAnOutageShows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		meter := &workflowtest.Meter{}
		s.w.Meter = meter
		s.drop("a.pdf", samplePDF())
		green := func() bool {
			for _, row := range s.w.Readiness(t.Context()) {
				if row.Name == "signer" {
					return row.OK
				}
			}
			return false
		}
		s.poll()
		if !green() {
			t.Error("the row is red without an outage")
		}
		s.signer.Refuse["read document"] = outage
		time.Sleep(time.Minute)
		s.poll()
		if green() {
			t.Error("nobody answers, and the row is green")
		}
		delete(s.signer.Refuse, "read document")
		time.Sleep(time.Minute)
		s.poll()
		if !green() {
			t.Error("Signer answers again, and the row is red")
		}
		if n := meter.Counted(job.MetricDispatched, job.LabelProfile, "p"); n != 1 {
			t.Errorf("%d dispatches were counted", n)
		}
		if n := meter.Counted(job.MetricSignerErrors, job.LabelOp, job.OpPoll); n == 0 {
			t.Error("no failed call was counted")
		}
	})
}

// TestTooManyDoubts has more jobs fail than a pass remembers by name: all of their rows end with the next answers.
func TestTooManyDoubts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.w.Remote.PollEvery = time.Minute
		const jobs = 600
		for range jobs {
			j := standing(t, profile.LacunaSigner, job.AwaitingSigner)
			j.Remote.DocumentID = string(job.NewID())
			s.signer.Documents[j.Remote.DocumentID] = &workflowtest.Document{SignerDocument: job.SignerDocument{Status: job.SignerPending}}
			s.Put(j)
		}
		s.signer.Refuse["read document"] = outage
		s.poll()
		for _, j := range s.Jobs() {
			if j.Remote.Failures != 1 {
				t.Fatalf("a job counts %d failures, want 1", j.Remote.Failures)
			}
		}
		delete(s.signer.Refuse, "read document")
		for range 2 {
			time.Sleep(time.Minute)
			s.poll()
		}
		for _, j := range s.Jobs() {
			if j.Remote.Failures != 0 {
				t.Fatalf("after an answer a job still counts %d failures", j.Remote.Failures)
			}
		}
		time.Sleep(time.Minute)
		before := len(s.Steps())
		s.poll()
		if n := count(s.Steps()[before:], "get job"); n != 0 {
			t.Errorf("with nobody in doubt %d jobs are read, want none", n)
		}
	})
}

// lateNo is an output bucket that says no, after the run's time is up.
type lateNo struct{ workflow.Outputs }

func (lateNo) Owner(ctx context.Context, _ string) (job.ID, error) {
	<-ctx.Done()
	return "", fault.New(fault.JobOutputRefused, "no")
}

func TestARefusalThatComesLateEndsTheJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.drop("a.pdf", samplePDF())
		d := s.document(t)
		s.signer.Conclude(d.ID, personally(t, d.Content))
		s.w.Outputs = lateNo{s.w.Outputs}
		if err := s.workFor(timeout, job.Doorbell(s.only(t).ID)); err != nil {
			t.Errorf("the run ends %v", err)
		}
		if j := s.only(t); j.Status != job.Failed || j.Code != fault.JobOutputRefused {
			t.Errorf("the job is %s %s, want Failed %s by this very run", j.Status, j.Code, fault.JobOutputRefused)
		}
	})
}
