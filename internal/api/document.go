package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
)

// about is the document's introduction.
const about = `Documents are signed in bulk: a file that is handed in becomes a job, and a job that is Completed has an output. ` +
	`A document that is signed already can be judged on the spot.

Failures are RFC 9457 problem documents; tell them apart by their code. The gateway in front of the API answers by itself, ` +
	`without a code, where a request is larger than it carries (413) or there are too many (429).

Every time is UTC. Answers may get further fields.`

// configuration is huma's, without the pages and transformations that it would add.
func configuration(keyHeader string) huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info:    &huma.Info{Title: "Bulk Signer", Version: "1", Description: about},
			Components: &huma.Components{
				Schemas:         huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
				SecuritySchemes: map[string]*huma.SecurityScheme{scheme: {Type: "apiKey", In: "header", Name: keyHeader}},
			},
		},
		// The second name is how huma finds the format of a problem document.
		Formats:       map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat},
		DefaultFormat: "application/json",
	}
}

// refusals say what an operation answers where huma finds fault with a request.
type refusals struct {
	invalid  fault.Code
	tooLarge *fault.Error
}

// Keys of an operation's metadata.
const (
	refusalsKey  = "refusals"
	anonymousKey = "anonymous"
)

func refusalsOf(op *huma.Operation) refusals {
	if r, ok := op.Metadata[refusalsKey].(refusals); ok {
		return r
	}
	return refusals{fault.RequestInvalid, fault.New(fault.RequestTooLarge, "the body is too large")}
}

func isAnonymous(op *huma.Operation) bool { return op.Metadata[anonymousKey] == true }

// protected completes an operation that needs the key: without a word about it, an operation is one of these.
func protected(op huma.Operation, codes ...fault.Code) huma.Operation {
	op.Security = []map[string][]string{{scheme: {}}}
	op.RejectUnknownQueryParameters = true
	return documented(op, append(codes, refusalsOf(&op).invalid, fault.AuthInvalidCredentials, fault.AuthMisconfigured, fault.Throttled, fault.Internal))
}

// anonymous completes an operation that anybody may ask for.
func anonymous(op huma.Operation) huma.Operation {
	op.Metadata = map[string]any{anonymousKey: true}
	return documented(op, []fault.Code{fault.Internal})
}

// documented adds the problems that an operation answers, one response for each status with its codes as examples.
func documented(op huma.Operation, codes []fault.Code) huma.Operation {
	if op.Responses == nil {
		op.Responses = map[string]*huma.Response{}
	}
	slices.Sort(codes)
	for _, c := range slices.Compact(codes) {
		status := statusOf(c)
		key := strconv.Itoa(status)
		if op.Responses[key] == nil {
			op.Responses[key] = problemResponse()
		}
		r := op.Responses[key]
		r.Description = strings.TrimSpace(fmt.Sprintf("%s\n- `%s`: %s", r.Description, c, meanings[c]))
		r.Content[problemType].Examples[string(c)] = &huma.Example{Summary: meanings[c], Value: example(c)}
	}
	return op
}

func problemResponse() *huma.Response {
	return &huma.Response{Content: map[string]*huma.MediaType{problemType: {
		Schema:   &huma.Schema{Ref: "#/components/schemas/Problem"}, // which huma registers with the first operation
		Examples: map[string]*huma.Example{},
	}}}
}

func example(c fault.Code) *problem {
	return &problem{
		Type: "about:blank", Title: http.StatusText(statusOf(c)), Status: statusOf(c), Code: c,
		TraceID: "1-67891233-abcdef012345678912345678", RequestID: "JKJaXmPLvHcESHA=",
	}
}

// meanings say what the codes mean that a route answers.
var meanings = map[fault.Code]string{
	fault.AuthInvalidCredentials:  "the API key is missing, wrong or there twice",
	fault.AuthMisconfigured:       "the service has no API key",
	fault.CMSMalformed:            "the file is no CMS message that can be read",
	fault.Internal:                "the service failed; its log has the request's id",
	fault.JobNotFound:             "there is no such job, or none yet: an upload becomes a job when its bytes are there",
	fault.JobOutputGone:           "the job is Completed, but its output is no longer there",
	fault.JobOutputUnavailable:    "the job is not Completed",
	fault.PDFEncrypted:            "the PDF is encrypted",
	fault.PDFMalformed:            "the PDF cannot be read as far as its signatures",
	fault.PDFNotAPDF:              "the file does not begin like a PDF",
	fault.ProfileDisabled:         "the profile takes no new work",
	fault.ProfileNotFound:         "there is no such profile",
	fault.ProfileTakesNoFiles:     "the profile signs what waits in a folder, and takes no files",
	fault.RequestInvalid:          "the request cannot be understood",
	fault.RequestTooLarge:         "the body is larger than this form allows",
	fault.Throttled:               "too much at the moment; ask again later",
	fault.UploadDisabled:          "the service takes in no uploads",
	fault.UploadEmpty:             "the file has no bytes",
	fault.UploadFormatUnsupported: "the format is none of Pades, Cades and Xades",
	fault.UploadInvalidName:       "the file's name cannot be used",
	fault.UploadTooLarge:          "the file is larger than is taken in, or than can be sent in this form",
	fault.ValidationFilterInvalid: "a query parameter cannot be used; a filter is never widened",
	fault.VerifyUnknownFormat:     "the file is neither PDF nor CMS nor XML",
	fault.XMLDoctype:              "the XML has a DOCTYPE",
	fault.XMLDuplicateID:          "two elements of the XML have the same identifier",
	fault.XMLEncodingUnsupported:  "the XML is in an encoding that is not read here",
	fault.XMLMalformed:            "the XML is not well-formed",
	fault.XMLTooDeep:              "the XML's elements are nested too deep",
	fault.XMLTooLarge:             "the XML has more than is read, of one thing or another",
}

type documentOutput struct {
	ContentType string `header:"Content-Type" hidden:"true"`
	Body        []byte
}

// addDocument serves the document of all operations before it and itself. Anybody may read it: it says what the service
// can do and nothing about what it holds, and tools fetch it before they have a key.
func addDocument(a huma.API) {
	const path = "/api/openapi.json"
	text := sync.OnceValues(func() ([]byte, error) { return json.Marshal(a.OpenAPI()) })
	op := huma.Operation{
		OperationID: "getDocument", Method: http.MethodGet, Path: path, Tags: []string{"Service"}, Summary: "This document",
		Responses: map[string]*huma.Response{"200": {
			Description: "An OpenAPI 3.1 document.",
			Content:     map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: "object"}}},
		}},
	}
	huma.Register(a, anonymous(op), func(context.Context, *struct{}) (*documentOutput, error) {
		b, err := text()
		if err != nil {
			return nil, fmt.Errorf("write the OpenAPI document: %w", err)
		}
		return &documentOutput{ContentType: "application/json", Body: b}, nil
	})
}

type healthOutput struct {
	Body struct {
		Status string   `json:"status" enum:"ok"`
		_      struct{} `json:"-" additionalProperties:"true"`
	} `nameHint:"Health"`
}

// addHealth says that requests arrive. It asks nothing else, so that it costs nothing and needs no key.
func (s *server) addHealth(a huma.API) {
	op := huma.Operation{
		OperationID: "getHealth", Method: http.MethodGet, Path: "/api/health", Tags: []string{"Service"}, Summary: "Whether the API answers",
	}
	huma.Register(a, anonymous(op), func(context.Context, *struct{}) (*healthOutput, error) {
		out := &healthOutput{}
		out.Body.Status = "ok"
		return out, nil
	})
}
