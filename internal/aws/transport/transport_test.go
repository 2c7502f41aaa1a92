package transport_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"bulksigner/internal/aws/transport"
)

type seen struct{ body io.Reader }

func (s *seen) Do(r *http.Request) (*http.Response, error) {
	s.body = r.Body
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// writerTo is a body as the SDK's is.
type writerTo struct{ *strings.Reader }

func (writerTo) Close() error { return nil }

func TestBodiesCanOnlyBeRead(t *testing.T) {
	t.Parallel()
	s := &seen{}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://example.invalid", writerTo{strings.NewReader("body")})
	if err != nil {
		t.Fatal(err)
	}
	own := r.Body
	if _, err := transport.Plain(s).Do(r); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.body.(io.WriterTo); ok {
		t.Error("the body that is sent has a WriterTo")
	}
	if b, err := io.ReadAll(s.body); err != nil || string(b) != "body" {
		t.Errorf("the body reads %q, %v", b, err)
	}
	if r.Body != own {
		t.Error("the SDK's own request was changed")
	}
}

func TestOwnIsNeverNil(t *testing.T) {
	t.Parallel()
	if transport.Own(aws.Config{}) == nil {
		t.Error("a configuration without a client has none")
	}
	s := &seen{}
	if got := transport.Own(aws.Config{HTTPClient: s}); got != s {
		t.Errorf("the configuration's own client is %v", got)
	}
}
