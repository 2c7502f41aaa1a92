package objects

import (
	"context"
	"errors"
	"fmt"
	"net/url"
)

// quietError is an error of the SDK without what it quotes: requests and answers name keys, and keys have names of files
// in them, which are nobody's business in a log. What kind of error it is stays to be asked.
type quietError struct{ error }

// quiet hides what an error quotes.
func quiet(err error) error {
	if err == nil {
		return nil
	}
	return quietError{err}
}

// Error tells code, status and request, or what became of the connection.
func (q quietError) Error() string {
	type answer interface {
		error
		ServiceRequestID() string
	}
	if status := statusOf(q.error); status != 0 || codeOf(q.error) != "" {
		id := ""
		if a, ok := errors.AsType[answer](q.error); ok {
			id = a.ServiceRequestID()
		}
		return fmt.Sprintf("S3 answers %d %s, request %s", status, codeOf(q.error), id)
	}
	if u, ok := errors.AsType[*url.Error](q.error); ok {
		return u.Err.Error() // without the address
	}
	for _, known := range []error{context.DeadlineExceeded, context.Canceled} {
		if errors.Is(q.error, known) {
			return known.Error()
		}
	}
	return fmt.Sprintf("an error of type %T", innermost(q.error))
}

// Unwrap gives the whole error to those who ask what it is.
func (q quietError) Unwrap() error { return q.error }

func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
