// Package transport keeps the AWS SDK from losing answers.
//
// The SDK (smithy-go 1.28.9) closes a request's body as soon as the answer begins. If net/http is only then looking for the
// body's end, the body's WriterTo returns io.EOF, which net/http takes for a failed write: it cuts the connection while the
// answer is still being read, and the SDK repeats a request that was carried out. A body that can only be read does not do
// this. Near servers and few processors make it likely.
package transport

import (
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// Own is the HTTP client of a configuration: the SDK's usual one where the environment asked for nothing special.
func Own(c aws.Config) aws.HTTPClient {
	if c.HTTPClient != nil {
		return c.HTTPClient
	}
	return awshttp.NewBuildableClient()
}

// Plain makes a client send bodies that can only be read.
func Plain(next aws.HTTPClient) aws.HTTPClient { return plain{next} }

type plain struct{ next aws.HTTPClient }

// Do implements the SDK's HTTP client.
func (c plain) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		r = r.WithContext(r.Context()) // a shallow copy: the SDK keeps its own
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	return c.next.Do(r)
}
