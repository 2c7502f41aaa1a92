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
}

// Arrivals records which object versions have had a job.
type Arrivals interface {
	// TakeIn writes a new job and the record of its object version in one transaction, or returns fault.JobRaceLost if
	// the version, or a job with this id, is known. After any other error the write may have landed.
	TakeIn(ctx context.Context, j job.Job) error
	// Repeat notes that an object version is one that a job has had before. One that is noted already is no error.
	Repeat(ctx context.Context, o job.Object, id job.ID) error
	// TakenIn returns the latest job of an object version, or "" if it has none.
	TakenIn(ctx context.Context, o job.Object) (job.ID, error)
	// Reservation returns what the API reserved for a key, or fault.JobNotFound.
	Reservation(ctx context.Context, key string) (job.Reservation, error)
}

// Profiles is where profiles are kept.
type Profiles interface {
	// Get reads a profile and its degradation. It returns fault.ProfileNotFound if there is none.
	Get(ctx context.Context, name string) (profile.Profile, error)
	// Degrade notes that a profile cannot sign; Restore takes the note away. Neither changes the profile's version.
	Degrade(ctx context.Context, name string, d profile.Degradation) error
	Restore(ctx context.Context, name string) error
}

// Pipeline is the switch that an operator pauses the work with.
type Pipeline interface {
	// Paused reads the switch consistently.
	Paused(ctx context.Context) (bool, error)
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

// Passes keeps the state of the passes that a schedule wakes.
type Passes interface {
	// Lease takes a pass for owner until a time and returns its state, or fault.JobRaceLost while somebody else has it.
	Lease(ctx context.Context, name, owner string, now, until time.Time) (job.Pass, error)
	// SavePass writes the state of a leased pass, or returns fault.JobRaceLost if another lease came since.
	SavePass(ctx context.Context, p job.Pass) error
}

// Index finds jobs by their status. It is a hint: whoever acts reads the job itself.
type Index interface {
	// Oldest goes through the rows of a status from the longest there, beginning after a position ("" is the start).
	Oldest(ctx context.Context, s job.Status, after string) iter.Seq2[job.Row, error]
}

// degrading are the codes that speak of a profile and not of a document.
var degrading = map[fault.Code]bool{
	fault.CertificateMissing: true, fault.CertificateInvalid: true, fault.CertificateExpired: true, fault.CertificateNotYetValid: true,
	fault.CertificateMismatch: true, fault.CertificateUnsuitable: true, fault.CertificateUntrusted: true, fault.CertificateRevoked: true,
	fault.SealImageMissing: true, fault.KeyNotFound: true, fault.KeyUnavailable: true,
	fault.KeyUnsupported: true, fault.PolicyNotInForce: true,
}
