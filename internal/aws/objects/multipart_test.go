package objects_test

import (
	"bytes"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/aws/objects"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// large is the smallest original that the bucket can copy.
var large = bytes.Repeat([]byte("0123456789abcdef"), objects.MinPart/16)

// begun is a publication whose upload was begun.
func (b bucket) begun(t *testing.T, key string, tail []byte) (p job.Publication, upload string) {
	t.Helper()
	p = publication(b.put(t, key, large), large, tail, "out/"+key)
	upload, err := b.outputs.Begin(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return p, upload
}

func TestFinishCopiesTheOriginal(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "finish")
	for i, name := range names {
		tail := []byte("tail")[:min(i, 4)] // the first has none
		p, upload := b.begun(t, name, tail)
		b.put(t, name, []byte("another version")) // must not be what is copied
		is(t, "Finish", b.outputs.Finish(t.Context(), p, upload), nil)
		if got := b.read(t, p.Key); !bytes.Equal(got, append(bytes.Clone(large), tail...)) {
			t.Errorf("%s: the output is not the original and its tail", name)
		}
		if owner, err := b.outputs.Owner(t.Context(), p.Key); err != nil || owner != p.Job {
			t.Errorf("Owner = %q, %v, want %q", owner, err, p.Job)
		}
		if got := aws.ToString(head(t, b, p.Key).ContentType); got != p.ContentType {
			t.Errorf("content type = %q, want %q", got, p.ContentType)
		}
	}
}

func TestFinishSendsWhatTheBucketCannotCopy(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "send")
	whole := bytes.Repeat([]byte("0123456789abcdef"), (33<<20)/16) // two parts and a short one
	p := publication(job.Object{}, whole, nil, "out/message.p7m")
	p.Begins = false
	upload, err := b.outputs.Begin(t.Context(), p)
	is(t, "Begin", err, nil)
	is(t, "Finish", b.outputs.Finish(t.Context(), p, upload), nil)
	if got := b.read(t, p.Key); !bytes.Equal(got, whole) {
		t.Errorf("the output has %d bytes, want the %d that were sent", len(got), len(whole))
	}
}

func TestFinishNeverOverwrites(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "never")
	p, upload := b.begun(t, "document", []byte("tail"))
	is(t, "Put", b.outputs.Put(t.Context(), publication(job.Object{}, []byte("first"), nil, p.Key)), nil)
	is(t, "Finish", b.outputs.Finish(t.Context(), p, upload), fault.JobOutputExists)
	if got := string(b.read(t, p.Key)); got != "first" {
		t.Errorf("the output was overwritten: it has %d bytes", len(got))
	}
}

func TestFinishComparesChecksums(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "compare")
	p, upload := b.begun(t, "document", []byte("tail"))
	var completed atomic.Bool
	watch := func(r *http.Request) *http.Response {
		if r.Method == http.MethodPost {
			completed.Store(true)
		}
		return nil
	}
	_, outputs := b.through(intercept(watch))
	wrong := p
	wrong.SHA256[0]++
	uncoded(t, "Finish with another original", outputs.Finish(t.Context(), wrong, upload))

	_, outputs = b.through(intercept(func(r *http.Request) *http.Response {
		if r.Header.Get("X-Amz-Copy-Source") != "" {
			return answer(200, `<CopyPartResult><ETag>"e"</ETag></CopyPartResult>`)
		}
		return watch(r)
	}))
	uncoded(t, "Finish without a checksum", outputs.Finish(t.Context(), p, upload))
	if completed.Load() {
		t.Error("the upload was completed")
	}
	_, err := b.outputs.Owner(t.Context(), p.Key)
	is(t, "Owner", err, fault.JobOutputUnavailable)
	is(t, "Finish with the right one", b.outputs.Finish(t.Context(), p, upload), nil)
}

func TestFinishFails(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "fails")
	p, upload := b.begun(t, "document", []byte("tail"))
	copies := func(r *http.Request) bool { return r.Header.Get("X-Amz-Copy-Source") != "" }
	completes := func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Query().Has("uploadId") }
	sends := func(r *http.Request) bool { return r.Method == http.MethodPut && !copies(r) }
	tests := []struct {
		name   string
		when   func(*http.Request) bool
		status int
		code   string
		want   fault.Code
	}{
		{"a conflict: the caller begins again", completes, 409, "ConditionalRequestConflict", fault.Internal},
		{"the upload is gone: the caller looks", completes, 404, "NoSuchUpload", fault.Internal},
		{"the key was taken", completes, 412, "PreconditionFailed", fault.JobOutputExists},
		{"S3 fails late, after it has said 200", completes, 200, "InternalError", fault.Internal},
		{"the tail is refused", sends, 500, "InternalError", fault.Internal},
		{"the copy is refused", copies, 404, "NoSuchVersion", fault.Internal},
		{"the copy fails late", copies, 200, "InternalError", fault.Internal},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, outputs := b.through(intercept(func(r *http.Request) *http.Response {
				if tt.when(r) {
					return refusal(r, tt.status, tt.code)
				}
				if completes(r) {
					t.Error("the upload was completed")
				}
				return nil
			}))
			if err := outputs.Finish(t.Context(), p, upload); fault.CodeOf(err) != tt.want {
				t.Errorf("Finish = %v, want code %q", err, tt.want)
			}
		})
	}
}

func TestFinishRefusesWhatCannotBeAPart(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "part")
	for _, size := range []int64{0, objects.MinPart - 1, objects.MaxPart + 1} {
		p := publication(job.Object{Size: size}, nil, nil, "out")
		uncoded(t, "Finish", b.outputs.Finish(t.Context(), p, "upload"))
	}
}

func TestAbort(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "abort")
	p, upload := b.begun(t, "document", []byte("tail"))
	is(t, "Abort", b.outputs.Abort(t.Context(), p.Key, upload), nil)
	is(t, "second Abort", b.outputs.Abort(t.Context(), p.Key, upload), nil)
	uncoded(t, "Finish after it", b.outputs.Finish(t.Context(), p, upload))
	left, err := b.ListMultipartUploads(t.Context(), &s3.ListMultipartUploadsInput{Bucket: &b.out})
	if err != nil || len(left.Uploads) != 0 {
		t.Errorf("%d uploads are left, %v", len(left.Uploads), err)
	}
	_, down := b.through(intercept(func(r *http.Request) *http.Response { return refusal(r, 404, "NoSuchBucket") }))
	uncoded(t, "Abort without a bucket", down.Abort(t.Context(), p.Key, upload))
}

func TestBeginFails(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "begin")
	_, down := b.through(intercept(func(r *http.Request) *http.Response { return refusal(r, 403, "AccessDenied") }))
	_, err := down.Begin(t.Context(), publication(job.Object{}, nil, nil, "out"))
	is(t, "Begin", err, fault.JobOutputRefused)
}

// A plus sign in a key is a space to S3 unless it is encoded, and a slash may be either.
func TestCopySource(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "source")
	var got string
	_, outputs := b.through(intercept(func(r *http.Request) *http.Response {
		got = r.Header.Get("X-Amz-Copy-Source")
		return refusal(r, 404, "NoSuchKey")
	}))
	o := job.Object{Bucket: "ignored", Key: "in/a b+c?ç.pdf", VersionID: "3/L4+kq", Size: objects.MinPart}
	uncoded(t, "Finish", outputs.Finish(t.Context(), publication(o, large, nil, "out"), "upload"))
	want := b.in + "/in%2Fa%20b%2Bc%3F%C3%A7.pdf?versionId=3%2FL4%2Bkq"
	if !strings.EqualFold(got, want) {
		t.Errorf("x-amz-copy-source = %q, want %q", got, want)
	}
}
