package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
)

// statuses is where codes meet HTTP. Every code of package fault stands here, also those that no route answers yet.
var statuses = map[fault.Code]int{
	fault.AuthInvalidCredentials: http.StatusUnauthorized,
	fault.AuthMisconfigured:      http.StatusUnauthorized,

	fault.RequestInvalid:          http.StatusBadRequest,
	fault.MessageMalformed:        http.StatusBadRequest,
	fault.ValidationFilterInvalid: http.StatusBadRequest,
	fault.UploadEmpty:             http.StatusBadRequest,
	fault.UploadInvalidName:       http.StatusBadRequest,
	fault.UploadFormatUnsupported: http.StatusBadRequest,
	fault.JobPathTooLong:          http.StatusBadRequest,
	fault.ValidationReasonTooLong: http.StatusBadRequest,
	fault.ProfileNotFound:         http.StatusBadRequest,

	fault.RouteNotFound:    http.StatusNotFound,
	fault.JobNotFound:      http.StatusNotFound,
	fault.FolderNotFound:   http.StatusNotFound,
	fault.ProfileChanged:   http.StatusPreconditionFailed,
	fault.ProfileInvalid:   http.StatusUnprocessableEntity,
	fault.MethodNotAllowed: http.StatusMethodNotAllowed,

	fault.JobRaceLost:          http.StatusConflict,
	fault.JobNotQueued:         http.StatusConflict,
	fault.JobNotFailed:         http.StatusConflict,
	fault.JobAlreadyProcessing: http.StatusConflict,
	fault.PipelineRaceLost:     http.StatusConflict,
	fault.FileAlreadyProcessed: http.StatusConflict,
	fault.ProfileExists:        http.StatusConflict,
	fault.ProfileInUse:         http.StatusConflict,
	fault.JobInputMissing:      http.StatusConflict,
	fault.JobInputDiverged:     http.StatusConflict,
	fault.JobInputHeld:         http.StatusConflict,
	fault.JobOutputUnavailable: http.StatusConflict,
	fault.JobOutputExists:      http.StatusConflict,
	fault.JobOutputRefused:     http.StatusConflict,
	fault.JobInterrupted:       http.StatusConflict,
	fault.ProfileDisabled:      http.StatusConflict,
	fault.ProfileDegraded:      http.StatusConflict,
	fault.ProfileTakesNoFiles:  http.StatusConflict,
	fault.ProfileFolderTaken:   http.StatusConflict,
	fault.UploadDisabled:       http.StatusConflict,
	fault.CertificateMissing:   http.StatusConflict,
	fault.CertificateInvalid:   http.StatusConflict,
	fault.CertificateExpired:   http.StatusConflict,

	fault.CertificateNotYetValid: http.StatusConflict,
	fault.CertificateMismatch:    http.StatusConflict,
	fault.CertificateUnsuitable:  http.StatusConflict,
	fault.KeyNotFound:            http.StatusConflict,
	fault.KeyUnavailable:         http.StatusConflict,
	fault.KeyUnsupported:         http.StatusConflict,
	fault.PolicyNotInForce:       http.StatusConflict,
	fault.CertificateRevoked:     http.StatusConflict,
	fault.CertificateUntrusted:   http.StatusConflict,
	fault.SealImageMissing:       http.StatusConflict,
	fault.CertificateWithoutCPF:  http.StatusConflict,
	fault.SignerNotConfigured:    http.StatusConflict,
	fault.EncryptionUnavailable:  http.StatusConflict,
	fault.SignerFolderGone:       http.StatusConflict,

	fault.SignerTimeout:                http.StatusConflict,
	fault.SignerDocumentRejected:       http.StatusConflict,
	fault.SignerDispatchInterrupted:    http.StatusConflict,
	fault.SignerFolderNoHolderAction:   http.StatusConflict,
	fault.SignerFolderSignatureRefused: http.StatusConflict,
	fault.SignerFolderKeyUnavailable:   http.StatusConflict,
	fault.SignerFolderProfileChanged:   http.StatusConflict,
	fault.SignerFolderInterrupted:      http.StatusConflict,
	fault.SignerFolderSignatureFailed:  http.StatusConflict,

	fault.JobOutputGone: http.StatusGone,

	fault.UploadTooLarge:   http.StatusRequestEntityTooLarge,
	fault.RequestTooLarge:  http.StatusRequestEntityTooLarge,
	fault.JobInputTooLarge: http.StatusRequestEntityTooLarge,

	fault.JobVerifyFailed:      http.StatusUnprocessableEntity,
	fault.JobFormatUnsupported: http.StatusUnprocessableEntity,
	fault.PDFNotAPDF:           http.StatusUnprocessableEntity,
	fault.PDFMalformed:         http.StatusUnprocessableEntity,
	fault.PDFEncrypted:         http.StatusUnprocessableEntity,
	fault.PDFCertified:         http.StatusUnprocessableEntity,
	fault.PDFNoPage:            http.StatusUnprocessableEntity,
	fault.PDFField:             http.StatusUnprocessableEntity,
	fault.PDFSealMisplaced:     http.StatusUnprocessableEntity,

	fault.VerifyUnknownFormat:    http.StatusUnprocessableEntity,
	fault.XMLMalformed:           http.StatusUnprocessableEntity,
	fault.XMLDoctype:             http.StatusUnprocessableEntity,
	fault.XMLDuplicateID:         http.StatusUnprocessableEntity,
	fault.XMLTooLarge:            http.StatusUnprocessableEntity,
	fault.XMLTooDeep:             http.StatusUnprocessableEntity,
	fault.XMLElementNotFound:     http.StatusUnprocessableEntity,
	fault.XMLSigned:              http.StatusUnprocessableEntity,
	fault.XMLEncodingUnsupported: http.StatusUnprocessableEntity,

	fault.CMSEmpty:     http.StatusUnprocessableEntity,
	fault.CMSMalformed: http.StatusUnprocessableEntity,
	fault.CMSDetached:  http.StatusUnprocessableEntity,

	fault.Internal:        http.StatusInternalServerError,
	fault.SettingsInvalid: http.StatusInternalServerError,
	fault.StorageUnfit:    http.StatusInternalServerError,
	fault.JobKeyRefused:   http.StatusBadGateway,

	fault.SignerUnreachable:        http.StatusBadGateway,
	fault.SignerFolderURLMalformed: http.StatusBadGateway,

	fault.SignerNotificationUnauthorized: http.StatusUnauthorized,
	fault.SignerNotificationUnavailable:  http.StatusServiceUnavailable,
	fault.RateLimited:                    http.StatusTooManyRequests,

	fault.JobKeySilent: http.StatusGatewayTimeout,
	fault.JobGivenUp:   http.StatusGatewayTimeout,
	fault.Throttled:    http.StatusServiceUnavailable,

	fault.RevocationUnavailable: http.StatusServiceUnavailable,
}

// statusOf is the status of a code. One that is not listed is our mistake and shows as one.
func statusOf(c fault.Code) int {
	if s, ok := statuses[c]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// asked has the codes whose status is another one where a path, or a job that it names, asks for the thing: there it is not
// found; elsewhere the request names it wrongly.
var asked = map[fault.Code]int{fault.ProfileNotFound: http.StatusNotFound}

// statusAt is the status of a code as an operation answers it.
func statusAt(op *huma.Operation, c fault.Code) int {
	if s, ok := asked[c]; ok && op.Metadata[askedKey] == true {
		return s
	}
	return statusOf(c)
}

// statusOfError is the status of an error as an operation answers it.
func statusOfError(op *huma.Operation, err error) int {
	if errors.Is(err, errUnconditional) {
		return http.StatusPreconditionRequired
	}
	return statusAt(op, fault.CodeOf(err))
}

// Bounds of the list of errors, which repeats names that the client chose.
const (
	maxErrors   = 20
	maxLocation = 128
)

const problemType = "application/problem+json"

// problem is an RFC 9457 problem document.
type problem struct {
	Type      string         `json:"type" doc:"Always about:blank: the code tells problems apart."`
	Title     string         `json:"title" doc:"The status in words."`
	Status    int            `json:"status" doc:"The HTTP status."`
	Code      fault.Code     `json:"code" doc:"What happened. Codes are added, never renamed."`
	Detail    string         `json:"detail,omitempty" doc:"What happened this time, for people."`
	TraceID   string         `json:"traceId" doc:"Of the whole call, across services."`
	RequestID string         `json:"requestId" doc:"Of this request, as the log has it."`
	Errors    []problemError `json:"errors,omitempty" nullable:"false" doc:"What is wrong in the request, place by place."`
	_         struct{}       `json:"-" additionalProperties:"true"`
}

// problemError is one thing that is wrong in a request. It never repeats the value: a secret may stand in the wrong place.
type problemError struct {
	Location string   `json:"location,omitempty" doc:"Where: query.pageSize, body.fileName."`
	Message  string   `json:"message" doc:"What is wrong there."`
	Remedy   string   `json:"remedy,omitempty" doc:"What to do about it."`
	Rule     int      `json:"rule,omitempty" doc:"The number of the profiles' rule that is broken. It never changes its meaning."`
	_        struct{} `json:"-" additionalProperties:"true"`
}

// Error, GetStatus and ContentType are what huma asks of an error.
func (p *problem) Error() string           { return string(p.Code) }
func (p *problem) GetStatus() int          { return p.Status }
func (*problem) ContentType(string) string { return problemType }

// answer makes the problem document of an error and logs the error: this is the one place where that happens. Of an error
// without a code, or with one that means our own failure, the client learns nothing more.
func answer(ctx context.Context, err error) *problem {
	return answerAs(ctx, statusOf(fault.CodeOf(err)), err)
}

func answerAs(ctx context.Context, status int, err error) *problem {
	code := fault.CodeOf(err)
	id := identityOf(ctx)
	p := &problem{Type: "about:blank", Status: status, Code: code, TraceID: id.trace, RequestID: id.request}
	p.Title = http.StatusText(p.Status)
	if p.Status != http.StatusInternalServerError {
		p.Detail = fault.DetailOf(err)
	}
	if p.Status < http.StatusInternalServerError {
		slog.InfoContext(ctx, "request refused", "code", code, "status", p.Status, "request", id.request)
	} else {
		slog.ErrorContext(ctx, "request failed", "code", code, "status", p.Status, "request", id.request, "err", err)
	}
	return p
}

// write sends a problem outside of huma's routes.
func write(w http.ResponseWriter, r *http.Request, err error) {
	p := answer(r.Context(), err)
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	if err := json.NewEncoder(w).Encode(p); err != nil {
		slog.InfoContext(r.Context(), "answer not sent", "err", err) // the client is gone
	}
}

// huma makes its errors through variables of its package: there is no other way to give them a shape of our own, nor to
// know names of fields to the letter. No other package of a binary with this one may set them.
func init() {
	huma.ValidateStrictCasing = true
	huma.NewError = func(status int, _ string, _ ...error) huma.StatusError { return &problem{Status: status} }
	huma.NewErrorWithContext = translate
}

// translate turns what huma reports into a problem: an error with a code as it is, what else is the request's fault into
// the code that the operation has for it.
func translate(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
	for _, err := range errs {
		if found, ok := errors.AsType[*invalid](err); ok {
			status, message, errs = http.StatusBadRequest, found.Error(), found.errs
			break
		}
		if c := fault.CodeOf(err); c != fault.Internal {
			return spoken(ctx, answerAs(ctx.Context(), statusOfError(ctx.Operation(), err), err), err)
		}
	}
	r := refusalsOf(ctx.Operation())
	switch {
	case status == http.StatusRequestEntityTooLarge:
		return spoken(ctx, answer(ctx.Context(), r.tooLarge), nil)
	case status >= http.StatusInternalServerError:
		return answer(ctx.Context(), errors.Join(append([]error{errors.New(message)}, errs...)...))
	}
	p := answer(ctx.Context(), fault.New(r.invalid, "the request cannot be used: %s", message))
	p.Errors = unusables(errs)
	return spoken(ctx, p, nil)
}

// invalid is a body that its schema does not allow, found by a handler and not by huma.
type invalid struct{ errs []error }

// Error says what huma says in the same case.
func (*invalid) Error() string { return "validation failed" }

// unusables lists what huma found, in an order that does not change, without the values.
func unusables(errs []error) []problemError {
	var list []problemError
	for _, err := range errs {
		if d, ok := errors.AsType[*huma.ErrorDetail](err); ok {
			list = append(list, problemError{Location: shorten(d.Location), Message: d.Message})
		}
	}
	slices.SortFunc(list, func(a, b problemError) int {
		return cmp.Or(cmp.Compare(a.Location, b.Location), cmp.Compare(a.Message, b.Message))
	})
	return list[:min(len(list), maxErrors)]
}

func shorten(location string) string {
	if len(location) <= maxLocation {
		return location
	}
	return location[:maxLocation] + "…"
}
