package emulator

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/s3response"
)

// Event says how an object version came to be, in the words of S3's notifications.
type Event string

// The events. S3 also has Post, for browser forms, which reach the backend as Put.
const (
	Put      Event = "ObjectCreated:Put"
	Copy     Event = "ObjectCreated:Copy"
	Complete Event = "ObjectCreated:CompleteMultipartUpload"
)

// Object is a new object version.
type Object struct {
	Event       Event
	Bucket, Key string
	VersionID   string // empty in a bucket without versions
	ETag        string // without quotes
	Size        int64
}

// announcing is object storage that says what was created in it, synchronously: a test that has put an object knows
// that its notification was sent.
type announcing struct {
	backend.Backend
	created func(context.Context, Object)
}

// PutObject announces a single upload.
func (a announcing) PutObject(ctx context.Context, in s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	out, err := a.Backend.PutObject(ctx, in)
	if err == nil {
		size := aws.ToInt64(in.ContentLength)
		if out.Size != nil {
			size = *out.Size
		}
		a.announce(ctx, Object{Put, aws.ToString(in.Bucket), aws.ToString(in.Key), out.VersionID, out.ETag, size})
	}
	return out, err
}

// CompleteMultipartUpload announces an upload in parts.
func (a announcing) CompleteMultipartUpload(ctx context.Context, in *s3.CompleteMultipartUploadInput) (s3response.CompleteMultipartUploadResult, string, error) {
	out, version, err := a.Backend.CompleteMultipartUpload(ctx, in)
	if err == nil {
		size := a.size(ctx, in.Bucket, in.Key, version)
		a.announce(ctx, Object{Complete, aws.ToString(in.Bucket), aws.ToString(in.Key), version, aws.ToString(out.ETag), size})
	}
	return out, version, err
}

// CopyObject announces a copy.
func (a announcing) CopyObject(ctx context.Context, in s3response.CopyObjectInput) (s3response.CopyObjectOutput, error) {
	out, err := a.Backend.CopyObject(ctx, in)
	if err == nil {
		version, etag := aws.ToString(out.VersionId), ""
		if out.CopyObjectResult != nil {
			etag = aws.ToString(out.CopyObjectResult.ETag)
		}
		size := a.size(ctx, in.Bucket, in.Key, version)
		a.announce(ctx, Object{Copy, aws.ToString(in.Bucket), aws.ToString(in.Key), version, etag, size})
	}
	return out, err
}

// size asks for the size that neither a copy nor a completed upload tells. A version that is gone by now has none.
func (a announcing) size(ctx context.Context, bucket, key *string, version string) int64 {
	in := &s3.HeadObjectInput{Bucket: bucket, Key: key}
	if version != "" {
		in.VersionId = &version
	}
	head, err := a.HeadObject(ctx, in)
	if err != nil {
		return 0
	}
	return aws.ToInt64(head.ContentLength)
}

func (a announcing) announce(ctx context.Context, o Object) {
	// The gateway's strings live in buffers that its next request overwrites.
	a.created(ctx, Object{
		Event:     o.Event,
		Bucket:    strings.Clone(o.Bucket),
		Key:       strings.Clone(o.Key),
		VersionID: strings.Clone(o.VersionID),
		ETag:      strings.Clone(strings.Trim(o.ETag, `"`)),
		Size:      o.Size,
	})
}
