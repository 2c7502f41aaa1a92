package api

import (
	"bytes"
	"mime"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// maxAction is the largest body of an action: the longest reason, however it is escaped, is a fraction of this.
const maxAction = 64 << 10

// reasonBody is what an operator may say about an action.
type reasonBody struct {
	Reason *string `json:"reason,omitempty" nullable:"true" doc:"Why, in at most 512 characters without line ends. White space around it is left out."`
}

// noBody is the body of an action that there is nothing to say about.
type noBody struct{}

// actionInput is the body of an action. It may be left out.
type actionInput struct {
	ContentType string `header:"Content-Type" hidden:"true"`
	RawBody     []byte `contentType:"application/json"`
}

// reason reads what the operator says, or "".
func (s *server) reason(in actionInput) (string, error) {
	var b reasonBody
	if err := in.decode(s.checks.reason, &b); err != nil {
		return "", err
	}
	reason := strings.TrimSpace(value(b.Reason))
	switch {
	case utf8.RuneCountInString(reason) > job.MaxReason:
		return "", fault.New(fault.ValidationReasonTooLong, "a reason may have %d characters", job.MaxReason)
	case strings.ContainsRune(reason, utf8.RuneError) || strings.ContainsFunc(reason, unicode.IsControl):
		return "", fault.New(fault.RequestInvalid, "the reason has characters that are not text")
	}
	return reason, nil
}

// decode reads the body into v, if there is one. A client that sends JSON does not always say so; one that says that it
// sends something else is not guessed at.
func (in actionInput) decode(c *schemaCheck, v any) error {
	if len(bytes.TrimSpace(in.RawBody)) == 0 {
		return nil
	}
	if err := in.isJSON(); err != nil {
		return err
	}
	return c.decode(in.RawBody, v)
}

// isJSON refuses a body that is said to be something else.
func (in actionInput) isJSON() error {
	kind, _, err := mime.ParseMediaType(in.ContentType)
	if in.ContentType != "" && (err != nil || kind != "application/json") {
		return fault.New(fault.RequestInvalid, "a body must be application/json")
	}
	return nil
}

// takesBody completes an action whose body the handler reads.
func takesBody(op huma.Operation) huma.Operation {
	op.RequestBody = &huma.RequestBody{}
	op.MaxBodyBytes, op.SkipValidateBody = maxAction, true
	return op
}

// describeBody says of a registered action what its body is and that it may be left out. Registering fills in, of every
// body that a handler reads itself, that it is needed and that it is bytes.
func describeBody[T any](a huma.API, op huma.Operation) {
	op.RequestBody.Required = false
	op.RequestBody.Content["application/json"] = &huma.MediaType{
		Schema: a.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, ""),
	}
}
