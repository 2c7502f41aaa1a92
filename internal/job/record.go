package job

import (
	"io"
	"strconv"
	"time"

	"bulksigner/internal/profile"
)

// Reservation is what the API promises for an upload before its bytes are there: taking in makes the job.
type Reservation struct {
	Key      string
	Job      ID
	Profile  string
	Format   profile.Format
	FileName string
	Expires  time.Time
}

// UploadPrefix begins the keys of uploads in the input bucket: uploads/<job id>/<name>.
const UploadPrefix = "uploads/"

// Row is what an index tells about a job.
type Row struct {
	ID         ID
	Status     Status
	Since      time.Time
	ClaimUntil time.Time
	DocumentID string // at Lacuna Signer
	Position   string // to go on after
}

// Pipeline is the switch that an operator pauses the work with.
type Pipeline struct {
	Version   int64
	Paused    bool
	PausedAt  time.Time // of the last pause; zero: there was none
	ResumedAt time.Time
	PausedBy  string
	Reason    string
}

// Event is an entry of the operators' journal.
type Event struct {
	ID      string
	Time    time.Time
	Type    string
	Message string // English; no contents, no personal identifiers
}

// Types of events.
const (
	EventSignerDocumentEnqueued            = "SignerDocumentEnqueued"
	EventSignerDocumentWithoutHolderAction = "SignerDocumentWithoutHolderAction"
	EventJobSignedAtSigner                 = "JobSignedAtSigner"
	EventJobNoLongerPendingAtSigner        = "JobNoLongerPendingAtSigner"
	EventPipelinePaused                    = "PipelinePaused"
	EventPipelineResumed                   = "PipelineResumed"
	EventProfileCreated                    = "SigningProfileCreated"
	EventProfileEdited                     = "SigningProfileEdited"
	EventProfileDeleted                    = "SigningProfileDeleted"
	EventJobsCleared                       = "JobsCleared"
	EventJobDeleted                        = "JobDeleted"
	EventFileAlreadyProcessed              = "FileAlreadyProcessed"
	EventFileRefused                       = "FileRefused" // an object whose profile takes no files, or no work
	EventDeadLettersReturned               = "DeadLettersReturned"
)

// Pass is the stored state of a pass that a schedule wakes.
type Pass struct {
	Name   string
	Owner  string
	Until  time.Time // end of the lease
	Fence  int64     // grows with every lease, so that a late writer loses
	State  string    // JSON, of whoever runs the pass
	NextAt time.Time
}

// Publication is the output of a job.
type Publication struct {
	Job         ID
	Key         string
	ContentType string
	Content     *io.SectionReader // the whole output

	// Begins says that the output begins with the original, byte for byte, so that the bucket can copy that part itself.
	Begins   bool
	Original Object
	SHA256   [32]byte // of the original
}

// DayOf is the index day of a time.
func DayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// ShardName is a shard as it stands in an index key.
func ShardName(n int) string { return strconv.Itoa(n) }
