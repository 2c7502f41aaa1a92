package objects

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// Foreign is what Owner answers for an object that no job of ours has published. No job has this id.
const Foreign job.ID = "foreign"

// Metadata of an output: its job's id, and the SHA-256 of the original in hexadecimal.
const (
	ownerKey    = "job-id"
	originalKey = "original-sha256"
)

func metadata(p job.Publication) map[string]string {
	return map[string]string{ownerKey: string(p.Job), originalKey: hex.EncodeToString(p.SHA256[:])}
}

// Holds reports whether an original of this size and SHA-256 was published as it is under a key: an output of the same
// original has more bytes.
func (b *Outputs) Holds(ctx context.Context, key string, size int64, sum [32]byte) (bool, error) {
	out, err := b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.bucket, Key: &key})
	if missing(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at an original: %w", quiet(err))
	}
	return aws.ToInt64(out.ContentLength) == size && out.Metadata[originalKey] == hex.EncodeToString(sum[:]), nil
}

// Owner returns the job whose output has a key, or Foreign. It returns fault.JobOutputUnavailable if the key is free.
func (b *Outputs) Owner(ctx context.Context, key string) (job.ID, error) {
	out, err := b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.bucket, Key: &key})
	if missing(err) {
		return "", fault.Wrap(fault.JobOutputUnavailable, quiet(err), "there is no output")
	}
	if statusOf(err) == http.StatusBadRequest { // a name that S3 cannot have; HEAD gives no code
		return "", fault.Wrap(fault.JobOutputRefused, quiet(err), "the output's name is none that the bucket takes")
	}
	if err != nil {
		return "", fmt.Errorf("look at an output: %w", quiet(err))
	}
	return ownerOf(out.Metadata), nil
}

func ownerOf(metadata map[string]string) job.ID {
	id, err := job.ParseID(metadata[ownerKey])
	if err != nil {
		return Foreign
	}
	return id
}

// Put publishes a document in one request. It returns fault.JobOutputExists if
// the key is taken, which may be by an earlier try of the same job: Owner tells.
func (b *Outputs) Put(ctx context.Context, p job.Publication) error {
	in := &s3.PutObjectInput{
		Bucket:            &b.bucket,
		Key:               &p.Key,
		Body:              io.NewSectionReader(p.Content, 0, p.Content.Size()), // Content itself stays where it stands
		ContentLength:     aws.Int64(p.Content.Size()),
		ContentType:       &p.ContentType,
		ChecksumAlgorithm: types.ChecksumAlgorithmSha256,
		Metadata:          metadata(p),
	}
	_, err := putNew(ctx, b.client, in)
	if taken(err) {
		return fault.Wrap(fault.JobOutputExists, quiet(err), "there is an output with this name already")
	}
	if refused(err) {
		return refusal(err)
	}
	if err != nil {
		return fmt.Errorf("put an output: %w", quiet(err))
	}
	return nil
}

// refusal says that the bucket will never take an output. A multipart upload learns it when it begins.
func refusal(err error) error {
	return fault.Wrap(fault.JobOutputRefused, quiet(err), "the bucket refuses the output (%s)", codeOf(err))
}

// putNew puts an object under a key that nothing has. A conflict says that another write of the key is under way and has
// not won yet: the next try finds out.
func putNew(ctx context.Context, client *s3.Client, in *s3.PutObjectInput) (*s3.PutObjectOutput, error) {
	in.IfNoneMatch = aws.String(onlyNew)
	for n := 0; ; n++ {
		out, err := client.PutObject(ctx, in)
		if !conflicts(err) || n == tries-1 {
			return out, err
		}
		if err := afterConflict(ctx, n); err != nil {
			return nil, err
		}
		if _, err := in.Body.(io.Seeker).Seek(0, io.SeekStart); err != nil {
			return nil, fmt.Errorf("go back to the beginning: %w", quiet(err))
		}
	}
}

// Open begins to read an output. It returns fault.JobOutputGone if it is not there any more.
func (b *Outputs) Open(ctx context.Context, key string) (job.Download, error) {
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.bucket, Key: &key})
	if missing(err) {
		return job.Download{}, fault.Wrap(fault.JobOutputGone, quiet(err), "the output is not there any more")
	}
	if err != nil {
		return job.Download{}, fmt.Errorf("get an output: %w", quiet(err))
	}
	return job.Download{
		Size:        aws.ToInt64(out.ContentLength),
		ContentType: aws.ToString(out.ContentType),
		Body:        out.Body,
	}, nil
}
