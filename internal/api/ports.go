package api

import (
	"context"
	"io"
	"iter"
	"time"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/verify"
)

// Jobs is where jobs are kept.
type Jobs interface {
	// Get reads a job consistently. It returns fault.JobNotFound if there is none.
	Get(ctx context.Context, id job.ID) (job.Job, error)
	// List returns jobs, newest first. A page may be short or empty and still have a cursor. It returns
	// fault.ValidationFilterInvalid for a cursor that it did not make.
	List(ctx context.Context, q job.Query) (job.Page, error)
	// Total counts the jobs that a query is about, whatever its page. known is false where that takes too long.
	Total(ctx context.Context, q job.Query) (n int64, known bool, err error)
}

// Reservations knows which uploads will be which jobs.
type Reservations interface {
	// Reserve notes which job the upload of a key will be, and under a key that is not "" that it is the answer to that
	// request. It returns fault.JobRaceLost if the request has an answer already.
	Reserve(ctx context.Context, r job.Reservation, key job.IdempotencyKey) error
	// Reservation returns what was noted for the key of an upload. It returns fault.JobNotFound if there is nothing.
	Reservation(ctx context.Context, key string) (job.Reservation, error)
	// Answered returns the job that a request with this key made in the last 24 hours, or "".
	Answered(ctx context.Context, key job.IdempotencyKey) (job.ID, error)
}

// Names knows which job took a file's name.
type Names interface {
	// NameHolder returns the latest job of a file name in a folder, or "". The job may have ended, or be gone.
	NameHolder(ctx context.Context, folder, name string) (job.ID, error)
}

// Profiles is where profiles are kept.
type Profiles interface {
	// Get reads a profile. It returns fault.ProfileNotFound if there is none.
	Get(ctx context.Context, name string) (profile.Profile, error)
	// List returns all profiles by name, with their degradations.
	List(ctx context.Context) ([]profile.Profile, error)
}

// Uploads is the input bucket. Its errors do not quote keys: a key has the file's name in it.
type Uploads interface {
	// PutUpload writes an object that must not exist yet, or returns fault.JobRaceLost if it does. It does not keep body.
	PutUpload(ctx context.Context, key string, body io.ReadSeeker, contentType string) error
	// PresignPut makes a link for a client to do the same with.
	PresignPut(ctx context.Context, key, contentType string, expires time.Duration) (job.Link, error)
}

// Outputs is the output bucket. Its errors do not quote keys.
type Outputs interface {
	// Open begins to read an output. It returns fault.JobOutputGone if there is none.
	Open(ctx context.Context, key string) (job.Download, error)
	// PresignGet makes a link under which a client can save the output as a file of that name.
	PresignGet(ctx context.Context, key, fileName string, expires time.Duration) (job.Link, error)
}

// Verifier judges the signatures of a file. That a signature is bad stands in the report; an error with a code says that
// the file is none whose signatures can be judged, any other that judging it went wrong. Errors do not quote the file.
type Verifier interface {
	// Verify judges a file that contains its signatures. A file without any gives a report without any. It returns
	// fault.VerifyUnknownFormat for a file of no kind that is known.
	Verify(ctx context.Context, file io.ReaderAt, size int64) (verify.Report, error)
	// VerifyDetached judges a CMS message over content that stands beside it. It returns fault.CMSMalformed for what is
	// no such message.
	VerifyDetached(ctx context.Context, cms []byte, content io.Reader) (verify.Report, error)
}

// Journal is what operators read about the service's doings.
type Journal interface {
	// Events returns entries, newest first. A page may be short or empty and still have a cursor. It returns
	// fault.ValidationFilterInvalid for a cursor that it did not make.
	Events(ctx context.Context, q job.EventQuery) (job.EventPage, error)
}

// Timings has the times of jobs.
type Timings interface {
	// Timings goes through the jobs that were Completed from a moment, which is included, to another, which is not, newest
	// first.
	Timings(ctx context.Context, from, to time.Time) iter.Seq2[job.Timing, error]
}

// Limiter counts requests.
type Limiter interface {
	// Allow counts a request of a client in the policy's window that now is in. It returns 0 if there is a permit left for
	// it, or after what time the client may ask again.
	Allow(ctx context.Context, policy, client string, permits int, window time.Duration, now time.Time) (retryAfter time.Duration, err error)
}

// Figures are how things stand, at a cost that does not grow with the jobs that there are.
type Figures interface {
	// Standing counts the jobs of statuses that are not final, up to a bound, and finds the oldest of each, in their order.
	Standing(ctx context.Context, statuses ...job.Status) ([]job.Standing, error)
	// Hours returns how many jobs ended in each hour from one to another, both included, oldest first.
	Hours(ctx context.Context, from, to time.Time) ([]job.Hour, error)
	// CountersOf returns what was counted of metrics.
	CountersOf(ctx context.Context, names ...string) ([]job.Count, error)
	// State reads the pipeline's switch.
	State(ctx context.Context) (job.Pipeline, error)
}
