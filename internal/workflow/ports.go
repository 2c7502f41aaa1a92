package workflow

import (
	"context"
	"crypto/x509"
	"io"
	"iter"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// Jobs is what the workflow needs from the store of jobs.
type Jobs interface {
	// Get reads a job consistently. It returns fault.JobNotFound if there is none.
	Get(ctx context.Context, id job.ID) (job.Job, error)
	// Save writes a job one version ahead of the stored one, or returns fault.JobRaceLost if another came first. After
	// any other error the write may have landed.
	Save(ctx context.Context, j job.Job) error
	// SaveDispatched is Save for a job whose document Lacuna Signer has created, and records whose the document is, in one
	// transaction.
	SaveDispatched(ctx context.Context, j job.Job) error
	// Answered returns the job that a request with a key made, or "" if none did within a day.
	Answered(ctx context.Context, key job.IdempotencyKey) (job.ID, error)
	// Remove deletes a job's record; what it was about stays known. One that is gone is no error.
	Remove(ctx context.Context, id job.ID) error
	// CreatedBefore goes through all jobs that were created before a moment, from the first after a position.
	CreatedBefore(ctx context.Context, before time.Time, after string) iter.Seq2[job.Row, error]
	// DispatchedJob returns the job that a document was created for, or "" if it was not created here.
	DispatchedJob(ctx context.Context, documentID string) (job.ID, error)
	// Retry writes parent one version ahead of the stored one, makes child, and moves the record of what both are about
	// from the job latest to the child, in one transaction: of two retries one makes a child. It returns fault.JobRaceLost
	// if parent or record moved. The child is the answer to key, unless that is ""; a key that has an answer is a lost race.
	Retry(ctx context.Context, parent, child job.Job, latest job.ID, key job.IdempotencyKey) error
}

// Arrivals records which object versions have had a job.
type Arrivals interface {
	// TakeIn writes a new job and the record of its object version in one transaction, or returns fault.JobRaceLost if
	// the version has a job, or a job with this id is known. After any other error the write may have landed.
	// It moves the record of the name as n says; if that is another's by now, it returns fault.JobRaceLost too.
	TakeIn(ctx context.Context, j job.Job, n job.NameClaim) error
	// Retake is TakeIn for an object version whose last job, latest, has ended or is gone.
	Retake(ctx context.Context, j job.Job, latest job.ID, n job.NameClaim) error
	// NameHolder returns the latest job that took a name in a folder, or "" if none did. The job can be gone.
	NameHolder(ctx context.Context, folder, name string) (job.ID, error)
	// Repeat notes that an object version is one that a job has had before. One that is noted already is no error.
	Repeat(ctx context.Context, o job.Object, id job.ID) error
	// Refuse notes that an object version makes no job for now, and reports whether that is news. It may be taken in later.
	Refuse(ctx context.Context, o job.Object, c fault.Code) (first bool, err error)
	// TakenIn returns the latest job of an object version, or "" if it has none. The job can be gone.
	TakenIn(ctx context.Context, o job.Object) (job.ID, error)
	// Reservation returns what the API reserved for a key, or fault.JobNotFound.
	Reservation(ctx context.Context, key string) (job.Reservation, error)
}

// Discoveries records, for ever, which flow actions of which documents have had a job. Ids are GUIDs in lower case.
type Discoveries interface {
	// Discover writes a new SignerFolder job and the record of its document and action in one transaction, or returns
	// fault.JobRaceLost if the pair has had a job. After any other error the write may have landed.
	Discover(ctx context.Context, j job.Job) error
	// Discovered returns the latest job of a pair, or "" if it has had none. The job can be gone.
	Discovered(ctx context.Context, documentID, actionID string) (job.ID, error)
	// Seen tells of documents when they had last changed as they were last read back; those not known are left out.
	Seen(ctx context.Context, documentIDs []string) (map[string]time.Time, error)
	// See notes how old a document was when it was read back. What is noted may be forgotten.
	See(ctx context.Context, documentID string, updatedAt time.Time) error
	// Unring takes away the mark that a check of a document waits, so that a later bell is not swallowed.
	Unring(ctx context.Context, documentID string) error
}

// Journal is where operators read what happened.
type Journal interface {
	// Write adds an entry. One that cannot be written is lost: the jobs say what matters.
	Write(ctx context.Context, e job.Event) error
}

// Meter counts what happens, and tells where something stands. Labels alternate between name and value.
type Meter interface {
	Count(name string, n int64, labels ...string)
	Observe(name string, v float64, labels ...string)
	Gauge(name string, v float64, labels ...string)
}

// Profiles is where profiles are kept.
type Profiles interface {
	// List returns all profiles by name, with their degradations.
	List(ctx context.Context) ([]profile.Profile, error)
	// Get reads a profile and its degradation. It returns fault.ProfileNotFound if there is none.
	Get(ctx context.Context, name string) (profile.Profile, error)
	// Degrade notes that a profile cannot sign; Restore takes the note away. Neither changes the profile's version.
	Degrade(ctx context.Context, name string, d profile.Degradation) error
	Restore(ctx context.Context, name string) error
}

// Keeper changes profiles.
type Keeper interface {
	// SaveProfile writes a profile that is at version from, or was not there if from is 0, with its binding to a folder. It
	// returns fault.JobRaceLost if it is at another version, and fault.ProfileFolderTaken, naming the other profile.
	SaveProfile(ctx context.Context, p profile.Profile, from int64) error
	// DeleteProfile deletes a profile that is at version from, or returns fault.JobRaceLost.
	DeleteProfile(ctx context.Context, name string, from int64) error
	// Busy reports whether jobs of a profile have not ended.
	Busy(ctx context.Context, name string) (bool, error)
}

// Pipeline is the switch that an operator pauses the work with.
type Pipeline interface {
	// Paused reads the switch consistently.
	Paused(ctx context.Context) (bool, error)
	// State reads the whole switch consistently.
	State(ctx context.Context) (job.Pipeline, error)
	// Turn writes the switch one version ahead of the stored one, or returns fault.PipelineRaceLost if another came first.
	Turn(ctx context.Context, p job.Pipeline) error
}

// Inputs is the input bucket.
type Inputs interface {
	// Current describes the newest version of a key, or returns fault.JobInputMissing if there is none or a delete marker
	// hides it.
	Current(ctx context.Context, key string) (job.Object, error)
	// Fetch writes an object version to w, or returns fault.JobInputMissing if it is gone.
	Fetch(ctx context.Context, o job.Object, w io.Writer) error
	// Delete hides an object behind a delete marker if its newest version is still o. It returns fault.JobInputMissing
	// if it is hidden already, fault.JobInputDiverged if another version came, and fault.JobInputHeld if it may not be
	// deleted.
	Delete(ctx context.Context, o job.Object) error
	// List goes through the current objects of a prefix in the order of their keys, from the first after a key. Their
	// versions are not told.
	List(ctx context.Context, prefix, after string) iter.Seq2[job.Object, error]
}

// Outputs is the output bucket.
type Outputs interface {
	// Owner returns the job whose output has a key, or fault.JobOutputUnavailable if the key is free. Owner, Put and Begin
	// return fault.JobOutputRefused where the bucket will never take the key or the job's right to it is missing.
	Owner(ctx context.Context, key string) (job.ID, error)
	// Holds reports whether an original of this size and SHA-256 was published as it is under a key.
	Holds(ctx context.Context, key string, size int64, sum [32]byte) (bool, error)
	// Put publishes a document that was signed in memory, or returns fault.JobOutputExists if the key is taken.
	Put(ctx context.Context, p Publication) error
	// Begin opens a multipart upload, Finish fills and completes it, the original part copied by the bucket itself. Finish
	// returns fault.JobOutputExists if the key is taken. Abort forgets an upload; one that is gone is no error.
	Begin(ctx context.Context, p Publication) (uploadID string, err error)
	Finish(ctx context.Context, p Publication, uploadID string) error
	Abort(ctx context.Context, key, uploadID string) error
}

// Publication is the output of a job: the original, byte for byte, and what was appended to it.
type Publication = job.Publication

// Queue is the work queue.
type Queue interface {
	// Ring sends a doorbell for each job.
	Ring(ctx context.Context, ids []job.ID) error
	// Waiting is about how many messages the queue holds, at work or not.
	Waiting(ctx context.Context) (int, error)
}

// Keys opens the keys of profiles.
type Keys interface {
	// Open returns a profile's key, from a cache by profile version where it can. An error with a code of the kinds
	// certificate.* and key.* says that the profile cannot sign; any other error may pass.
	Open(ctx context.Context, p profile.Profile) (profile.Key, error)
}

// Trust judges a certificate before it signs.
type Trust interface {
	// Validate follows a certificate to a trust anchor and asks whether anything on the way was revoked. It returns
	// fault.CertificateUntrusted, fault.CertificateRevoked or, where nobody could be asked and the settings do not put up
	// with that, fault.RevocationUnavailable.
	Validate(ctx context.Context, certificate *x509.Certificate, chain []*x509.Certificate, at time.Time) error
}

// Assets is where the images of seals lie.
type Assets interface {
	// Asset returns what lies at an s3:// location, from a cache where it can. It returns fault.SealImageMissing if there
	// is nothing that can be used; any other error may pass.
	Asset(ctx context.Context, location string) ([]byte, error)
}

// Cipher encrypts outputs.
type Cipher interface {
	// Ready makes sure of the key, which is made when it is first asked for. It returns fault.EncryptionUnavailable if there
	// can be none; any other error may pass.
	Ready(ctx context.Context) error
	// Seal returns the envelope of a document of size bytes.
	Seal(ctx context.Context, document io.Reader, size int64) ([]byte, error)
}

// Passes keeps the state of the passes that a schedule wakes.
type Passes interface {
	// Lease takes a pass for owner until a time and returns its state, or fault.JobRaceLost while somebody else has it.
	Lease(ctx context.Context, name, owner string, now, until time.Time) (job.Pass, error)
	// Pass reads the state of a pass; of one that never was, everything is zero.
	Pass(ctx context.Context, name string) (job.Pass, error)
	// SavePass writes the state of a leased pass, or returns fault.JobRaceLost if another lease came since.
	SavePass(ctx context.Context, p job.Pass) error
}

// Index finds jobs by their status. It is a hint: whoever acts reads the job itself.
type Index interface {
	// Oldest goes through the rows of a status from the longest there, beginning after a position ("" is the start).
	Oldest(ctx context.Context, s job.Status, after string) iter.Seq2[job.Row, error]
}

// Bells is what the sweep knows of notifications.
type Bells interface {
	// LastBell is when the last notification arrived; zero if none ever did.
	LastBell(ctx context.Context) (time.Time, error)
}

// Signer is Lacuna Signer. Its failures are *job.SignerError, but for fault.Throttled where the context ends before our
// own rate lets a call go, and the codes that are named.
type Signer interface {
	// Ready waits for the right to one call at Signer's rate; the next Create or Complete uses it.
	Ready(ctx context.Context) error
	// Upload sends a file, once.
	Upload(ctx context.Context, fileName, contentType string, content *io.SectionReader) (uploadID string, err error)
	// Create has a document made of an upload, once.
	Create(ctx context.Context, d job.Dispatch) (documentID string, err error)
	// Document reads a document back.
	Document(ctx context.Context, id string) (job.SignerDocument, error)
	// Download writes the signed bytes of a concluded document to w.
	Download(ctx context.Context, id string, w io.Writer) error
	// Cancel cancels a document.
	Cancel(ctx context.Context, id, reason string) error
	// Pending goes through the pending documents of a folder, each once.
	Pending(ctx context.Context, folderID string) iter.Seq2[job.ListedDocument, error]
	// Folder describes a folder. A job.SignerError with the code FolderNotFound says that there is none.
	Folder(ctx context.Context, id string) (job.SignerFolder, error)
	// Folders finds folders by a part of their name, nested ones included, up to a limit.
	Folders(ctx context.Context, query string) ([]job.SignerFolder, error)
	// ActionURL returns the way to a participant's pending action, or fault.SignerFolderURLMalformed.
	ActionURL(ctx context.Context, q job.ActionQuery) (job.Ticket, error)
	// Start begins a signature with a certificate in DER, once.
	Start(ctx context.Context, t job.Ticket, certificate []byte) (job.Started, error)
	// Complete hands a signature over, once.
	Complete(ctx context.Context, t job.Ticket, token string, signature []byte) (job.Handed, error)
}

// degrading are the codes that speak of a profile and not of a document.
var degrading = map[fault.Code]bool{
	fault.CertificateMissing: true, fault.CertificateInvalid: true, fault.CertificateExpired: true, fault.CertificateNotYetValid: true,
	fault.CertificateMismatch: true, fault.CertificateUnsuitable: true, fault.CertificateUntrusted: true, fault.CertificateRevoked: true,
	fault.SealImageMissing: true, fault.KeyNotFound: true, fault.KeyUnavailable: true,
	fault.KeyUnsupported: true, fault.PolicyNotInForce: true, fault.CertificateWithoutCPF: true, fault.SignerNotConfigured: true,
	fault.EncryptionUnavailable: true,
}
