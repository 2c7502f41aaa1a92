// Package api is the REST API: jobs can be listed and read, files handed in, outputs fetched, signatures judged.
//
// It promises that every answer is JSON of a documented shape, an output, or an RFC 9457 problem with a code; that the
// OpenAPI document comes from the same definitions as the routes; that what a request says is used as it stands or
// refused, never guessed at; and that everything which is read has a limit. Names of files, keys and contents stay out of
// the log.
//
// A file that is handed in becomes a job when the work queue takes its object in, like any other file: the API writes a
// reservation and brings the bytes into the bucket, or says where to put them. Signing, and all else that happens to a
// job, is left to others. A file that is sent to be judged is judged in memory: it is in no bucket, no table and no log,
// and what is found is the Verifier's word. Gateway serves the handler behind API Gateway.
package api

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/settings"
	"bulksigner/internal/verify"
)

// Jobs is what the API needs from the store.
type Jobs interface {
	// Get reads a job consistently. It returns fault.JobNotFound if there is none.
	Get(ctx context.Context, id job.ID) (job.Job, error)
	// List returns jobs, newest first. A page may be short or empty and still have a cursor. It returns
	// fault.ValidationFilterInvalid for a cursor that it did not make.
	List(ctx context.Context, q job.Query) (job.Page, error)
	// Reserve notes which job the upload of a key will be.
	Reserve(ctx context.Context, r job.Reservation) error
}

// Profiles is where profiles are kept.
type Profiles interface {
	// Get reads a profile. It returns fault.ProfileNotFound if there is none.
	Get(ctx context.Context, name string) (profile.Profile, error)
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

// Parts are what an API works with.
type Parts struct {
	Jobs     Jobs
	Profiles Profiles
	Uploads  Uploads
	Outputs  Outputs
	Verifier Verifier

	// Key returns the API key; it is called for every request that needs one. An empty key lets nobody in.
	Key       func(ctx context.Context) (string, error)
	KeyHeader string // X-API-Key if it is empty

	Upload settings.Upload
	Now    func() time.Time // time.Now if it is nil
}

// server has the operations as methods.
type server struct {
	Parts
	announcements *schemaCheck
}

// New makes the handler of all routes.
func New(p Parts) http.Handler {
	if p.KeyHeader == "" {
		p.KeyHeader = "X-API-Key"
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	s := &server{Parts: p, announcements: newSchemaCheck[announcement]()}
	mux := http.NewServeMux()
	a := humago.New(mux, configuration(p.KeyHeader))
	a.UseMiddleware(s.authenticate(a), strictly(a))
	s.addHealth(a)
	s.addJobs(a)
	s.addFiles(a)
	s.addOutput(a)
	s.addVerify(a)
	addDocument(a)
	return front{mux}
}
