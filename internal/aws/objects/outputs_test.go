package objects_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/aws/objects"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// versitygw refuses a put whose condition fails without reading its body, so that a large one meets a closed connection
// and not a 412, as S3 would answer. The bodies are small here.
func TestPutPublishesOnce(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "put")
	content := []byte("the document")
	for _, name := range names {
		p := publication(job.Object{}, content, []byte(", signed"), name)
		is(t, "Put", b.outputs.Put(t.Context(), p), nil)
		if got := string(b.read(t, name)); got != "the document, signed" {
			t.Errorf("the output %q is %q", name, got)
		}
		if owner, err := b.outputs.Owner(t.Context(), name); err != nil || owner != p.Job {
			t.Errorf("Owner(%q) = %q, %v, want %q", name, owner, err, p.Job)
		}
		other := publication(job.Object{}, []byte("another"), nil, name)
		is(t, "Put over it", b.outputs.Put(t.Context(), other), fault.JobOutputExists)
		if got := string(b.read(t, name)); got != "the document, signed" {
			t.Errorf("the output %q was overwritten with %q", name, got)
		}
	}
}

func TestPutKeepsTheContentType(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "putbare")
	p := job.Publication{Job: job.NewID(), Key: "out", ContentType: "application/pkcs7-signature", Content: section([]byte("signature"))}
	is(t, "Put", b.outputs.Put(t.Context(), p), nil)
	d, err := b.outputs.Open(t.Context(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	if d.ContentType != p.ContentType || d.Size != 9 {
		t.Errorf("Open = %s, %d bytes, want %s, 9 bytes", d.ContentType, d.Size, p.ContentType)
	}
}

func TestHoldsAnOriginal(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "holds")
	content := []byte("the original")
	is(t, "Put", b.outputs.Put(t.Context(), publication(job.Object{}, content, nil, "beside")), nil)
	is(t, "Put", b.outputs.Put(t.Context(), publication(job.Object{}, content, []byte(", signed"), "output")), nil)
	for _, tt := range []struct {
		key     string
		content string
		want    bool
	}{
		{"beside", "the original", true},
		{"beside", "another text", false},
		{"output", "the original", false},
		{"none", "the original", false},
	} {
		got, err := b.outputs.Holds(t.Context(), tt.key, int64(len(tt.content)), sha256.Sum256([]byte(tt.content)))
		if got != tt.want || err != nil {
			t.Errorf("Holds(%s, %q) = %t, %v, want %t", tt.key, tt.content, got, err, tt.want)
		}
	}
}

func TestPutOfManyHasOneWinner(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "race")
	const writers = 20
	var won, lost atomic.Int32
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			err := b.outputs.Put(t.Context(), publication(job.Object{}, []byte("content"), fmt.Append(nil, i), "out"))
			switch fault.CodeOf(err) {
			case "":
				won.Add(1)
			case fault.JobOutputExists:
				lost.Add(1)
			default:
				t.Errorf("Put = %v", err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || lost.Load() != writers-1 {
		t.Errorf("%d won and %d lost, want 1 and %d", won.Load(), lost.Load(), writers-1)
	}
}

func TestPutAfterAConflict(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "conflict")
	var asked atomic.Int32
	_, outputs := b.through(intercept(func(r *http.Request) *http.Response {
		if asked.Add(1) > 2 {
			return nil
		}
		return refusal(r, 409, "ConditionalRequestConflict")
	}))
	is(t, "Put", outputs.Put(t.Context(), publication(job.Object{}, []byte("content"), []byte(", signed"), "out")), nil)
	if got := string(b.read(t, "out")); got != "content, signed" || asked.Load() != 3 {
		t.Errorf("the output is %q after %d requests, want it whole after 3", got, asked.Load())
	}
}

func TestPutGivesUp(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "putgiveup")
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		_, outputs := b.through(intercept(func(r *http.Request) *http.Response {
			asked++
			return refusal(r, 409, "ConditionalRequestConflict")
		}))
		uncoded(t, "Put", outputs.Put(t.Context(), publication(job.Object{}, []byte("content"), nil, "out")))
		if asked != 4 {
			t.Errorf("asked %d times, want 4", asked)
		}
	})
}

func TestConflictsEndWithTheRun(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "ends")
	o := b.put(t, "document", []byte("content"))
	p := publication(job.Object{}, []byte("content"), nil, "out")
	for what, do := range map[string]func(context.Context, *objects.Inputs, *objects.Outputs) error{
		"Delete": func(ctx context.Context, in *objects.Inputs, _ *objects.Outputs) error { return in.Delete(ctx, o) },
		"Put":    func(ctx context.Context, _ *objects.Inputs, out *objects.Outputs) error { return out.Put(ctx, p) },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		in, out := b.through(intercept(func(r *http.Request) *http.Response {
			if r.Method == http.MethodHead {
				return nil
			}
			defer cancel()
			return refusal(r, 409, "ConditionalRequestConflict")
		}))
		is(t, what, do(ctx, in, out), context.Canceled)
		cancel()
	}
}

// The SDK repeats a put after a 500, and must then send the body from its beginning.
func TestPutIsRepeatedWhole(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "repeat")
	var asked atomic.Int32
	rt := intercept(func(r *http.Request) *http.Response {
		if asked.Add(1) > 1 {
			return nil
		}
		return refusal(r, 500, "InternalError")
	})
	_, outputs := objects.New(client(func(o *s3.Options) { o.HTTPClient = &http.Client{Transport: rt} }), b.in, b.out)
	is(t, "Put", outputs.Put(t.Context(), publication(job.Object{}, []byte("content"), []byte(", signed"), "out")), nil)
	if got := string(b.read(t, "out")); got != "content, signed" {
		t.Errorf("the output is %q", got)
	}
}

func TestOwner(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "owner")
	_, err := b.outputs.Owner(t.Context(), "free")
	is(t, "Owner of a free key", err, fault.JobOutputUnavailable)

	for key, metadata := range map[string]map[string]string{"bare": nil, "rubbish": {"job-id": "../1"}, "empty": {"job-id": ""}} {
		_, err := b.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &b.out, Key: &key, Metadata: metadata, Body: strings.NewReader("x")})
		if err != nil {
			t.Fatal(err)
		}
		if owner, err := b.outputs.Owner(t.Context(), key); err != nil || owner != objects.Foreign {
			t.Errorf("Owner(%q) = %q, %v, want %q", key, owner, err, objects.Foreign)
		}
	}
	b.hide(t, b.out, "bare")
	_, err = b.outputs.Owner(t.Context(), "bare")
	is(t, "Owner of a hidden key", err, fault.JobOutputUnavailable)

	_, down := b.through(intercept(func(r *http.Request) *http.Response { return refusal(r, 403, "") }))
	_, err = down.Owner(t.Context(), "bare")
	uncoded(t, "Owner without the right to look", err)
	if id, err := job.ParseID(string(objects.Foreign)); err == nil {
		t.Errorf("a job may be called %q", id)
	}
}

func TestOpenOfNothing(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "open")
	_, err := b.outputs.Open(t.Context(), "out")
	is(t, "Open", err, fault.JobOutputGone)
	_, down := b.through(intercept(func(r *http.Request) *http.Response { return refusal(r, 404, "NoSuchBucket") }))
	_, err = down.Open(t.Context(), "out")
	uncoded(t, "Open without a bucket", err)
}

func BenchmarkPut(b *testing.B) {
	buckets := newBuckets(b, "bench")
	content := bytes.Repeat([]byte("x"), 1<<20)
	_, outputs := buckets.through(intercept(func(r *http.Request) *http.Response {
		_, _ = io.Copy(io.Discard, r.Body)
		return answer(200, "")
	}))
	b.SetBytes(1 << 20)
	b.ReportAllocs()
	for b.Loop() {
		if err := outputs.Put(b.Context(), publication(job.Object{}, content, []byte("tail"), "out")); err != nil {
			b.Fatal(err)
		}
	}
}

func head(t *testing.T, b bucket, key string) *s3.HeadObjectOutput {
	t.Helper()
	out, err := b.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: &b.out, Key: &key, ChecksumMode: "ENABLED"})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestOutputsCarryAChecksum(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "checksum")
	is(t, "Put", b.outputs.Put(t.Context(), publication(job.Object{}, []byte("content"), nil, "out")), nil)
	sum := sha256.Sum256([]byte("content"))
	want := base64.StdEncoding.EncodeToString(sum[:])
	if got := aws.ToString(head(t, b, "out").ChecksumSHA256); got != want {
		t.Errorf("SHA-256 = %q, want %q", got, want)
	}
}
