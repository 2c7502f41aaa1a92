package lacuna

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
)

// Limits of answers, in bytes. A document can have hundreds of participants.
const (
	maxAnswer = 8 << 20
	maxSmall  = 64 << 10
)

// ask asks a question and makes sense of the answer.
func ask[T any](ctx context.Context, c *Client, q question, parse func([]byte) (T, error)) (v T, _ error) {
	b, err := c.answer(ctx, q)
	if err != nil {
		return v, err
	}
	v, err = parse(b)
	if err != nil {
		return v, foreign(q.op, err)
	}
	return v, nil
}

// answer waits for a question's turn, asks it and reads the answer, within the time of a call.
func (c *Client) answer(ctx context.Context, q question) ([]byte, error) {
	if err := c.admit(ctx, q); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.times.call, errSlow)
	defer cancel()
	return c.whole(ctx, q)
}

// whole asks a question and reads its answer.
func (c *Client) whole(ctx context.Context, q question) ([]byte, error) {
	response, err := c.exchange(ctx, q)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	b, err := read(response.Body, q.limit)
	if err != nil {
		return nil, broken(ctx, q.op, err)
	}
	return b, nil
}

// read reads a body to its end, within a limit.
func read(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, errTooLong
	}
	return b, nil
}

// decode reads a JSON object or array. The decoder's own errors quote what they meet.
func decode(b []byte, into any) error {
	b = bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\uFEFF")))
	if len(b) == 0 {
		return errEmpty
	}
	if b[0] == '<' {
		return errHTML
	}
	if b[0] != '{' && b[0] != '[' || json.Unmarshal(b, into) != nil {
		return errForm
	}
	return nil
}

// nothing is what is expected of a call that has nothing to say: an empty answer, or JSON.
func nothing(b []byte) (struct{}, error) {
	if b = bytes.TrimSpace(b); len(b) == 0 || json.Valid(b) {
		return struct{}{}, nil
	}
	return struct{}{}, errForm
}
