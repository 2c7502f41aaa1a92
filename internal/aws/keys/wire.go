package keys

import (
	"cmp"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/kms"
)

// wire is how requests for a signature travel: once, and each over a connection of its own.
//
// A connection that is kept can be closed by the other side in the moment in which it is used again, most of all after a
// function was frozen for a while. Nobody would know then whether the request arrived, and the job would fail for
// nothing. It costs one handshake per signature.
type wire struct {
	once   sync.Once
	client kms.HTTPClient
	proves bool // client tells about its connections
}

// over derives the client from the one that KMS has, with its proxy, certificates and dialer.
func (w *wire) over(own kms.HTTPClient) {
	w.once.Do(func() { w.client, w.proves = fresh(own) })
}

func fresh(own kms.HTTPClient) (client kms.HTTPClient, proves bool) {
	switch c := own.(type) {
	case *awshttp.BuildableClient:
		return c.WithTransportOptions(keepNothing), true
	case *http.Client:
		t, ok := cmp.Or(c.Transport, http.DefaultTransport).(*http.Transport)
		if !ok {
			return own, false
		}
		t = t.Clone()
		keepNothing(t)
		return &http.Client{Transport: t, CheckRedirect: c.CheckRedirect, Jar: c.Jar, Timeout: c.Timeout}, true
	}
	return own, false
}

// sessions lets a handshake be short.
const sessions = 8

func keepNothing(t *http.Transport) {
	t.DisableKeepAlives = true
	t.ForceAttemptHTTP2 = false
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true) // HTTP/2 has repetitions of its own
	if t.TLSClientConfig == nil {
		t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	t.TLSClientConfig.ClientSessionCache = tls.NewLRUClientSessionCache(sessions)
}

// sending is one request for a signature. It knows whether the request can have left.
type sending struct {
	wire      *wire
	installed bool // the SDK uses this as its client
	tried     bool
	connected atomic.Bool
}

// once makes the SDK send the request through s, and not again whatever comes back.
func (s *sending) once(o *kms.Options) {
	s.wire.over(o.HTTPClient)
	s.installed = true
	o.HTTPClient = s
	o.Retryer = aws.NopRetryer{}
}

// Do implements the SDK's HTTP client. Without GetBody the transport cannot repeat the request by itself, nor follow a
// redirect with it.
func (s *sending) Do(r *http.Request) (*http.Response, error) {
	s.tried = true
	ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { s.connected.Store(true) },
	})
	r = r.WithContext(ctx)
	r.GetBody = nil
	if r.Body != nil {
		// The SDK closes its body as soon as an answer begins. Its WriterTo can then end in an error for which net/http
		// cuts the connection in the middle of the answer: a signature that was made would be lost.
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	return s.wire.client.Do(r)
}

// neverSent reports whether it is proved that no byte of the request left: the SDK gave up before it sent, for want of
// credentials say, or there was no connection to send it over.
func (s *sending) neverSent() bool {
	return s.installed && (!s.tried || s.wire.proves && !s.connected.Load())
}
