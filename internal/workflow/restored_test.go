package workflow_test

import (
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/workflow/workflowtest"
)

// A table that was set back calls a job Queued that is done since. Where its input could not be deleted, the output alone
// tells, and the key is not asked again.
func TestAJobThatIsDoneIsNotSignedAgainAfterARestore(t *testing.T) {
	t.Parallel()
	for _, held := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := newScene(t)
			s.Held = held
			s.Pause(true)
			s.Send(workflowtest.Event(s.Drop("in/a.pdf", samplePDF(), time.Now())))
			s.deliver()
			before := s.only(t)
			s.Pause(false)
			s.Send(job.Doorbell(before.ID))
			s.deliver()
			done := s.only(t)
			signed, _ := s.Output(done.Output.Key)

			s.Put(before)
			s.Send(job.Doorbell(before.ID))
			s.deliver()

			j, want := s.only(t), fault.JobInputMissing
			if held {
				want = fault.JobOutputExists
			}
			if done.Status != job.Completed || j.Status != job.Failed || j.Code != want {
				t.Errorf("held %t: the job was %s, and is %s (%s); want %s, and %s (%s)", held, done.Status, j.Status, j.Code, job.Completed, job.Failed, want)
			}
			if n := s.Keys.Count(); n != 1 {
				t.Errorf("held %t: the key was asked %d times", held, n)
			}
			if got, owner := s.Output(done.Output.Key); string(got) != string(signed) || owner != done.ID {
				t.Errorf("held %t: the output was touched; it is of job %q", held, owner)
			}
		})
	}
}

// A person gets no second document for a file that came back signed.
func TestAFileThatCameBackSignedIsNotSentAgainAfterARestore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newRemoteScene(t)
		s.Held = true
		s.Pause(true)
		s.drop("a.pdf", samplePDF())
		before := s.only(t)
		s.Pause(false)
		s.Send(job.Doorbell(before.ID))
		s.deliver()
		d := s.document(t)
		waits := s.only(t)
		s.signer.Conclude(d.ID, personally(t, d.Content))
		s.rest(time.Hour)
		if j := s.only(t); j.Status != job.Completed {
			t.Fatalf("the job is %s", j.Status)
		}

		s.Put(before) // set back to before the dispatch
		s.Send(job.Doorbell(before.ID))
		s.deliver()
		if j := s.only(t); j.Status != job.Failed || j.Code != fault.JobOutputExists {
			t.Errorf("the job is %s (%s), want %s (%s)", j.Status, j.Code, job.Failed, fault.JobOutputExists)
		}
		s.document(t) // the only one

		s.Put(waits) // set back to while the person was awaited: what is fetched again is there already
		s.rest(time.Hour)
		if j := s.only(t); j.Status != job.Completed {
			t.Errorf("the job is %s (%s), want %s", j.Status, j.Code, job.Completed)
		}
	})
}
