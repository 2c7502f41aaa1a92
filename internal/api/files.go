package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

const (
	// maxForm is the largest multipart body. API Gateway hands a body over in base64, within the 6 MB that Lambda takes.
	maxForm = 4_400_000
	// filePart is the part of a form that a file is sent in.
	filePart = "file"
	// reservationLife is how long an announced upload may take to arrive.
	reservationLife = 30 * 24 * time.Hour
	// uploadLink is how long a link for an upload lives, unless the credentials that sign it end earlier.
	uploadLink = time.Hour
)

type filesInput struct {
	Profile     string `query:"profile"`
	Format      string `query:"format"`
	ContentType string `header:"Content-Type" hidden:"true"`
	RawBody     []byte `contentType:"multipart/form-data"`
}

type filesOutput struct {
	Body acceptedFile
}

// acceptedFile is the answer to a file that was handed in or announced.
type acceptedFile struct {
	JobID        job.ID         `json:"jobId" format:"uuid" doc:"The id that the job will have."`
	FileName     string         `json:"fileName"`
	OriginalPath string         `json:"originalPath" doc:"The key of the object in the input bucket."`
	Format       profile.Format `json:"format" enum:"Pades,Cades,Xades"`
	Status       job.Status     `json:"status" enum:"Queued"`
	Upload       *uploadRequest `json:"upload,omitempty" doc:"The request that brings the bytes, if they were announced."`
	_            struct{}       `json:"-" additionalProperties:"true"`
}

// uploadRequest is what a client sends to bring the bytes.
type uploadRequest struct {
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers" doc:"To be sent as they are."`
	ExpiresAt time.Time         `json:"expiresAt" doc:"The link's real end."`
	_         struct{}          `json:"-" additionalProperties:"true"`
}

// incoming is a file on its way in, in either form.
type incoming struct {
	name, contentType string
	profile, format   string
	announced         bool
	content           []byte // unless it is announced
}

// tooLargeForm is what a multipart body above the limit gets to read.
var tooLargeForm = fault.New(fault.UploadTooLarge,
	"a multipart body may have %d bytes; announce a larger file as JSON and put it where the answer says", maxForm)

// addFiles adds the route that takes files in.
func (s *server) addFiles(a huma.API) {
	op := protected(huma.Operation{
		OperationID: "postFile", Method: http.MethodPost, Path: "/api/files", Tags: []string{"Files"}, DefaultStatus: http.StatusAccepted,
		Summary:     "Hand in a file to be signed",
		Description: filesDoc, Parameters: filesParameters(), RequestBody: filesBody(a.OpenAPI().Components.Schemas),
		MaxBodyBytes: maxForm + 1, SkipValidateBody: true, // both forms are read by the handler
		Metadata: map[string]any{refusalsKey: refusals{fault.RequestInvalid, tooLargeForm}},
	}, fault.RequestTooLarge, fault.UploadDisabled, fault.UploadInvalidName, fault.UploadEmpty, fault.UploadTooLarge,
		fault.UploadFormatUnsupported, fault.ProfileNotFound, fault.ProfileDisabled, fault.ProfileTakesNoFiles)
	huma.Register(a, op, s.file)
}

func (s *server) file(ctx context.Context, in *filesInput) (*filesOutput, error) {
	if !s.Upload.Enabled {
		return nil, fault.New(fault.UploadDisabled, "uploads are turned off")
	}
	f, err := s.read(in)
	if err != nil {
		return nil, err
	}
	r, err := s.reserve(ctx, f)
	if err != nil {
		return nil, err
	}
	out := acceptedFile{JobID: r.Job, FileName: r.FileName, OriginalPath: r.Key, Format: r.Format, Status: job.Queued}
	if f.announced {
		out.Upload, err = s.link(ctx, r.Key, f.contentType)
	} else {
		err = s.put(ctx, r, f)
	}
	if err != nil {
		return nil, err
	}
	return &filesOutput{out}, nil
}

// read takes the file out of the request, whichever form it has.
func (s *server) read(in *filesInput) (incoming, error) {
	if boundary, ok := boundaryOf(in.ContentType); ok {
		parts, err := parseForm(in.RawBody, boundary, filePart)
		f := parts[filePart]
		f.profile, f.format = in.Profile, in.Format
		return f, err
	}
	if kind, _, err := mime.ParseMediaType(in.ContentType); err == nil && kind == "application/json" {
		if in.Profile != "" || in.Format != "" {
			return incoming{}, fault.New(fault.RequestInvalid, "profile and format of an announced file stand in the body")
		}
		return s.parseAnnouncement(in.RawBody)
	}
	return incoming{}, fault.New(fault.RequestInvalid, "send multipart/form-data with a boundary, or application/json")
}

// reserve checks the file and writes down which job it will be. The reservation keeps an open format open; the one that
// is returned says what it comes to.
func (s *server) reserve(ctx context.Context, f incoming) (job.Reservation, error) {
	if err := s.check(f); err != nil {
		return job.Reservation{}, err
	}
	p, err := s.profile(ctx, f.profile)
	if err != nil {
		return job.Reservation{}, err
	}
	id := job.NewID()
	r := job.Reservation{
		Key: job.UploadPrefix + string(id) + "/" + f.name, Job: id, Profile: p.Name, Format: profile.Format(f.format),
		FileName: f.name, Expires: s.Now().Add(reservationLife),
	}
	if err := s.Jobs.Reserve(ctx, r); err != nil {
		return job.Reservation{}, fmt.Errorf("reserve job %s: %w", id, err)
	}
	if r.Format == profile.Auto {
		r.Format = formatOf(p.Format, f.name)
	}
	return r, nil
}

// check looks at what the file says of itself.
func (s *server) check(f incoming) error {
	if err := checkName(f.name); err != nil {
		return err
	}
	switch size := int64(len(f.content)); {
	case size == 0 && !f.announced:
		return fault.New(fault.UploadEmpty, "the file has no bytes")
	case size > s.Upload.MaxBytes:
		return fault.New(fault.UploadTooLarge, "a file may have %d bytes", s.Upload.MaxBytes)
	case f.format != "" && !profile.Format(f.format).Known():
		return fault.New(fault.UploadFormatUnsupported, "the format is none of %v", profile.Formats)
	}
	return nil
}

// profile finds the profile that a file is for. A name that no profile can have is not looked up.
func (s *server) profile(ctx context.Context, name string) (profile.Profile, error) {
	if name == "" {
		name = profile.Default
	}
	if !profile.ValidName(name) {
		return profile.Profile{}, fault.New(fault.ProfileNotFound, "there is no such profile")
	}
	p, err := s.Profiles.Get(ctx, name)
	switch {
	case err != nil:
		return profile.Profile{}, fmt.Errorf("read profile %s: %w", name, err)
	case !p.Enabled:
		return profile.Profile{}, fault.New(fault.ProfileDisabled, "the profile %s is disabled", name)
	case p.Method == profile.SignerFolder:
		return profile.Profile{}, fault.New(fault.ProfileTakesNoFiles, "the profile %s signs what waits at Lacuna Signer", name)
	}
	return p, nil
}

// put brings the bytes into the bucket. The id in the key is new and nobody else's: an object that is there already came
// from a try of this very request whose answer was lost.
func (s *server) put(ctx context.Context, r job.Reservation, f incoming) error {
	err := s.Uploads.PutUpload(ctx, r.Key, bytes.NewReader(f.content), f.contentType)
	if err != nil && !errors.Is(err, fault.JobRaceLost) {
		return fmt.Errorf("put the upload of job %s: %w", r.Job, err)
	}
	return nil
}

// link makes the request that brings an announced file.
func (s *server) link(ctx context.Context, key, contentType string) (*uploadRequest, error) {
	l, err := s.Uploads.PresignPut(ctx, key, contentType, uploadLink)
	if err != nil {
		return nil, fmt.Errorf("make a link for the upload: %w", err)
	}
	u := &uploadRequest{Method: l.Method, URL: l.URL, Headers: l.Header, ExpiresAt: l.Expires.UTC()}
	if u.Headers == nil {
		u.Headers = map[string]string{}
	}
	return u, nil
}
