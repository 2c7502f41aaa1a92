package job

import (
	"crypto"
	"fmt"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// SignerStatus is the status of a document at Lacuna Signer. One that this release does not know stays as it was written.
type SignerStatus string

// The statuses of documents. FlowConcluded means that everybody has acted and Signer still works on the document.
const (
	SignerPending       SignerStatus = "Pending"
	SignerRefused       SignerStatus = "Refused"
	SignerFlowConcluded SignerStatus = "FlowConcluded"
	SignerConcluded     SignerStatus = "Concluded"
	SignerCanceled      SignerStatus = "Canceled"
	SignerExpired       SignerStatus = "Expired"
)

// Ended reports whether a document with this status will never be signed by anybody any more, unless its owner begins again.
func (s SignerStatus) Ended() bool {
	return s == SignerRefused || s == SignerCanceled || s == SignerExpired
}

// Types and statuses of flow actions. An action is Created while an earlier step is not finished.
const (
	ActionSigner    = "Signer"
	ActionCreated   = "Created"
	ActionPending   = "Pending"
	ActionCompleted = "Completed"
	ActionRefused   = "Refused"
)

// SignerDocument is a document at Lacuna Signer, as far as it is read here. Ids are GUIDs in lower case.
type SignerDocument struct {
	ID         string
	Name       string
	FileName   string
	MIMEType   string
	Status     SignerStatus
	Reason     string // why it was refused or canceled, in somebody's words
	FolderID   string // "" if it is in none
	ForceCades bool
	UpdatedAt  time.Time
	Actions    []FlowAction
}

// FlowAction is what one participant of a document is to do.
type FlowAction struct {
	ID         string
	Type       string // ActionSigner or another word
	Status     string // ActionPending or another word
	Step       int
	Identifier string // the participant's CPF: the digits alone
	Email      string
}

// ListedDocument is a document as a folder's list has it: without a status and without actions.
type ListedDocument struct {
	ID        string
	Name      string
	FolderID  string
	UpdatedAt time.Time
}

// SignerFolder is a folder at Lacuna Signer.
type SignerFolder struct {
	ID       string
	Name     string
	ParentID string // "" for a root folder
}

// Dispatch is the document that Lacuna Signer is to create of an upload.
type Dispatch struct {
	UploadID    string
	Name        string // as participants see it
	FileName    string
	ContentType string
	Participant profile.Participant
	ForceCades  bool
	Job         ID // travels as a tag, so that an operator can match the two
}

// ActionQuery asks for the way to a participant's action.
type ActionQuery struct {
	DocumentID string
	Identifier string
	Email      string
	ActionID   string // "" unless the participant has more than one that is pending
}

// Ticket opens a participant's action. Both parts are secrets for as long as they are good.
type Ticket struct {
	Key    string
	Ticket string
}

// Started is a signature that Lacuna Signer has begun: what is to be signed, and the token that completes it, once.
type Started struct {
	Accepted bool     // false: Signer did not begin, and Findings say why
	Findings []string // types of failed checks
	Token    string
	Hash     []byte
	// Digest is the algorithm of Hash, or 0 for one that is refused; DigestName is what Signer calls it, "" if it says none.
	Digest     crypto.Hash
	DigestName string
}

// Handed is Signer's answer to a signature.
type Handed struct {
	Accepted bool
	Findings []string // types of failed checks
}

// SignerError is a call of Lacuna Signer that failed. It never quotes Signer's text, which can contain the key of a
// document.
type SignerError struct {
	Op     string // what was asked, like "create the document"
	Status int    // of HTTP; 0: there was no answer
	Code   string // Signer's own, "" where the answer is not Signer's
	// Transient says that the same call may succeed later: nobody answered, 408, 429, 5xx, or a success that is not Signer's.
	Transient bool
	// Unsent says that the call never reached Signer, so that nothing can have come of it.
	Unsent bool
	Cause  error // for the log alone
}

// Error names the call and the answer.
func (e *SignerError) Error() string {
	s := "Lacuna Signer: " + e.Op + ": " + e.Said()
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Said is what may be shown of the answer: on a job's history, say.
func (e *SignerError) Said() string {
	switch {
	case e.Unsent:
		return "it could not be reached"
	case e.Status == 0:
		return "it did not answer"
	case e.Code != "":
		return fmt.Sprintf("it answered %s (%d)", e.Code, e.Status)
	case e.Denied():
		return fmt.Sprintf("it refused the API key (%d)", e.Status)
	}
	return fmt.Sprintf("it gave an answer that is not its own (%d)", e.Status)
}

// Denied reports whether the API key was not accepted.
func (e *SignerError) Denied() bool { return e.Status == 401 || e.Status == 403 }

// Refusal reports whether the answer proves that nothing was done.
func (e *SignerError) Refusal() bool {
	return e.Unsent || e.Status == 429 || e.Status >= 400 && e.Status < 500 && e.Status != 408
}

// Unwrap gives the code under which such a failure shows, and the cause.
func (e *SignerError) Unwrap() []error {
	if e.Cause == nil {
		return []error{fault.SignerUnreachable}
	}
	return []error{fault.SignerUnreachable, e.Cause}
}
