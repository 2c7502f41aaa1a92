package revocation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Limits of an answer, in bytes. The longest lists of ICP-Brasil have a few MiB.
const (
	maxList   = 20 << 20
	maxAnswer = 64 << 10
)

// exchange is one request, and how long the answer may be.
type exchange struct {
	method, address string
	body            []byte
	limit           int64
}

// fetch returns the body of an answer, within the time for one source.
func (c *Checker) fetch(ctx context.Context, e exchange) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, errors.New("the source took too long"))
	defer cancel()
	body, err := c.do(ctx, e)
	if err != nil && ctx.Err() != nil {
		return nil, errors.Join(context.Cause(ctx), err)
	}
	return body, err
}

func (c *Checker) do(ctx context.Context, e exchange) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, e.method, e.address, bytes.NewReader(e.body))
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	if e.method == http.MethodPost {
		request.Header.Set("Content-Type", "application/ocsp-request")
		request.Header.Set("Accept", "application/ocsp-response")
	}
	response, err := c.client.Do(request)
	if err != nil {
		return nil, err // a url.Error says what was being done
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the source answered with status %d", response.StatusCode)
	}
	return read(response, e.limit)
}

func read(response *http.Response, limit int64) ([]byte, error) {
	tooLong := fmt.Errorf("the answer has more than %d bytes", limit)
	if response.ContentLength > limit {
		return nil, tooLong
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if int64(len(body)) > limit {
		return nil, tooLong
	}
	return body, nil
}
