package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

const (
	// maxInline is the largest output that an answer carries: Lambda's 6 MB hold it in base64.
	maxInline = 4 << 20
	// outputLink is how long the link to a larger one lives: it is followed at once.
	outputLink = 60 * time.Second
)

// binary is the type of bytes of which nothing else is known.
const binary = "application/octet-stream"

type downloadOutput struct {
	Status      int
	ContentType string `header:"Content-Type" hidden:"true"`
	Disposition string `header:"Content-Disposition" hidden:"true"`
	Location    string `header:"Location" hidden:"true"`
	Body        []byte
}

// addOutput adds the route that hands out what was signed.
func (s *server) addOutput(a huma.API) {
	header := func(doc string) *huma.Header {
		return &huma.Header{Description: doc, Schema: &huma.Schema{Type: "string"}}
	}
	huma.Register(a, protected(huma.Operation{
		OperationID: "getOutput", Method: http.MethodGet, Path: "/api/jobs/{id}/output", Tags: []string{"Jobs"},
		Summary: "The output of a Completed job",
		Responses: map[string]*huma.Response{
			"200": {
				Description: "The output, if it has at most 4 MiB.",
				Headers:     map[string]*huma.Param{"Content-Disposition": header("The output's name (RFC 6266).")},
				Content:     map[string]*huma.MediaType{"*/*": {Schema: &huma.Schema{Type: "string", Format: "binary"}}},
			},
			"303": {
				Description: "A larger output is behind a link that lives for a minute. Follow it with GET and without the API key.",
				Headers:     map[string]*huma.Param{"Location": header("The link.")},
			},
		},
	}, fault.JobNotFound, fault.JobOutputUnavailable, fault.JobOutputGone), s.output)
}

func (s *server) output(ctx context.Context, in *jobInput) (_ *downloadOutput, err error) {
	j, err := s.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if j.Status != job.Completed {
		return nil, fault.New(fault.JobOutputUnavailable, "the job is %s", j.Status)
	}
	if j.Output.Key == "" {
		return nil, fault.New(fault.JobOutputGone, "the job names no output")
	}
	d, err := s.Outputs.Open(ctx, j.Output.Key)
	if err != nil {
		return nil, fmt.Errorf("open the output of job %s: %w", j.ID, err)
	}
	defer func() { err = errors.Join(err, d.Body.Close()) }()
	name := path.Base(j.Output.Key)
	if d.Size > maxInline {
		return s.elsewhere(ctx, j, name)
	}
	return inline(d, name)
}

// elsewhere sends the client to the bucket.
func (s *server) elsewhere(ctx context.Context, j job.Job, name string) (*downloadOutput, error) {
	l, err := s.Outputs.PresignGet(ctx, j.Output.Key, name, outputLink)
	if err != nil {
		return nil, fmt.Errorf("make a link to the output of job %s: %w", j.ID, err)
	}
	return &downloadOutput{Status: http.StatusSeeOther, Location: l.URL}, nil
}

// inline reads the whole output before anything is answered, so that half a document never looks like one.
func inline(d job.Download, name string) (*downloadOutput, error) {
	b, err := io.ReadAll(io.LimitReader(d.Body, d.Size+1))
	if err != nil {
		return nil, fmt.Errorf("read the output: %w", err)
	}
	if int64(len(b)) != d.Size {
		return nil, fmt.Errorf("the output has not the %d bytes that it should have", d.Size)
	}
	return &downloadOutput{
		Status: http.StatusOK, ContentType: mediaType(d.ContentType), Disposition: job.Attachment(name), Body: b,
	}, nil
}
