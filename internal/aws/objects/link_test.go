package objects_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/aws/objects"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// follow makes the request of a link and returns its status and body.
func follow(t *testing.T, l job.Link, header map[string]string, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), l.Method, l.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(got)
}

func TestPresignPutUploadsOnce(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "link")
	for _, name := range names {
		l, err := b.inputs.PresignPut(t.Context(), name, "application/pdf", 10*time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"Content-Type": "application/pdf", "If-None-Match": "*"}
		if diff := cmp.Diff(want, l.Header); diff != "" || l.Method != http.MethodPut {
			t.Errorf("%s with headers (-want +got):\n%s", l.Method, diff)
		}
		if status, answer := follow(t, l, l.Header, "document"); status != 200 {
			t.Fatalf("%s: the upload answers %d: %s", name, status, answer)
		}
		if status, _ := follow(t, l, l.Header, "another"); status != 412 {
			t.Errorf("%s: the second upload answers %d, want 412", name, status)
		}
		o, err := b.inputs.Current(t.Context(), name)
		if err != nil || o.Size != 8 {
			t.Errorf("Current = %v, %v, want the first upload", o, err)
		}
	}
}

func TestPresignPutDemandsItsHeaders(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "demand")
	l, err := b.inputs.PresignPut(t.Context(), "document", "application/pdf", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for name, header := range map[string]map[string]string{
		"without the condition": {"Content-Type": "application/pdf"},
		"with another type":     {"Content-Type": "text/html", "If-None-Match": "*"},
	} {
		if status, _ := follow(t, l, header, "document"); status != 403 {
			t.Errorf("%s: the upload answers %d, want 403", name, status)
		}
	}
}

func TestPresignGet(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "get")
	for _, name := range names {
		is(t, "Put", b.outputs.Put(t.Context(), publication(job.Object{}, []byte("document"), nil, name)), nil)
		l, err := b.outputs.PresignGet(t.Context(), name, "signed.pdf", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if status, got := follow(t, l, l.Header, ""); status != 200 || got != "document" || l.Method != http.MethodGet || len(l.Header) != 0 {
			t.Errorf("%s: the download answers %d %q", name, status, got)
		}
	}
}

// provider hands out credentials that end some time after now, or do not say when.
type provider struct {
	token string
	ends  time.Duration
	err   error
}

func (p provider) Retrieve(context.Context) (aws.Credentials, error) {
	return aws.Credentials{
		AccessKeyID: "a", SecretAccessKey: "s", SessionToken: p.token, CanExpire: p.ends != 0, Expires: time.Now().Add(p.ends),
	}, p.err
}

func TestLinksDoNotOutliveTheirCredentials(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		credentials provider
		asked, want time.Duration // want 0: no link
	}{
		{"own credentials", provider{}, time.Hour, time.Hour},
		{"S3's own limit", provider{}, 30 * 24 * time.Hour, 7 * 24 * time.Hour},
		{"a session that ends later", provider{token: "t", ends: 2 * time.Hour}, time.Hour, time.Hour},
		{"a session that ends earlier", provider{token: "t", ends: 20 * time.Minute}, time.Hour, 20 * time.Minute},
		{"a session whose end is not told", provider{token: "t"}, time.Hour, 15 * time.Minute},
		{"a session that is about to end", provider{token: "t", ends: time.Second / 2}, time.Hour, 0},
		{"a session that has ended", provider{token: "t", ends: -time.Second}, time.Hour, 0},
		{"no credentials", provider{err: errors.New("none")}, time.Hour, 0},
		{"no time", provider{}, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { checkLifetime(t, tt.credentials, tt.asked, tt.want) })
		})
	}
}

func checkLifetime(t *testing.T, credentials provider, asked, want time.Duration) {
	t.Helper()
	inputs, outputs := objects.New(client(func(o *s3.Options) { o.Credentials = credentials }), "in", "out")
	get, err := outputs.PresignGet(t.Context(), "document", "a.pdf", asked)
	put, perr := inputs.PresignPut(t.Context(), "document", "a.pdf", asked)
	if want == 0 {
		if err == nil || perr == nil {
			t.Error("a link was made")
		}
		return
	}
	if err != nil || perr != nil {
		t.Fatal(err, perr)
	}
	for _, l := range []job.Link{get, put} {
		u, err := url.Parse(l.URL)
		if err != nil {
			t.Fatal(err)
		}
		if d := time.Until(l.Expires); d != want || u.Query().Get("X-Amz-Expires") != strconv.Itoa(int(want.Seconds())) {
			t.Errorf("the link lives %s, want %s: %s", d, want, l.URL)
		}
	}
}

func TestPutUpload(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "upload")
	for _, name := range names {
		is(t, "PutUpload", b.inputs.PutUpload(t.Context(), name, strings.NewReader("document"), "application/pdf"), nil)
		if o, err := b.inputs.Current(t.Context(), name); err != nil || o.Size != 8 {
			t.Errorf("Current = %v, %v, want the upload", o, err)
		}
		is(t, "second PutUpload", b.inputs.PutUpload(t.Context(), name, strings.NewReader("another"), ""), fault.JobRaceLost)
	}
	down, _ := b.through(intercept(func(r *http.Request) *http.Response { return refusal(r, 500, "InternalError") }))
	uncoded(t, "PutUpload while S3 is down", down.PutUpload(t.Context(), "document", strings.NewReader("document"), ""))
}
