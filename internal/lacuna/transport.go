package lacuna

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

const (
	maxRedirects = 5
	maxHeaders   = 64 << 10
	maxIdle      = 32 // connections
	// idleTime is short: a function that was frozen meanwhile comes back to connections that nobody holds any more.
	idleTime = 20 * time.Second
	sessions = 8 // lets the handshake of a call that is sent once be short
)

// keyHeader carries the API key.
const keyHeader = "X-Api-Key"

type dialer = func(ctx context.Context, network, address string) (net.Conn, error)

// transport is how reads travel. They may be repeated, so connections are kept. HTTP/1 is enough, and its errors do not
// spread from one call to others.
func transport(own *http.Transport, connect time.Duration) *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment}
	if own != nil {
		t = own.Clone()
	}
	t.DialContext = within(connect, t.DialContext)
	t.TLSHandshakeTimeout = connect
	t.MaxIdleConnsPerHost, t.IdleConnTimeout = maxIdle, idleTime
	t.MaxResponseHeaderBytes = maxHeaders
	t.ForceAttemptHTTP2 = false
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	if t.TLSClientConfig == nil {
		t.TLSClientConfig = new(tls.Config)
	}
	t.TLSClientConfig.NextProtos = []string{"http/1.1"} // a transport that was used before offers HTTP/2 here
	return t
}

// within bounds dialing. net/http goes on dialing for a call that has ended: a goroutine would stay for as long.
func within(connect time.Duration, dial dialer) dialer {
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, connect, errSlow)
		defer cancel()
		return dial(ctx, network, address)
	}
}

// single is how everything else travels. net/http repeats a request only over a connection that was used before, so each
// has a new one; a kept one may also be closed in the moment in which it is used, and nobody would know what was done.
func single(base *http.Transport) *http.Transport {
	t := base.Clone()
	t.DisableKeepAlives = true
	t.TLSClientConfig.ClientSessionCache = tls.NewLRUClientSessionCache(sessions)
	return t
}

// send sends a request. A call that is sent once goes around http.Client, which follows redirects.
func (c *Client) send(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		return c.reads.Do(r)
	}
	return c.once.RoundTrip(r)
}

// redirect follows a few redirects, not to where others can read along. The API key stays with the host that it is for:
// once a redirect has left it, the key is not sent again, not even on the way back.
func redirect(next *http.Request, earlier []*http.Request) error {
	first := earlier[0].URL
	if len(earlier) > maxRedirects || first.Scheme == "https" && next.URL.Scheme != "https" {
		return http.ErrUseLastResponse
	}
	next.Header.Del("Referer")
	for _, r := range append(earlier[1:len(earlier):len(earlier)], next) {
		if origin(r.URL) != origin(first) {
			next.Header.Del(keyHeader)
		}
	}
	return nil
}
