// Package lacuna calls the HTTP API of Lacuna Signer, a service at which people sign documents.
//
// It promises:
//
//   - What changes something at Signer is sent once. An upload, a creation, a start, a completion and a cancellation each
//     have a connection of their own, over which nothing repeats them and no redirect is followed. There is one exception,
//     which is proof that nothing was done: a call that the API key was refused for is made again if the key has changed.
//   - Every failure of a call is a *job.SignerError that says whether the same call may succeed later and whether it can
//     have reached Signer. The exceptions: fault.Throttled, when the context ends before a call had its turn;
//     fault.SignerFolderURLMalformed; and what the caller's own reader, writer or Key returned.
//   - Answers are read within a limit and leniently: Signer adds fields and words without notice. What Signer cannot have
//     said, like a page of a proxy, is a failure that may pass.
//   - The API key is sent to the configured host alone. No error quotes it, an address, or a text of Signer.
//
// The package never waits to try again and remembers nothing: what a failure means for a job is for others to say.
package lacuna

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"golang.org/x/time/rate"

	"bulksigner/internal/fault"
)

// Options say where Signer is and how it is called.
type Options struct {
	Endpoint string // of https, or of http on this machine; what stands before /api/
	// Key reads the API key. Again means that the key was refused, so that it must be read anew.
	Key func(ctx context.Context, again bool) (string, error)

	Rate  float64 // calls a second; 0: no bound
	Burst int     // calls that may follow each other at once; at least 1

	Connect  time.Duration // for a connection; 10 s
	Call     time.Duration // for a call; 30 s
	Transfer time.Duration // for an upload or a download; 5 min
	Idle     time.Duration // without a byte during a transfer; 60 s

	Transport *http.Transport // how connections are made; nil: as the environment says
}

// Client calls Lacuna Signer. It may be used by many at a time.
type Client struct {
	endpoint endpoint
	key      func(ctx context.Context, again bool) (string, error)
	turns    *rate.Limiter
	times    times
	reads    *http.Client
	once     *http.Transport
}

// times are the bounds of a call.
type times struct{ call, transfer, idle time.Duration }

// New makes a client. An endpoint that is none shows with the first call.
func New(o Options) *Client {
	c := &Client{
		endpoint: parseEndpoint(o.Endpoint),
		key:      o.Key,
		turns:    rate.NewLimiter(limit(o.Rate), max(o.Burst, 1)),
		times: times{
			call:     cmp.Or(o.Call, 30*time.Second),
			transfer: cmp.Or(o.Transfer, 5*time.Minute),
			idle:     cmp.Or(o.Idle, time.Minute),
		},
	}
	base := transport(o.Transport, cmp.Or(o.Connect, 10*time.Second))
	c.reads = &http.Client{Transport: base, CheckRedirect: redirect}
	c.once = single(base)
	return c
}

func limit(perSecond float64) rate.Limit {
	if perSecond <= 0 {
		return rate.Inf
	}
	return rate.Limit(perSecond)
}

// Ready waits for the right to one call at Signer's rate and takes it. The next Create or Complete uses it. It returns
// fault.Throttled if the context ends first, or would.
func (c *Client) Ready(ctx context.Context) error { return noTurn(c.turns.Wait(ctx)) }

// noTurn says that a call's turn does not come while there is time.
func noTurn(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(fault.Throttled, err, "the time ends before Lacuna Signer may be called; nothing was sent")
}
