package job

import (
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// Cancel ends a job on an operator's word: one that is Queued, or that waits for a person at Lacuna Signer, even while a
// run fetches its document, which then loses it. A job in any other status returns fault.JobNotQueued.
func (j Job) Cancel(reason string, now time.Time) (Job, error) {
	if !j.cancelable() {
		return Job{}, fault.New(fault.JobNotQueued, "the job is %s; only one that is Queued or AwaitingSigner can be canceled", j.Status)
	}
	message := "Operator canceled."
	if reason != "" {
		message = "Operator canceled: " + reason + "."
	}
	k, err := j.to(Canceled, now, "", message)
	if err != nil {
		return Job{}, err
	}
	k.Claim = Claim{}
	return k, nil
}

// Note puts an entry on a job's history, whatever its status.
func (j Job) Note(message string, now time.Time) Job { return j.wrote(now, "", message) }

// Retriable returns nil if an operator may have the job tried again by a new one, and fault.JobNotFailed if not.
func (j Job) Retriable() error {
	switch {
	case j.Code == fault.SignerFolderNoHolderAction:
		return fault.New(fault.JobNotFailed, "there is nothing to retry: the document had no signing action for the holder")
	case j.Status == Failed, j.Status == Canceled && j.Method == profile.SignerFolder:
		return nil
	}
	return fault.New(fault.JobNotFailed, "the job is %s; only one that has failed can be retried", j.Status)
}

// Retried is the entry on a job that a new one retries.
func (j Job) Retried(child ID, now time.Time) Job {
	return j.Note("Retried by job "+string(child)+".", now)
}

// Again makes the new job that retries j, by the method that its profile has now.
func (j Job) Again(m profile.Method, now time.Time) Job {
	k := New(Origin{Source: Retry, Profile: j.Profile, Method: m, Format: j.Format, Folder: j.Folder, FileName: j.FileName, Object: j.Object}, now)
	k.ParentID, k.History[0].Message = j.ID, "Retries job "+string(j.ID)+"."
	if m == profile.SignerFolder {
		k.Remote = j.Remote
		k.Remote.Failures = 0
	}
	return k
}

// Found is what a SignerFolder job begins with.
type Found struct {
	Profile string
	Format  profile.Format // the one that Lacuna Signer will use
	Remote  Remote         // ActionID is "" for a document without an action of the holder
}

// NoAction stands for the action in the record of a document that has none for the holder.
const NoAction = "none"

// NewFound makes the job of a document that waits for the holder of a profile's certificate.
func NewFound(f Found, now time.Time) Job {
	j := New(Origin{Source: FromSigner, Profile: f.Profile, Method: profile.SignerFolder, Format: f.Format, FileName: f.Remote.DocumentName}, now)
	j.Remote, j.History[0].Message = f.Remote, "Found waiting at Lacuna Signer."
	return j
}

// NewWithoutAction makes the job, Failed from its birth, by which somebody sees a document that waits in a bound folder
// without any signing action for the holder.
func NewWithoutAction(f Found, now time.Time) Job {
	j := NewFound(f, now)
	const detail = "The document waits in the profile's folder at Lacuna Signer and has no signing action for the certificate's holder."
	j.Status, j.Code, j.Error, j.Remote.ActionID = Failed, fault.SignerFolderNoHolderAction, detail, NoAction
	j.History = []Entry{newEntry(j.CreatedAt, Failed, j.Code, detail)}
	return j
}
