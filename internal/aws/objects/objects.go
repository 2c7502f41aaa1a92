// Package objects keeps documents in S3: the input bucket, where they arrive, and the output bucket, where they are
// published.
//
// An input is named by its version, so that what was claimed is what is read, and it is hidden only while that version is
// the newest. An output is never overwritten and carries the id of its job. Both buckets have versions; no version is
// ever deleted. When to read, publish or delete is for the workflow to decide, and so is what to make of a request that
// met its own first try: a condition that fails can mean that an earlier, unanswered write has landed.
package objects

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

// New returns the two buckets. It takes the SDK's client itself, since links are signed by what the client knows.
func New(client *s3.Client, inputBucket, outputBucket string) (*Inputs, *Outputs) {
	links := s3.NewPresignClient(client)
	return &Inputs{client: client, links: links, bucket: inputBucket},
		&Outputs{client: client, links: links, bucket: outputBucket, from: inputBucket}
}

// Inputs is the input bucket.
type Inputs struct {
	client *s3.Client
	links  *s3.PresignClient
	bucket string
}

// Outputs is the output bucket.
type Outputs struct {
	client *s3.Client
	links  *s3.PresignClient
	bucket string
	from   string // the input bucket, of which originals are copied
}

// onlyNew is the condition that nothing has the key yet.
const onlyNew = "*"

// tries is how often a request is made that conflicts with another on the same key.
const tries = 4

// afterConflict waits before a request is made again that conflicted for the n-th time, counted from 0.
func afterConflict(ctx context.Context, n int) error {
	t := time.NewTimer(rand.N(100*time.Millisecond<<n) + 10*time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// statusOf returns the HTTP status of an answer that became an error, or 0 if there was no answer.
func statusOf(err error) int {
	type answer interface {
		error
		HTTPStatusCode() int
	}
	if a, ok := errors.AsType[answer](err); ok {
		return a.HTTPStatusCode()
	}
	return 0
}

// codeOf returns S3's code of an error. An answer to HEAD has no body and hence only the name of its status.
func codeOf(err error) string {
	if a, ok := errors.AsType[smithy.APIError](err); ok {
		return a.ErrorCode()
	}
	return ""
}

// missing reports whether an error says that an object, or the version asked for, is not there. 405 is the answer for a
// version that is a delete marker. A bucket that is not there is another matter.
func missing(err error) bool {
	s := statusOf(err)
	return (s == http.StatusNotFound || s == http.StatusMethodNotAllowed) && codeOf(err) != "NoSuchBucket"
}

// taken reports whether a condition failed: something has the key.
func taken(err error) bool { return statusOf(err) == http.StatusPreconditionFailed }

// refused reports whether S3 will never take a request as it is: asking again changes nothing.
func refused(err error) bool {
	switch s := statusOf(err); s {
	case http.StatusNotFound, http.StatusRequestTimeout, http.StatusConflict, http.StatusPreconditionFailed, http.StatusTooManyRequests:
		return false
	default:
		return s >= 400 && s < 500 && codeOf(err) != "RequestTimeout"
	}
}

// conflicts reports whether another request on the same key was under way.
func conflicts(err error) bool { return statusOf(err) == http.StatusConflict }
