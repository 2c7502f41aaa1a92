package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/verify"
)

// contentPart is the part of a form with the content that a detached signature is over.
const contentPart = "content"

type verifyInput struct {
	ContentType string `header:"Content-Type" hidden:"true"`
	RawBody     []byte `contentType:"multipart/form-data"`
}

type verifyOutput struct {
	Body verdict
}

// tooLargeToVerify is what a body above the limit gets to read. There is no other way to send it.
var tooLargeToVerify = fault.New(fault.UploadTooLarge, "a multipart body may have %d bytes", maxForm)

// addVerify adds the route that judges signatures. It does not ask whether uploads are turned on: nothing is taken in.
func (s *server) addVerify(a huma.API) {
	op := protected(huma.Operation{
		OperationID: "verifyFile", Method: http.MethodPost, Path: "/api/verify", Tags: []string{"Verification"},
		Summary:     "Judge the signatures of a file",
		Description: verifyDoc(), RequestBody: verifyBody(), Responses: verifyResponses(),
		MaxBodyBytes: maxForm + 1, SkipValidateBody: true, // the handler reads the form
		Metadata: map[string]any{refusalsKey: refusals{fault.RequestInvalid, tooLargeToVerify}},
	}, fault.UploadInvalidName, fault.UploadEmpty, fault.UploadTooLarge, fault.VerifyUnknownFormat,
		fault.PDFNotAPDF, fault.PDFMalformed, fault.PDFEncrypted, fault.CMSMalformed, fault.XMLMalformed, fault.XMLDoctype,
		fault.XMLDuplicateID, fault.XMLTooLarge, fault.XMLTooDeep, fault.XMLEncodingUnsupported)
	huma.Register(a, op, s.verify)
}

func (s *server) verify(ctx context.Context, in *verifyInput) (*verifyOutput, error) {
	boundary, ok := boundaryOf(in.ContentType)
	if !ok {
		return nil, fault.New(fault.RequestInvalid, "send multipart/form-data with a boundary")
	}
	parts, err := parseForm(in.RawBody, boundary, filePart, contentPart)
	if err != nil {
		return nil, err
	}
	report, err := s.judge(ctx, parts)
	if err != nil {
		return nil, err
	}
	return &verifyOutput{verdictOf(report)}, nil
}

// judge checks the parts like files that are handed in, and has them judged. A part without a file's name is refused like
// there: a browser would send it as text, with its line ends changed, and a good signature would look broken.
func (s *server) judge(ctx context.Context, parts map[string]incoming) (verify.Report, error) {
	file := parts[filePart]
	if err := s.check(file); err != nil {
		return verify.Report{}, err
	}
	content, detached := parts[contentPart]
	if !detached {
		r, err := s.Verifier.Verify(ctx, bytes.NewReader(file.content), int64(len(file.content)))
		if err != nil {
			return verify.Report{}, fmt.Errorf("verify a file: %w", err)
		}
		return r, nil
	}
	if err := s.check(content); err != nil {
		return verify.Report{}, err
	}
	r, err := s.Verifier.VerifyDetached(ctx, file.content, bytes.NewReader(content.content))
	if err != nil {
		return verify.Report{}, fmt.Errorf("verify a detached signature: %w", err)
	}
	return r, nil
}
