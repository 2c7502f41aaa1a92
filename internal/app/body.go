package app

import (
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// plainBodies sends requests whose bodies can only be read.
//
// The SDK (smithy-go 1.28.9) closes a request's body as soon as the answer begins. If net/http is only then looking for the
// body's end, the body's WriterTo returns io.EOF, which net/http takes for a failed write: it cuts the connection while the
// answer is still being read, and the SDK repeats a request that was carried out. Without a WriterTo this cannot happen.
type plainBodies struct{ aws.HTTPClient }

// Do implements the SDK's HTTP client.
func (c plainBodies) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		r = r.WithContext(r.Context()) // a shallow copy: the SDK keeps its own
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	return c.HTTPClient.Do(r)
}
