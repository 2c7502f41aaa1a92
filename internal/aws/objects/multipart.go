package objects

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// Bounds of a part, which are S3's. The last part may be smaller.
const (
	MinPart = 5 << 20
	MaxPart = 5 << 30
)

// Begin opens the multipart upload of an output and returns its id.
func (b *Outputs) Begin(ctx context.Context, p job.Publication) (string, error) {
	out, err := b.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{
		Bucket:            &b.bucket,
		Key:               &p.Key,
		ContentType:       &p.ContentType,
		ChecksumAlgorithm: types.ChecksumAlgorithmSha256,
		Metadata:          metadata(p),
	})
	if refused(err) {
		return "", refusal(err)
	}
	if err != nil {
		return "", fmt.Errorf("begin an upload: %w", quiet(err))
	}
	return aws.ToString(out.UploadId), nil
}

// sendSize is how much of an output is sent as one part. An output of 1 GiB has 64 of them, far below S3's 10 000.
const sendSize = 16 << 20

// Finish fills an upload and completes it. Where the output begins with the original, the bucket copies that itself, as
// one part, and only the rest is sent; the checksum that the bucket computed of its copy must be that of the original as
// it was signed. Such an original has MinPart to MaxPart bytes.
//
// Finish returns fault.JobOutputExists if the key is taken. Any other error leaves open what happened: a conflict, after
// which the upload has to begin anew, or an upload that is gone, by an abort or because it was completed. Owner tells.
func (b *Outputs) Finish(ctx context.Context, p job.Publication, uploadID string) error {
	var parts []types.CompletedPart
	sent := int64(0)
	if p.Begins {
		part, err := b.copyOriginal(ctx, p, uploadID)
		if err != nil {
			return err
		}
		parts, sent = append(parts, part), p.Original.Size
	}
	for size := p.Content.Size(); sent < size; {
		piece := io.NewSectionReader(p.Content, sent, min(sendSize, size-sent))
		part, err := b.send(ctx, p, uploadID, int32(len(parts)+1), piece)
		if err != nil {
			return err
		}
		parts, sent = append(parts, part), sent+piece.Size()
	}
	return b.complete(ctx, p, uploadID, parts)
}

// copyOriginal lets the bucket copy the version that was signed, and compares checksums.
func (b *Outputs) copyOriginal(ctx context.Context, p job.Publication, uploadID string) (types.CompletedPart, error) {
	if p.Original.Size < MinPart || p.Original.Size > min(MaxPart, p.Content.Size()) {
		return types.CompletedPart{}, fmt.Errorf("finish an upload: an original of %d bytes cannot be a part", p.Original.Size)
	}
	out, err := b.client.UploadPartCopy(ctx, &s3.UploadPartCopyInput{
		Bucket:     &b.bucket,
		Key:        &p.Key,
		UploadId:   &uploadID,
		PartNumber: aws.Int32(1),
		CopySource: aws.String(copySource(b.from, p.Original)),
	})
	if err != nil {
		return types.CompletedPart{}, fmt.Errorf("copy the original: %w", quiet(err))
	}
	if out.CopyPartResult == nil {
		return types.CompletedPart{}, errors.New("copy the original: the answer has no result")
	}
	got, want := aws.ToString(out.CopyPartResult.ChecksumSHA256), base64.StdEncoding.EncodeToString(p.SHA256[:])
	if got != want {
		return types.CompletedPart{}, fmt.Errorf("copy the original: SHA-256 of the copy is %q, of the original %q", got, want)
	}
	return types.CompletedPart{PartNumber: aws.Int32(1), ETag: out.CopyPartResult.ETag, ChecksumSHA256: &want}, nil
}

// copySource names an object version in the header of a copy, which is a URL's path without its slash. PathEscape leaves
// the plus sign alone, which S3 takes for a space.
func copySource(bucket string, o job.Object) string {
	key := strings.ReplaceAll(url.PathEscape(o.Key), "+", "%2B")
	return bucket + "/" + key + "?versionId=" + url.QueryEscape(o.VersionID)
}

// send sends a part with its checksum. It is read twice and never held.
func (b *Outputs) send(ctx context.Context, p job.Publication, uploadID string, number int32, piece *io.SectionReader) (types.CompletedPart, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(piece, 0, piece.Size())); err != nil {
		return types.CompletedPart{}, fmt.Errorf("read part %d: %w", number, err)
	}
	checksum := base64.StdEncoding.EncodeToString(sum.Sum(nil))
	out, err := b.client.UploadPart(ctx, &s3.UploadPartInput{
		Bucket:         &b.bucket,
		Key:            &p.Key,
		UploadId:       &uploadID,
		PartNumber:     &number,
		Body:           piece,
		ContentLength:  aws.Int64(piece.Size()),
		ChecksumSHA256: &checksum,
	})
	if err != nil {
		return types.CompletedPart{}, fmt.Errorf("send part %d: %w", number, err)
	}
	return types.CompletedPart{PartNumber: &number, ETag: out.ETag, ChecksumSHA256: &checksum}, nil
}

func (b *Outputs) complete(ctx context.Context, p job.Publication, uploadID string, parts []types.CompletedPart) error {
	_, err := b.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket:          &b.bucket,
		Key:             &p.Key,
		UploadId:        &uploadID,
		IfNoneMatch:     aws.String(onlyNew),
		ChecksumType:    types.ChecksumTypeComposite,
		MpuObjectSize:   aws.Int64(p.Content.Size()),
		MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	})
	if taken(err) {
		return fault.Wrap(fault.JobOutputExists, quiet(err), "there is an output with this name already")
	}
	if err != nil {
		return fmt.Errorf("complete an upload: %w", quiet(err))
	}
	return nil
}

// Abort forgets an upload and its parts. An upload that is gone is no error.
func (b *Outputs) Abort(ctx context.Context, key, uploadID string) error {
	_, err := b.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &b.bucket, Key: &key, UploadId: &uploadID})
	if err != nil && codeOf(err) != "NoSuchUpload" {
		return fmt.Errorf("abort an upload: %w", quiet(err))
	}
	return nil
}
