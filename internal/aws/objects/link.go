package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

const (
	maxLink = 7 * 24 * time.Hour // S3's limit
	// unknownEnd bounds a link that is signed with temporary credentials whose end is not told, as a function's are.
	unknownEnd = 15 * time.Minute
)

// PresignPut makes a link that uploads one new input. The client has to send the link's headers: its content type, and
// the condition that nothing has the key yet.
func (b *Inputs) PresignPut(ctx context.Context, key, contentType string, expires time.Duration) (job.Link, error) {
	in := &s3.PutObjectInput{Bucket: &b.bucket, Key: &key, IfNoneMatch: aws.String(onlyNew)}
	return link(ctx, b.client, expires, func(o func(*s3.PresignOptions)) (*v4.PresignedHTTPRequest, error) {
		return b.links.PresignPutObject(ctx, in, o, withContentType(contentType))
	})
}

// withContentType puts a content type under the signature. The SDK drops that of its input, since there is no body yet.
func withContentType(contentType string) func(*s3.PresignOptions) {
	return s3.WithPresignClientFromClientOptions(func(o *s3.Options) {
		if contentType != "" {
			o.APIOptions = append(o.APIOptions, smithyhttp.SetHeaderValue("Content-Type", contentType))
		}
	})
}

// PresignGet makes a link under which an output is saved as a file of the given name.
func (b *Outputs) PresignGet(ctx context.Context, key, fileName string, expires time.Duration) (job.Link, error) {
	in := &s3.GetObjectInput{Bucket: &b.bucket, Key: &key, ResponseContentDisposition: aws.String(job.Attachment(fileName))}
	return link(ctx, b.client, expires, func(o func(*s3.PresignOptions)) (*v4.PresignedHTTPRequest, error) {
		return b.links.PresignGetObject(ctx, in, o)
	})
}

func link(ctx context.Context, client *s3.Client, expires time.Duration, sign func(func(*s3.PresignOptions)) (*v4.PresignedHTTPRequest, error)) (job.Link, error) {
	now := time.Now().Truncate(time.Second) // a link counts in seconds
	expires, err := lifetime(ctx, client.Options().Credentials, expires, now)
	if err != nil {
		return job.Link{}, err
	}
	signed, err := sign(s3.WithPresignExpires(expires))
	if err != nil {
		return job.Link{}, fmt.Errorf("sign a link: %w", quiet(err))
	}
	header := map[string]string{}
	for name := range signed.SignedHeader {
		if name != "Host" { // part of the URL
			header[name] = signed.SignedHeader.Get(name)
		}
	}
	return job.Link{Method: signed.Method, URL: signed.URL, Header: header, Expires: now.Add(expires)}, nil
}

var errShort = errors.New("sign a link: it would expire at once")

// lifetime shortens what was asked for to what S3 allows and to the life of the credentials, in whole seconds.
func lifetime(ctx context.Context, credentials aws.CredentialsProvider, asked time.Duration, now time.Time) (time.Duration, error) {
	c, err := credentials.Retrieve(ctx)
	if err != nil {
		return 0, fmt.Errorf("sign a link: get credentials: %w", quiet(err))
	}
	d := min(asked, maxLink)
	switch {
	case c.CanExpire:
		d = min(d, c.Expires.Sub(now))
	case c.SessionToken != "":
		d = min(d, unknownEnd)
	}
	if d = d.Truncate(time.Second); d <= 0 {
		return 0, errShort
	}
	return d, nil
}

// PutUpload stores a document that came through the API as a new input. It returns fault.JobRaceLost if the key is taken,
// which may be by an earlier try of the same upload.
func (b *Inputs) PutUpload(ctx context.Context, key string, body io.ReadSeeker, contentType string) error {
	in := &s3.PutObjectInput{Bucket: &b.bucket, Key: &key, Body: body, ChecksumAlgorithm: types.ChecksumAlgorithmSha256}
	if contentType != "" {
		in.ContentType = &contentType
	}
	_, err := putNew(ctx, b.client, in)
	if taken(err) {
		return fault.Wrap(fault.JobRaceLost, quiet(err), "there is an upload with this key already")
	}
	if err != nil {
		return fmt.Errorf("put an upload: %w", quiet(err))
	}
	return nil
}
