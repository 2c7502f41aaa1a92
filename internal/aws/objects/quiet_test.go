package objects_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/aws/objects"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// TestErrorsQuoteNoKey holds that a file's name reaches no log, whatever goes wrong: no connection, a refusal that names
// the resource, a server that fails.
func TestErrorsQuoteNoKey(t *testing.T) {
	t.Parallel()
	const key = "in/Maria da Silva 111.444.777-35.pdf"
	quoting := fmt.Sprintf("<Error><Code>%%s</Code><Message>not for %s</Message><Resource>/in/%s</Resource></Error>", key, key)
	breaks := map[string]roundTripper{
		"no connection": func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") },
		"refused":       answering(http.StatusForbidden, fmt.Sprintf(quoting, "AccessDenied")),
		"failed":        answering(http.StatusInternalServerError, fmt.Sprintf(quoting, "InternalError")),
		"no XML":        answering(http.StatusBadRequest, "not for "+key),
	}
	for name, rt := range breaks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := client(func(o *s3.Options) { o.HTTPClient, o.RetryMaxAttempts = &http.Client{Transport: rt}, 1 })
			inputs, outputs := objects.New(c, "in", "out")
			o := job.Object{Key: key, VersionID: "v", Size: 1}
			p := publication(o, []byte("x"), []byte("y"), key)
			_, current := inputs.Current(t.Context(), key)
			_, owner := outputs.Owner(t.Context(), key)
			_, open := outputs.Open(t.Context(), key)
			_, begin := outputs.Begin(t.Context(), p)
			for call, err := range map[string]error{
				"Current": current, "Fetch": inputs.Fetch(t.Context(), o, io.Discard), "Delete": inputs.Delete(t.Context(), o),
				"Owner": owner, "Open": open, "Begin": begin, "Put": outputs.Put(t.Context(), p), "Abort": outputs.Abort(t.Context(), key, "u"),
				"PutUpload": inputs.PutUpload(t.Context(), key, bytes.NewReader([]byte("x")), ""),
			} {
				if err == nil || strings.Contains(err.Error(), "Maria") || strings.Contains(err.Error(), "111.444") {
					t.Errorf("%s says %v", call, err)
				}
			}
		})
	}
}

// roundTripper is a transport made of a function.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answering(status int, body string) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
}

// TestRefusedForGood tells a name or a right that S3 will never give from what may pass.
func TestRefusedForGood(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]error{400: fault.JobOutputRefused, 403: fault.JobOutputRefused, 412: fault.JobOutputExists, 429: nil, 500: nil, 503: nil} {
		c := client(func(o *s3.Options) {
			o.HTTPClient, o.RetryMaxAttempts = &http.Client{Transport: answering(status, "<Error><Code>X</Code></Error>")}, 1
		})
		_, outputs := objects.New(c, "in", "out")
		p := publication(job.Object{}, []byte("x"), nil, "key")
		err := outputs.Put(t.Context(), p)
		_, begin := outputs.Begin(t.Context(), p)
		if errors.Is(want, fault.JobOutputRefused) {
			is(t, "Begin", begin, want)
		} else {
			uncoded(t, "Begin", begin) // no condition stands at the beginning of an upload
		}
		if want == nil {
			uncoded(t, "Put", err)
			continue
		}
		is(t, "Put", err, want)
	}
	c := client(func(o *s3.Options) { o.HTTPClient, o.RetryMaxAttempts = &http.Client{Transport: answering(400, "")}, 1 })
	_, outputs := objects.New(c, "in", "out")
	_, err := outputs.Owner(t.Context(), strings.Repeat("a", 1025))
	is(t, "Owner", err, fault.JobOutputRefused)
}
