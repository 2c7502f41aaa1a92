package lacuna

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"

	"bulksigner/internal/job"
)

// question is one call.
type question struct {
	op     string // what is being done, for the error
	path   string // below the endpoint, escaped, with its query
	accept string // "": JSON
	limit  int64  // of the answer, in bytes
	paid   bool   // its turn at the rate was taken by Ready
	// body makes what is sent, anew for each attempt. A question without a body is a read.
	body func() (payload, error)
}

// payload is the body of a request.
type payload struct {
	io.ReadCloser
	length      int64
	contentType string
}

// asJSON sends a value.
func asJSON(v any) func() (payload, error) {
	return func() (payload, error) {
		b, err := json.Marshal(v)
		return payload{io.NopCloser(bytes.NewReader(b)), int64(len(b)), "application/json"}, err
	}
}

// admit waits for a question's turn.
func (c *Client) admit(ctx context.Context, q question) error {
	if q.paid {
		return noTurn(ctx.Err())
	}
	return c.Ready(ctx)
}

// exchange asks a question that was admitted and returns an answer of success. If the key is refused and has changed, it
// asks once more.
func (c *Client) exchange(ctx context.Context, q question) (*http.Response, error) {
	key, err := c.key(ctx, false)
	if err != nil {
		return nil, fmt.Errorf("read the API key: %w", err) // our own trouble: Signer was not asked
	}
	response, err := c.attempt(ctx, q, key)
	refused, ok := errors.AsType[*job.SignerError](err)
	if !ok || !refused.Denied() {
		return response, err
	}
	fresh, err := c.key(ctx, true)
	if err != nil {
		return nil, fmt.Errorf("read the API key again: %w", err) // whether it was changed is not known
	}
	if fresh == key {
		return nil, refused
	}
	if err := c.turns.Wait(ctx); err != nil {
		return nil, noTurn(err)
	}
	return c.attempt(ctx, q, fresh)
}

// attempt sends one request. Who was given a connection counts as having sent it.
func (c *Client) attempt(ctx context.Context, q question, key string) (*http.Response, error) {
	var connected atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	r, err := c.request(traced, q, key)
	if err != nil {
		return nil, err
	}
	response, err := c.send(r)
	if err != nil {
		return nil, silence(ctx, q.op, err, connected.Load())
	}
	if response.StatusCode/100 != 2 {
		defer response.Body.Close()
		return nil, refusal(q.op, response)
	}
	return response, nil
}

// request makes a request. A body is set afterwards: NewRequest would add a GetBody, by which it could be sent twice.
func (c *Client) request(ctx context.Context, q question, key string) (*http.Request, error) {
	if c.endpoint.err != nil {
		return nil, impossible(q.op, c.endpoint.err)
	}
	if key == "" || strings.ContainsFunc(key, unsendable) {
		return nil, unsent(q.op, errKey)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.endpoint.base+q.path, nil)
	if err != nil {
		return nil, impossible(q.op, errAddress) // the parser's own error quotes it
	}
	r.Header.Set(keyHeader, key)
	r.Header.Set("User-Agent", "bulksigner")
	r.Header.Set("Accept", "application/json")
	if q.accept != "" {
		r.Header.Set("Accept", q.accept)
	}
	if q.body == nil {
		return r, nil
	}
	p, err := q.body()
	if err != nil {
		return nil, impossible(q.op, err)
	}
	r.Method, r.Body, r.ContentLength = http.MethodPost, p.ReadCloser, p.length
	r.Header.Set("Content-Type", p.contentType)
	return r, nil
}

// unsendable reports whether a header cannot carry r. Signer's keys have none of these.
func unsendable(r rune) bool { return r < ' ' || r >= 0x7f }

var (
	errKey     = errors.New("the API key is empty or has characters that no header can carry")
	errAddress = errors.New("the address is none")
)
