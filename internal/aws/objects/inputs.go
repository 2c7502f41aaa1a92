package objects

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// Current describes the newest version of a key. It returns fault.JobInputMissing if there is none or a delete marker
// hides it.
func (b *Inputs) Current(ctx context.Context, key string) (job.Object, error) {
	out, err := b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.bucket, Key: &key})
	if missing(err) {
		return job.Object{}, fault.Wrap(fault.JobInputMissing, quiet(err), "the input is not there any more")
	}
	if err != nil {
		return job.Object{}, fmt.Errorf("look at an input: %w", quiet(err))
	}
	return job.Object{
		Bucket:    b.bucket,
		Key:       key,
		VersionID: aws.ToString(out.VersionId),
		ETag:      unquote(out.ETag),
		Size:      aws.ToInt64(out.ContentLength),
		Modified:  aws.ToTime(out.LastModified),
	}, nil
}

func unquote(etag *string) string { return strings.Trim(aws.ToString(etag), `"`) }

// Fetch writes an object version to w. It returns fault.JobInputMissing if the version is gone. A body that ends early or
// does not fit its checksum is an error: w has got bytes by then.
func (b *Inputs) Fetch(ctx context.Context, o job.Object, w io.Writer) error {
	if o.VersionID == "" {
		return fault.New(fault.StorageUnfit, "the input has no version, so that it cannot be told what was to be signed")
	}
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.bucket, Key: &o.Key, VersionId: &o.VersionID})
	if missing(err) {
		return fault.Wrap(fault.JobInputMissing, quiet(err), "the version of the input that was taken in is gone")
	}
	if err != nil {
		return fmt.Errorf("get an input: %w", quiet(err))
	}
	defer out.Body.Close()
	if n := aws.ToInt64(out.ContentLength); n != o.Size {
		return fmt.Errorf("get an input: it has %d bytes, and %d were announced", n, o.Size)
	}
	// One byte more than there may be: the end must be seen, since the checksum is compared there.
	n, err := io.Copy(w, io.LimitReader(out.Body, o.Size+1))
	if err != nil {
		return fmt.Errorf("read an input: %w", quiet(err))
	}
	if n != o.Size {
		return fmt.Errorf("read an input: %d bytes came, and %d were announced", n, o.Size)
	}
	return nil
}

// Delete hides an object behind a delete marker if its newest version is still o. It returns fault.JobInputMissing if it
// is hidden already, fault.JobInputDiverged if another version came, and fault.JobInputHeld if it may not be deleted.
//
// S3 compares entity tags, not versions: a version with the same bytes that arrives in the very moment is hidden with o.
func (b *Inputs) Delete(ctx context.Context, o job.Object) error {
	for n := range tries {
		etag, err := b.still(ctx, o)
		if err != nil {
			return err
		}
		_, err = b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.bucket, Key: &o.Key, IfMatch: aws.String(`"` + etag + `"`)})
		switch {
		case err == nil:
			return nil
		case codeOf(err) == "AccessDenied":
			return fault.Wrap(fault.JobInputHeld, quiet(err), "the input may not be deleted")
		case !taken(err) && !conflicts(err) && statusOf(err) != http.StatusNotFound:
			return fmt.Errorf("delete an input: %w", quiet(err))
		}
		// Whether it is gone or was replaced is for the next look to say, which must see what the deletion saw.
		if err := afterConflict(ctx, n); err != nil {
			return fmt.Errorf("delete an input: %w", quiet(err))
		}
	}
	return fmt.Errorf("delete an input: refused %d times, though the input looks unchanged", tries)
}

// still returns the entity tag of o if it is the newest version.
func (b *Inputs) still(ctx context.Context, o job.Object) (string, error) {
	now, err := b.Current(ctx, o.Key)
	if err != nil {
		return "", err
	}
	if o.VersionID == "" || now.VersionID != o.VersionID {
		return "", fault.New(fault.JobInputDiverged, "another version of the input came after the one that was signed")
	}
	return now.ETag, nil
}

// List goes through the current objects of a prefix in the order of their keys, from the first after a key. Their
// versions are not told.
func (b *Inputs) List(ctx context.Context, prefix, after string) iter.Seq2[job.Object, error] {
	in := &s3.ListObjectsV2Input{
		Bucket: &b.bucket,
		Prefix: &prefix,
		// A key may hold characters that XML cannot, and one such key must not hide the others.
		EncodingType: types.EncodingTypeUrl,
	}
	if after != "" {
		in.StartAfter = &after
	}
	return func(yield func(job.Object, error) bool) {
		pages := s3.NewListObjectsV2Paginator(b.client, in)
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(job.Object{}, fmt.Errorf("list inputs: %w", quiet(err)))
				return
			}
			for _, listed := range page.Contents {
				o, err := b.listed(listed, page.EncodingType)
				if !yield(o, err) || err != nil {
					return
				}
			}
		}
	}
}

func (b *Inputs) listed(o types.Object, encoding types.EncodingType) (job.Object, error) {
	key := aws.ToString(o.Key)
	if encoding == types.EncodingTypeUrl {
		var err error
		if key, err = url.QueryUnescape(key); err != nil {
			return job.Object{}, fmt.Errorf("list inputs: decode a key: %w", quiet(err))
		}
	}
	return job.Object{
		Bucket:   b.bucket,
		Key:      key,
		ETag:     unquote(o.ETag),
		Size:     aws.ToInt64(o.Size),
		Modified: aws.ToTime(o.LastModified),
	}, nil
}
