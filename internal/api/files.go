package api

import (
	"context"
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
	Status       job.Status     `json:"status" enum:"Queued,Processing,Verifying,AwaitingSigner,Completed,Failed,Canceled" doc:"Queued, but where a repeated request finds the job of the first already there."`
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
	op := protected(repeatable(under(huma.Operation{
		OperationID: "postFile", Method: http.MethodPost, Path: "/api/files", Tags: []string{"Files"}, DefaultStatus: http.StatusAccepted,
		Summary:     "Hand in a file to be signed",
		Description: filesDoc, Parameters: filesParameters(), RequestBody: filesBody(a.OpenAPI().Components.Schemas),
		MaxBodyBytes: maxForm + 1, SkipValidateBody: true, // both forms are read by the handler
		Metadata: map[string]any{refusalsKey: refusals{fault.RequestInvalid, tooLargeForm}},
	}, uploadPolicy)), fault.RequestTooLarge, fault.UploadDisabled, fault.UploadInvalidName, fault.UploadEmpty, fault.UploadTooLarge,
		fault.UploadFormatUnsupported, fault.ProfileNotFound, fault.ProfileDisabled, fault.ProfileTakesNoFiles,
		fault.FileAlreadyProcessed, fault.JobRaceLost)
	huma.Register(a, op, s.file)
}

func (s *server) file(ctx context.Context, in *filesInput) (*filesOutput, error) {
	if !s.Settings.Upload.Enabled {
		return nil, fault.New(fault.UploadDisabled, "uploads are turned off")
	}
	f, err := s.read(in)
	if err != nil {
		return nil, err
	}
	if err := s.check(f); err != nil {
		return nil, err
	}
	out, err := s.accept(ctx, f)
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
