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

A request is routed by its path to the letter: one with a slash at its end, or with two slashes in a row, is another path and is not found. ` +
	`A query parameter that is unknown, empty or there twice is refused.

Every time is UTC. Answers may get further fields.`

// configuration is huma's, without the pages and transformations that it would add.
func configuration(keyHeader string) huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Servers: []*huma.Server{{URL: "/", Description: "The host that the document comes from. A named stage, or a base path of a domain, stands before every path."}},
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
	askedKey     = "asked"
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
	codes = slices.Concat(codes, []fault.Code{refusalsOf(&op).invalid, fault.AuthInvalidCredentials, fault.AuthMisconfigured, fault.Throttled, fault.Internal})
	if policyOf(&op) != "" {
		codes = append(codes, fault.RateLimited)
	}
	if op = documented(op, codes); op.Metadata[conditionalKey] == true {
		describe(&op, http.StatusPreconditionRequired, fault.RequestInvalid, "the request has no If-Match")
	}
	return op
}

// anonymous completes an operation that anybody may ask for.
func anonymous(op huma.Operation) huma.Operation {
	op.Metadata = map[string]any{anonymousKey: true}
	op.Security = []map[string][]string{{}} // said, so that nobody takes it for forgotten
	return documented(op, []fault.Code{fault.Internal})
}

// documented adds the problems that an operation answers, one response for each status with its codes as examples.
func documented(op huma.Operation, codes []fault.Code) huma.Operation {
	if op.Responses == nil {
		op.Responses = map[string]*huma.Response{}
	}
	slices.Sort(codes)
	for _, c := range slices.Compact(codes) {
		describe(&op, statusAt(&op, c), c, meanings[c])
	}
	return op
}

// describe adds one problem to the response of its status.
func describe(op *huma.Operation, status int, c fault.Code, meaning string) {
	key := strconv.Itoa(status)
	r := op.Responses[key]
	if r == nil {
		r = &huma.Response{Content: map[string]*huma.MediaType{}}
		op.Responses[key] = r
	}
	if r.Content[problemType] == nil {
		r.Content[problemType] = problemMedia()
	}
	if status == http.StatusTooManyRequests {
		r.Headers = map[string]*huma.Param{"Retry-After": {Description: "After how many seconds to ask again.", Schema: &huma.Schema{Type: huma.TypeInteger}}}
	}
	r.Description = strings.TrimSpace(fmt.Sprintf("%s\n- `%s`: %s", r.Description, c, meaning))
	r.Content[problemType].Examples[string(c)] = &huma.Example{Summary: meaning, Value: example(status, c)}
}

func problemMedia() *huma.MediaType {
	return &huma.MediaType{
		Schema:   &huma.Schema{Ref: "#/components/schemas/Problem"}, // which huma registers with the first operation
		Examples: map[string]*huma.Example{},
	}
}

func example(status int, c fault.Code) *problem {
	return &problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Code: c,
		TraceID: "1-67891233-abcdef012345678912345678", RequestID: "JKJaXmPLvHcESHA=",
	}
}

// meanings say what the codes mean that a route answers.
var meanings = map[fault.Code]string{
	fault.AuthInvalidCredentials:  "the API key is missing, wrong or there twice",
	fault.AuthMisconfigured:       "the service has no API key",
	fault.CMSMalformed:            "the file is no CMS message that can be read",
	fault.CertificateExpired:      "the certificate is no longer valid",
	fault.CertificateInvalid:      "the certificate cannot be read",
	fault.CertificateMismatch:     "the certificate belongs to another key",
	fault.CertificateMissing:      "there is no certificate where the profile says",
	fault.CertificateNotYetValid:  "the certificate is not valid yet",
	fault.CertificateRevoked:      "the certificate was revoked",
	fault.CertificateUnsuitable:   "the certificate is not for signatures",
	fault.CertificateUntrusted:    "the certificate leads to no trust anchor of the service",
	fault.CertificateWithoutCPF:   "the certificate has no CPF, so that nothing at Lacuna Signer could be its holder's",
	fault.FileAlreadyProcessed:    "a file of this name was taken in before, and its job is at work or completed",
	fault.FolderNotFound:          "no watched folder has this name",
	fault.Internal:                "the service failed; its log has the request's id",
	fault.JobAlreadyProcessing:    "another job is at work on the same thing",
	fault.JobInputMissing:         "the file is no longer in the input bucket",
	fault.JobNotFailed:            "the job has not failed, or there is nothing to retry",
	fault.JobNotFound:             "there is no such job, or none yet: an upload becomes a job when its bytes are there",
	fault.JobNotQueued:            "the job is neither Queued nor AwaitingSigner",
	fault.JobOutputGone:           "the job is Completed, but its output is no longer there",
	fault.JobOutputUnavailable:    "the job is not Completed",
	fault.JobRaceLost:             "something else was faster; read how things are, and ask again",
	fault.KeyNotFound:             "there is no key where the profile says",
	fault.KeyUnavailable:          "the key cannot be used now",
	fault.KeyUnsupported:          "the key is of a kind that cannot sign here",
	fault.PDFEncrypted:            "the PDF is encrypted",
	fault.PDFMalformed:            "the PDF cannot be read as far as its signatures",
	fault.PDFNotAPDF:              "the file does not begin like a PDF",
	fault.PipelineRaceLost:        "somebody else turned the switch at the same moment, and this request did nothing",
	fault.PolicyNotInForce:        "no signature policy is in force that the signature could follow",
	fault.ProfileChanged:          "somebody else saved the profile meanwhile",
	fault.ProfileDisabled:         "the profile takes no new work",
	fault.ProfileExists:           "there is a profile of this name already",
	fault.ProfileFolderTaken:      "another profile signs in that folder at Lacuna Signer",
	fault.ProfileInUse:            "jobs of the profile have not ended, a watched folder names it, or it is the default",
	fault.ProfileInvalid:          "the profile breaks rules, which errors lists",
	fault.ProfileNotFound:         "there is no such profile",
	fault.ProfileTakesNoFiles:     "the profile signs what waits in a folder, and takes no files",
	fault.RateLimited:             "too many requests of this kind have come from your address",
	fault.RequestInvalid:          "the request cannot be understood",
	fault.RequestTooLarge:         "the body is larger than this form allows",
	fault.RevocationUnavailable:   "nobody could say whether the certificate was revoked",
	fault.RouteNotFound:           "there is nothing under this address",
	fault.SealImageMissing:        "the image of the seal is not where the profile says",
	fault.SignerNotConfigured:     "the service has no Lacuna Signer in its settings",
	fault.SignerUnreachable:       "Lacuna Signer did not answer as expected; it may do so later",
	fault.Throttled:               "too much at the moment; ask again later",
	fault.UploadDisabled:          "the service takes in no uploads",
	fault.UploadEmpty:             "the file has no bytes",
	fault.UploadFormatUnsupported: "the format is none of Pades, Cades and Xades",
	fault.UploadInvalidName:       "the file's name cannot be used",
	fault.UploadTooLarge:          "the file is larger than is taken in, or than can be sent in this form",
	fault.ValidationFilterInvalid: "a query parameter cannot be used; a filter is never widened",
	fault.ValidationReasonTooLong: "the reason has more than 512 characters",
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
