package keys

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"bulksigner/internal/fault"
)

// limit says how large a file may be, and what it means that there is none or that it is larger.
type limit struct {
	bytes            int64
	missing, tooLong fault.Code
}

// object reads a small object.
func (k *Keys) object(ctx context.Context, bucket, key string, l limit) ([]byte, error) {
	out, err := k.objects.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		return nil, unread(err, "the object", l.missing)
	}
	defer out.Body.Close()
	data, err := io.ReadAll(io.LimitReader(out.Body, l.bytes+1))
	if err != nil {
		return nil, fmt.Errorf("read an object of a profile: %w", err)
	}
	if int64(len(data)) > l.bytes {
		return nil, fault.New(l.tooLong, "the object has more than %d bytes", l.bytes)
	}
	return data, nil
}

// unread says what it means that an object or a secret could not be read. Where nothing is proved, the error has no code.
func unread(err error, what string, missing fault.Code) error {
	switch code := codeOf(err); code {
	case "NoSuchKey", "NoSuchBucket", "ResourceNotFoundException":
		return fault.Wrap(missing, err, "%s that the profile names is not there (%s)", what, code)
	case "AccessDenied", "AccessDeniedException", "InvalidRequestException", "DecryptionFailure":
		return fault.Wrap(fault.KeyUnavailable, err, "%s that the profile names may not be read (%s)", what, code)
	}
	return fmt.Errorf("read %s of a profile: %w", what, err)
}

// codeOf returns AWS's code of an error, or "".
func codeOf(err error) string {
	if a, ok := errors.AsType[smithy.APIError](err); ok {
		return a.ErrorCode()
	}
	return ""
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
