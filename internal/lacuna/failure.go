package lacuna

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"

	"bulksigner/internal/job"
)

// Why an answer is not Signer's, or did not come.
var (
	errSlow    = errors.New("it took too long")
	errStalled = errors.New("nothing moved for too long")
	errTooLong = errors.New("the answer is longer than such an answer may be")
	errForm    = errors.New("the answer does not have the form of such an answer")
	errHTML    = errors.New("the answer is a page of HTML")
	errEmpty   = errors.New("the answer is empty")
	errOther   = errors.New("the answer is about something else than what was asked for")
	errPages   = errors.New("the list has more pages than are read")
	errGUID    = errors.New("an id is no GUID")
)

const maxErrorModel = 64 << 10

// unsent is a call for which no connection was made.
func unsent(op string, why error) *job.SignerError {
	return &job.SignerError{Op: op, Transient: true, Unsent: true, Cause: why}
}

// impossible is a call that can never be sent as it is: it is about something whose id Signer cannot know, say.
func impossible(op string, why error) *job.SignerError {
	return &job.SignerError{Op: op, Unsent: true, Cause: why}
}

// silence is a call that was not answered.
func silence(ctx context.Context, op string, err error, connected bool) *job.SignerError {
	return &job.SignerError{Op: op, Transient: true, Unsent: !connected, Cause: harmless(ctx, err)}
}

// foreign is a success that is not Signer's.
func foreign(op string, why error) *job.SignerError {
	return &job.SignerError{Op: op, Status: http.StatusOK, Transient: true, Cause: why}
}

// broken is a success whose body could not be read.
func broken(ctx context.Context, op string, err error) *job.SignerError {
	if ctx.Err() != nil {
		return silence(ctx, op, err, true)
	}
	return foreign(op, harmless(ctx, err))
}

// refusal is an answer without success. A 4xx but 408 and 429 is permanent, whoever it is from; everything else may pass.
func refusal(op string, r *http.Response) *job.SignerError {
	e := &job.SignerError{Op: op, Status: r.StatusCode}
	client := r.StatusCode/100 == 4
	e.Transient = !client || r.StatusCode == http.StatusRequestTimeout || r.StatusCode == http.StatusTooManyRequests
	if client && !e.Denied() { // what a 401 or 403 says is not specified
		e.Code = errorCode(r.Body)
	}
	return e
}

// codeForm is how Signer's codes look. Nothing else is repeated: the rest of an answer can quote a document's key.
var codeForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// errorCode is the code of an error model, or "" if a body is none. A body that breaks off changes nothing about the
// status, which decides.
func errorCode(body io.Reader) string {
	b, err := read(body, maxErrorModel)
	if err != nil {
		return ""
	}
	var model struct{ Code any }
	if json.Unmarshal(b, &model) != nil {
		return ""
	}
	code, ok := model.Code.(string)
	if !ok || !codeForm.MatchString(code) {
		return ""
	}
	return code
}

// harmless is as much of an error as may be logged. Errors of net/http quote addresses, in which there are keys of
// documents, and answers that are not HTTP.
func harmless(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e
	}
	for _, known := range []error{errTooLong, http.ErrSchemeMismatch, io.ErrUnexpectedEOF, io.EOF} {
		if errors.Is(err, known) {
			return known
		}
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return errSlow
	}
	return fmt.Errorf("the exchange over HTTP broke (%T)", innermost(err))
}

func innermost(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err
}
