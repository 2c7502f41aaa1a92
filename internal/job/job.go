// Package job is a signing job: what it is about, its status, and the steps between statuses.
//
// A step takes a job as it was read and returns it one version further, with an entry in its history that names the
// write. Nothing here reads a clock or a store: time comes in, and whoever stores a job compares its version. A step that
// the method does not have, or that the caller may not take, returns fault.JobRaceLost.
package job

import (
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// Source says how a job began.
type Source string

// The sources.
const (
	Watcher      Source = "Watcher"
	Upload       Source = "Upload"
	Rescan       Source = "Rescan"
	Retry        Source = "Retry"
	FromSigner   Source = "SignerFolder"
	MaxNameBytes        = 1024 // S3's limit of a key
	MaxReason           = 512  // characters of what an operator gives as a reason
)

// Object is one version of an object in a bucket.
type Object struct {
	Bucket    string
	Key       string
	VersionID string
	ETag      string // without quotes
	Size      int64
	Modified  time.Time
}

// Claim is the right of one invocation to work on a job until its end.
type Claim struct {
	Owner string
	Until time.Time
}

// Terms are the settings of the profile that a job runs under. They are copied by the claim, so that a change of the
// profile does not touch what has begun.
type Terms struct {
	ProfileVersion int64
	Verify         bool
	RequirePolicy  bool
	Encrypt        bool

	// What a LacunaSigner job needs once its document comes back.
	PreserveFileExtension bool
	SaveAsPem             bool
	Participant           profile.Participant
}

// Remote is what a job has at Lacuna Signer.
type Remote struct {
	DocumentID string // GUID, in lower case
	// SHA256 is of the bytes that a LacunaSigner job sent, in hexadecimal.
	SHA256 string
	// Failures counts the calls about the document that failed in a row, polls and downloads alike.
	Failures int
	// Troubled is since when the signed document cannot be made use of for a trouble of our own; zero: it can.
	Troubled time.Time

	// What a SignerFolder job signs: the document's flow action of the certificate's holder.
	ActionID     string
	FolderID     string
	DocumentName string
	MIMEType     string
}

// Stage is a part of a job's work whose time is told.
type Stage string

// The stages: waiting for a claim, signing, verifying, publishing with the input's deletion.
const (
	StageQueue        Stage = "queue"
	StageSigning      Stage = "signing"
	StageVerification Stage = "verification"
	StageOutput       Stage = "output"
)

// Output is what a job publishes.
type Output struct {
	Key string
	// UploadKey and UploadID are of the multipart upload at work, to be aborted if the run dies.
	UploadKey, UploadID string
}

// Job is one attempt to get one thing signed.
type Job struct {
	ID       ID
	ParentID ID    // the job that this one retries
	Version  int64 // counts the writes
	Status   Status
	Since    time.Time // when the status was entered
	QueuedAt time.Time // when the job last became Queued for a reason of its own

	CreatedAt time.Time
	UpdatedAt time.Time

	Profile  string
	Method   profile.Method
	Format   profile.Format // as the profile has it; Auto until the claim decides
	Terms    Terms
	Source   Source
	Folder   string // the watched folder
	FileName string // relative to the folder
	Object   Object
	Output   Output
	Remote   Remote

	Claim  Claim
	Marked time.Time // when the run declared that it asks for what cannot be undone; zero: it did not
	Deaths int       // runs that died where a job can be taken up again

	Code   fault.Code // why the job failed, or what an operator should know of a completed one
	Error  string
	Stages map[Stage]time.Duration

	History []Entry

	// Carried holds attributes of a newer release. The store puts them back as they were.
	Carried any
}

// Claimed reports whether a run holds the job at the given time.
func (j Job) Claimed(now time.Time) bool { return j.Claim.Owner != "" && now.Before(j.Claim.Until) }

// Abandoned reports whether the run that holds the job is past its end, so that somebody else must end it.
func (j Job) Abandoned(now time.Time) bool { return j.Claim.Owner != "" && !now.Before(j.Claim.Until) }

// Origin is what a file job begins with.
type Origin struct {
	ID       ID // of a reservation; empty makes one
	Source   Source
	Profile  string
	Method   profile.Method
	Format   profile.Format
	Folder   string
	FileName string
	Object   Object
}

// New makes a Queued job.
func New(o Origin, now time.Time) Job {
	now = stamp(now)
	id := o.ID
	if id == "" {
		id = NewID()
	}
	j := Job{
		ID: id, Version: 1, Status: Queued, Since: now, QueuedAt: now, CreatedAt: now, UpdatedAt: now,
		Profile: o.Profile, Method: o.Method, Format: o.Format, Source: o.Source, Folder: o.Folder, FileName: o.FileName, Object: o.Object,
	}
	j.History = []Entry{newEntry(now, Queued, "", "Taken in from "+string(o.Source)+".")}
	return j
}

// stamp is the precision in which times are stored, so that a job read equals the job written.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
