package emulator_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	kmstypes "github.com/aws/aws-sdk-go-v2/service/kms/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/local/emulator"
)

var (
	local   *emulator.Emulator
	created journal
)

// journal keeps what was announced, by bucket and key.
type journal struct {
	mu   sync.Mutex
	seen map[string][]emulator.Object
}

func (j *journal) add(_ context.Context, o emulator.Object) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.seen == nil {
		j.seen = map[string][]emulator.Object{}
	}
	j.seen[o.Bucket+"/"+o.Key] = append(j.seen[o.Bucket+"/"+o.Key], o)
}

func (j *journal) of(bucket, key string) []emulator.Object {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.seen[bucket+"/"+key]
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if local, err = emulator.Start(context.Background(), emulator.Options{ObjectCreated: created.add}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := local.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func objects() *s3.Client {
	return s3.NewFromConfig(local.Config(), func(o *s3.Options) { o.UsePathStyle = true })
}

func newBucket(t *testing.T) (*s3.Client, string) {
	t.Helper()
	c, name := objects(), "b"+strings.ToLower(rand.Text())
	if err := emulator.CreateBucket(t.Context(), c, name); err != nil {
		t.Fatal(err)
	}
	return c, name
}

func TestObjectsAreAnnouncedWithTheirVersions(t *testing.T) {
	t.Parallel()
	c, bucket := newBucket(t)
	key := "contracts/Relatório final + anexo.pdf"
	put, err := c.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader("first")})
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader("second")})
	if err != nil {
		t.Fatal(err)
	}
	want := []emulator.Object{
		{Event: emulator.Put, Bucket: bucket, Key: key, VersionID: *put.VersionId, ETag: strings.Trim(*put.ETag, `"`), Size: 5},
		{Event: emulator.Put, Bucket: bucket, Key: key, VersionID: *again.VersionId, ETag: strings.Trim(*again.ETag, `"`), Size: 6},
	}
	if diff := cmp.Diff(want, created.of(bucket, key)); diff != "" {
		t.Errorf("announced (-want +got):\n%s", diff)
	}
	if *put.VersionId == *again.VersionId {
		t.Error("two versions have one id")
	}
}

func TestCopiesAndPartsAreAnnounced(t *testing.T) {
	t.Parallel()
	c, bucket := newBucket(t)
	if _, err := c.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: aws.String("from"), Body: strings.NewReader("1234")}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CopyObject(t.Context(), &s3.CopyObjectInput{Bucket: &bucket, Key: aws.String("to"), CopySource: aws.String(bucket + "/from")}); err != nil {
		t.Fatal(err)
	}
	upload(t, c, bucket, "parts", bytes.Repeat([]byte("x"), 5<<20), []byte("tail"))
	for key, want := range map[string]emulator.Object{
		"to":    {Event: emulator.Copy, Bucket: bucket, Key: "to", Size: 4},
		"parts": {Event: emulator.Complete, Bucket: bucket, Key: "parts", Size: 5<<20 + 4},
	} {
		got := created.of(bucket, key)
		if len(got) != 1 {
			t.Errorf("%s was announced %d times, want once", key, len(got))
			continue
		}
		if got[0].VersionID == "" || got[0].ETag == "" || strings.Contains(got[0].ETag, `"`) {
			t.Errorf("%s has version %q and entity tag %q", key, got[0].VersionID, got[0].ETag)
		}
		got[0].VersionID, got[0].ETag = "", ""
		if diff := cmp.Diff(want, got[0]); diff != "" {
			t.Errorf("announced (-want +got):\n%s", diff)
		}
	}
}

// upload sends an object in parts.
func upload(t *testing.T, c *s3.Client, bucket, key string, parts ...[]byte) {
	t.Helper()
	start, err := c.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: &bucket, Key: &key})
	if err != nil {
		t.Fatal(err)
	}
	var done []types.CompletedPart
	for i, p := range parts {
		n := aws.Int32(int32(i + 1))
		out, err := c.UploadPart(t.Context(), &s3.UploadPartInput{
			Bucket: &bucket, Key: &key, UploadId: start.UploadId, PartNumber: n, Body: bytes.NewReader(p),
		})
		if err != nil {
			t.Fatal(err)
		}
		done = append(done, types.CompletedPart{PartNumber: n, ETag: out.ETag})
	}
	_, err = c.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: &bucket, Key: &key, UploadId: start.UploadId, MultipartUpload: &types.CompletedMultipartUpload{Parts: done},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPresignedLinksReachS3(t *testing.T) {
	t.Parallel()
	c, bucket := newBucket(t)
	key := "a b+c.pdf"
	if _, err := c.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader("%PDF")}); err != nil {
		t.Fatal(err)
	}
	link, err := s3.NewPresignClient(c).PresignGetObject(t.Context(), &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(link.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || string(body) != "%PDF" {
		t.Errorf("got %d %q, %v, want 200 and the object", resp.StatusCode, body, err)
	}
}

func TestAWrongSecretIsRefused(t *testing.T) {
	t.Parallel()
	cfg := local.Config()
	cfg.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: emulator.AccessKey, SecretAccessKey: "another"}, nil
	})
	c := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
	_, err := c.ListBuckets(t.Context(), &s3.ListBucketsInput{})
	if api, ok := errors.AsType[smithy.APIError](err); !ok || api.ErrorCode() != "SignatureDoesNotMatch" {
		t.Errorf("err = %v, want SignatureDoesNotMatch", err)
	}
}

func TestKeysSignAndForeignCallsAreNamed(t *testing.T) {
	t.Parallel()
	c := kms.NewFromConfig(local.Config())
	key, err := c.CreateKey(t.Context(), &kms.CreateKeyInput{KeySpec: kmstypes.KeySpecEccNistP256, KeyUsage: kmstypes.KeyUsageTypeSignVerify})
	if err != nil {
		t.Fatal(err)
	}
	want := "arn:aws:kms:" + emulator.Region + ":" + emulator.Account + ":key/" + *key.KeyMetadata.KeyId
	if *key.KeyMetadata.Arn != want {
		t.Errorf("ARN = %s, want %s", *key.KeyMetadata.Arn, want)
	}
	sig, err := c.Sign(t.Context(), &kms.SignInput{
		KeyId: key.KeyMetadata.Arn, Message: make([]byte, 32), MessageType: kmstypes.MessageTypeDigest,
		SigningAlgorithm: kmstypes.SigningAlgorithmSpecEcdsaSha256,
	})
	if err != nil || len(sig.Signature) == 0 {
		t.Errorf("Sign = %v, %v", sig, err)
	}
	_, err = c.ListGrants(t.Context(), &kms.ListGrantsInput{KeyId: key.KeyMetadata.Arn})
	if err == nil || !strings.Contains(err.Error(), "has no ListGrants") {
		t.Errorf("ListGrants = %v, want a refusal that names it", err)
	}
}

func TestQueuesAreKumos(t *testing.T) {
	t.Parallel()
	c := sqs.NewFromConfig(local.Config())
	q, err := c.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String(rand.Text())})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: q.QueueUrl, MessageBody: aws.String("hello")}); err != nil {
		t.Fatal(err)
	}
	got, err := c.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: q.QueueUrl})
	if err != nil || len(got.Messages) != 1 || *got.Messages[0].Body != "hello" {
		t.Errorf("ReceiveMessage = %v, %v, want one message", got, err)
	}
}

func TestServicesThatWereLeftOutSaySo(t *testing.T) {
	t.Parallel()
	e, err := emulator.Start(t.Context(), emulator.Options{Services: emulator.None})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	_, err = kms.NewFromConfig(e.Config(), func(o *kms.Options) { o.RetryMaxAttempts = 1 }).ListKeys(t.Context(), &kms.ListKeysInput{})
	if resp, ok := errors.AsType[*smithyhttp.ResponseError](err); !ok || resp.HTTPStatusCode() != http.StatusNotImplemented {
		t.Errorf("err = %v, want 501", err)
	}
}

func TestASecondGatewayIsRefused(t *testing.T) {
	t.Parallel()
	// Only the first may run: the library's own state is global. The refusal must not disturb the first.
	e, err := emulator.Start(t.Context(), emulator.Options{Dir: t.TempDir(), Services: emulator.S3})
	if err == nil {
		defer e.Close()
		t.Fatal("a second gateway started")
	}
	if _, err := objects().ListBuckets(t.Context(), &s3.ListBucketsInput{}); err != nil {
		t.Errorf("the first gateway no longer answers: %v", err)
	}
}
