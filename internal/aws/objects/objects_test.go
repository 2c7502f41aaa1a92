package objects_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/aws/objects"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/local/emulator"
)

var local *emulator.Emulator

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if local, err = emulator.Start(context.Background(), emulator.Options{Services: emulator.S3}); err != nil {
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

// client is an S3 client of the emulator.
func client(options ...func(*s3.Options)) *s3.Client {
	return s3.NewFromConfig(local.Config(), append(options, func(o *s3.Options) { o.UsePathStyle = true })...)
}

// bucket is a pair of buckets of one test.
type bucket struct {
	*s3.Client
	in, out string
	inputs  *objects.Inputs
	outputs *objects.Outputs
}

// serial tells apart what tests make when they run more than once.
var serial atomic.Int32

func newBuckets(t testing.TB, name string) bucket {
	t.Helper()
	name = fmt.Sprintf("%s-%d", name, serial.Add(1))
	b := bucket{Client: client(), in: name + "-in", out: name + "-out"}
	for _, n := range []string{b.in, b.out} {
		if err := emulator.CreateBucket(t.Context(), b.Client, n); err != nil {
			t.Fatal(err)
		}
	}
	b.inputs, b.outputs = objects.New(b.Client, b.in, b.out)
	return b
}

// through is the same buckets through a transport.
func (b bucket) through(rt http.RoundTripper) (*objects.Inputs, *objects.Outputs) {
	c := client(func(o *s3.Options) { o.HTTPClient, o.RetryMaxAttempts = &http.Client{Transport: rt}, 1 })
	return objects.New(c, b.in, b.out)
}

// put stores an input and returns it as it is now.
func (b bucket) put(t testing.TB, key string, content []byte) job.Object {
	t.Helper()
	_, err := b.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &b.in, Key: &key, Body: bytes.NewReader(content)})
	if err != nil {
		t.Fatal(err)
	}
	o, err := b.inputs.Current(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// hide puts a delete marker on a key.
func (b bucket) hide(t *testing.T, bucket, key string) {
	t.Helper()
	if _, err := b.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &bucket, Key: &key}); err != nil {
		t.Fatal(err)
	}
}

// publication is an output made of an input and a tail.
func publication(o job.Object, content, tail []byte, key string) job.Publication {
	whole := append(bytes.Clone(content), tail...)
	return job.Publication{
		Job: job.NewID(), Key: key, ContentType: "application/pdf", Content: section(whole), Begins: true, Original: o, SHA256: sha256.Sum256(content),
	}
}

func section(b []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b)))
}

// read returns the bytes of an output.
func (b bucket) read(t *testing.T, key string) []byte {
	t.Helper()
	d, err := b.outputs.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	got, err := io.ReadAll(d.Body)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(got)) != d.Size {
		t.Errorf("Open says %d bytes, and %d came", d.Size, len(got))
	}
	return got
}

// is fails the test unless err is want. A nil want is no error at all.
func is(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s = %v, want %v", what, err, want)
	}
}

// uncoded fails the test unless err is an error without a code.
func uncoded(t *testing.T, what string, err error) {
	t.Helper()
	if fault.CodeOf(err) != fault.Internal {
		t.Errorf("%s = %v, want an error without a code", what, err)
	}
}

// fault below the SDK's client: an intercept sees every request and answers it, or passes it on with a nil answer.
type intercept func(*http.Request) *http.Response

func (f intercept) RoundTrip(r *http.Request) (*http.Response, error) {
	if resp := f(r); resp != nil {
		if r.Body != nil {
			_, _ = io.Copy(io.Discard, r.Body) // as a server does
			_ = r.Body.Close()
		}
		resp.Request = r
		return resp, nil
	}
	return http.DefaultTransport.RoundTrip(r)
}

// refusal is S3's answer with an error. HEAD has no body, as in S3.
func refusal(r *http.Request, status int, code string) *http.Response {
	body := fmt.Sprintf("<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>made by a test</Message></Error>", code)
	if r.Method == http.MethodHead {
		body = ""
	}
	return answer(status, body)
}

func answer(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/xml"}},
		ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)),
	}
}

// names are keys that get damaged where a key is decoded or encoded once too often.
var names = []string{
	"contracts/plain.pdf",
	"contracts/nota fiscal (1) + anexo.pdf",
	"contracts/ação nº 1 – 100%.pdf",
	"contracts/a%2Fb?c=d&e#f.pdf",
	"contracts/日本 😀 'quoted' \"twice\".pdf",
}
