package workflow_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow/workflowtest"
)

func TestStatusesAtSigner(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status job.SignerStatus
		reason string
		after  time.Duration
		want   job.Status
		code   fault.Code
		says   string
	}{
		{job.SignerPending, "", time.Hour, job.AwaitingSigner, "", ""},
		{job.SignerFlowConcluded, "", time.Hour, job.AwaitingSigner, "", ""},
		{"Paused", "", time.Hour, job.AwaitingSigner, "", ""},
		{job.SignerRefused, "O preço mudou", time.Hour, job.Failed, fault.SignerDocumentRejected, "Refused at Lacuna Signer: O preço mudou"},
		{job.SignerExpired, "", time.Hour, job.Failed, fault.SignerDocumentRejected, "Expired at Lacuna Signer"},
		{job.SignerCanceled, "fim", time.Hour, job.Failed, fault.SignerDocumentRejected, "Canceled at Lacuna Signer: fim"},
		{job.SignerPending, "", waitHours*time.Hour - time.Minute, job.AwaitingSigner, "", ""},
		{job.SignerPending, "", waitHours*time.Hour + time.Minute, job.Failed, fault.SignerTimeout, "is Pending at Lacuna Signer"},
		{job.SignerFlowConcluded, "", waitHours*time.Hour + time.Minute, job.Failed, fault.SignerTimeout, "FlowConcluded"},
		{"Paused", "", waitHours*time.Hour + time.Minute, job.Failed, fault.SignerTimeout, "Paused"},
		{job.SignerRefused, "tarde", waitHours*time.Hour + time.Minute, job.Failed, fault.SignerDocumentRejected, "tarde"},
		{job.SignerConcluded, "", waitHours*time.Hour + time.Minute, job.Completed, "", "Published what was signed"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s after %s", tt.status, tt.after), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newRemoteScene(t)
				s.drop("a.pdf", samplePDF())
				d := s.document(t)
				s.signer.Conclude(d.ID, personally(t, d.Content))
				s.signer.SetStatus(d.ID, tt.status, tt.reason)
				time.Sleep(tt.after)
				s.turn()
				j := s.only(t)
				if j.Status != tt.want || j.Code != tt.code || !says(j, tt.says) {
					t.Errorf("the job is %s %s: %q; want %s %s: %q", j.Status, j.Code, j.Last().Message, tt.want, tt.code, tt.says)
				}
				if now := s.signer.Documents[d.ID].Status; now != tt.status {
					t.Errorf("the document became %s", now)
				}
			})
		})
	}
}

// outage is an answer that may pass.
var outage = &job.SignerError{Op: "read the document", Status: 503, Transient: true}

func TestBudgetOfFailures(t *testing.T) {
	t.Parallel()
	const limit = 5
	pass := func(s *remoteScene) { s.turn(); time.Sleep(30 * time.Second) }
	tests := []struct {
		name string
		play func(t *testing.T, s *remoteScene, d *workflowtest.Document)
		want job.Status
		code fault.Code
	}{
		{"as many as the limit", func(t *testing.T, s *remoteScene, d *workflowtest.Document) {
			s.failing("read document", outage, limit)
		}, job.AwaitingSigner, ""},
		{"one more", func(t *testing.T, s *remoteScene, d *workflowtest.Document) {
			s.failing("read document", outage, limit+1)
		}, job.Failed, fault.SignerUnreachable},
		{"an answer between", func(t *testing.T, s *remoteScene, d *workflowtest.Document) {
			s.failing("read document", outage, limit)
			pass(s)
			if n := s.only(t).Remote.Failures; n != 0 {
				t.Errorf("after an answer %d failures are counted, want none", n)
			}
			s.failing("read document", outage, limit)
		}, job.AwaitingSigner, ""},
		{"downloads count too, and reading the status of a concluded document does not end their row", func(t *testing.T, s *remoteScene, d *workflowtest.Document) {
			s.signer.Conclude(d.ID, personally(t, d.Content))
			s.failing("download document", outage, limit+1)
		}, job.Failed, fault.SignerUnreachable},
		{"a complete download ends it", func(t *testing.T, s *remoteScene, d *workflowtest.Document) {
			s.signer.Conclude(d.ID, personally(t, d.Content))
			s.failing("download document", outage, limit)
			pass(s)
		}, job.Completed, ""},
		{"what will not pass", func(t *testing.T, s *remoteScene, d *workflowtest.Document) {
			s.failing("read document", &job.SignerError{Op: "read the document", Status: 401}, 1)
		}, job.Failed, fault.SignerUnreachable},
		{"a download that will not pass", func(t *testing.T, s *remoteScene, d *workflowtest.Document) {
			s.signer.Conclude(d.ID, personally(t, d.Content))
			s.failing("download document", &job.SignerError{Op: "download", Status: 422, Code: "NotAllowed"}, 1)
		}, job.Failed, fault.SignerUnreachable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newRemoteScene(t)
				s.w.Remote.PollEvery = time.Minute // one pass an invocation
				s.drop("a.pdf", samplePDF())
				tt.play(t, s, s.document(t))
				j := s.only(t)
				if j.Status != tt.want || j.Code != tt.code {
					t.Errorf("the job is %s %s (%d failures), want %s %s", j.Status, j.Code, j.Remote.Failures, tt.want, tt.code)
				}
				checkHistory(t, j)
			})
		})
	}
}

// failing has a number of passes meet an answer.
func (s *remoteScene) failing(step string, with *job.SignerError, passes int) {
	s.signer.Refuse[step] = with
	for range passes {
		before := count(s.Steps(), step)
		for range 10 {
			s.poll()
			s.deliver()
			if time.Sleep(30 * time.Second); count(s.Steps(), step) > before {
				break
			}
		}
	}
	delete(s.signer.Refuse, step)
}

func TestOnlyTheFailingDocumentFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.drop("a.pdf", samplePDF())
		gone := s.document(t)
		s.drop("b.pdf", samplePDF())
		delete(s.signer.Documents, gone.ID)
		s.turn()
		jobs := s.Jobs()
		if jobs[0].Status != job.Failed || jobs[0].Code != fault.SignerUnreachable || !strings.Contains(jobs[0].Error, "DocumentNotFound") {
			t.Errorf("the job of the lost document is %s %s: %s", jobs[0].Status, jobs[0].Code, jobs[0].Error)
		}
		if jobs[1].Status != job.AwaitingSigner || jobs[1].Remote.Failures != 0 {
			t.Errorf("the other is %s with %d failures", jobs[1].Status, jobs[1].Remote.Failures)
		}
	})
}

// TestPollAsksOnce counts calls: one per job and pass, and none of the table's for jobs about which there is nothing to do.
func TestPollAsksOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		for i := range 250 {
			s.drop(fmt.Sprintf("%d.pdf", i), samplePDF())
		}
		if _, err := s.poll(); err != nil { // the first pass of all looks at each job once: any may have failures
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		before := len(s.Steps())
		if _, err := s.poll(); err != nil {
			t.Fatal(err)
		}
		steps := s.Steps()[before:]
		passes := count(steps, "list AwaitingSigner")
		if passes != 2 {
			t.Errorf("%d passes within the invocation, want 2, 30 seconds apart", passes)
		}
		if n := count(steps, "read document"); n != 250*passes {
			t.Errorf("%d calls of Signer in %d passes, want 250 each", n, passes)
		}
		if n := count(steps, "get job") + count(steps, "save job"); n != 0 {
			t.Errorf("jobs were read or written %d times, want none", n)
		}
	})
}

func TestPollObeysThePause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.drop("a.pdf", samplePDF())
		d := s.document(t)
		s.signer.Conclude(d.ID, personally(t, d.Content))
		s.Pause(true)
		before := count(s.Steps(), "read document")
		for range 3 {
			s.turn()
		}
		if n := count(s.Steps(), "read document") - before; n != 0 || s.only(t).Status != job.AwaitingSigner {
			t.Errorf("while paused Signer was asked %d times and the job is %s", n, s.only(t).Status)
		}
		s.Send(job.Doorbell(s.only(t).ID))
		s.deliver()
		if got := s.only(t).Status; got != job.AwaitingSigner {
			t.Errorf("while paused the document was fetched: %s", got)
		}
		s.Pause(false)
		s.turn()
		if got := s.only(t).Status; got != job.Completed {
			t.Errorf("after the resume the job is %s", got)
		}
	})
}

func TestPollLeavesAClaimAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.drop("a.pdf", samplePDF())
		d := s.document(t)
		s.signer.Conclude(d.ID, personally(t, d.Content))
		j, err := s.only(t).TakeUp(job.Claim{Owner: "somebody", Until: time.Now().Add(time.Hour)}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		s.Put(j)
		before := len(s.Steps())
		s.poll()
		steps := s.Steps()[before:]
		if count(steps, "read document") != 0 || count(steps, "ring") != 0 {
			t.Errorf("a job in somebody's hands was asked about or rung for: %v", steps)
		}
	})
}

// TestABrokenKeyShowsAsOne has every call of a pass refused.
func TestABrokenKeyShowsAsOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.drop("a.pdf", samplePDF())
		red := func() bool {
			for _, row := range s.w.Readiness(t.Context()) {
				if row.Name == "signer" {
					return !row.OK && !row.Gates
				}
			}
			t.Fatal("there is no row about Signer")
			return false
		}
		if red() {
			t.Error("the row is red before anything was asked")
		}
		s.signer.Refuse["read document"] = &job.SignerError{Op: "read the document", Status: 401}
		s.turn()
		if !red() {
			t.Error("the row is green although the key was refused")
		}
		s.turn()
		if !red() {
			t.Error("with nobody waiting the row forgot that the key was refused")
		}
		delete(s.signer.Refuse, "read document")
		time.Sleep(time.Minute)
		s.turn()
		if red() {
			t.Error("the key is good again and the row still red")
		}
	})
}

// TestASlowPassGoesOn has a pass that needs more than one invocation, with the last rows asked about as often as the first.
func TestASlowPassGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		for i := range 130 {
			s.drop(fmt.Sprintf("%d.pdf", i), samplePDF())
		}
		s.w.Signer = slowSigner{s.signer, time.Second}
		for range 4 {
			if _, err := s.poll(); err != nil {
				t.Fatal(err)
			}
		}
		asked := map[string]int{}
		for _, id := range s.signer.Asked {
			asked[id]++
		}
		for id := range s.signer.Documents {
			if asked[id] == 0 {
				t.Errorf("nobody asked about document %s", id)
			}
		}
	})
}

// slowSigner is a Signer that takes its time.
type slowSigner struct {
	*workflowtest.Signer
	takes time.Duration
}

func (s slowSigner) Document(ctx context.Context, id string) (job.SignerDocument, error) {
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
	}
	return s.Signer.Document(ctx, id)
}

// TestTheTermsAreThoseOfTheClaim changes the profile while a person signs.
func TestTheTermsAreThoseOfTheClaim(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.drop("a.pdf", samplePDF())
		d := s.document(t)
		p := s.Profile("p")
		p.Method, p.Format, p.RequirePolicy, p.Verify = profile.Local, profile.Cades, true, false
		s.SetProfile(p)
		s.signer.Conclude(d.ID, d.Content) // nothing signed: Verify, which was on, must see it
		s.turn()
		if j := s.only(t); j.Code != fault.JobVerifyFailed || j.Method != profile.LacunaSigner {
			t.Errorf("the job ends %s %s by method %s", j.Status, j.Code, j.Method)
		}
	})
}
