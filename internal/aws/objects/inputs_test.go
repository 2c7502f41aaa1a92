package objects_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

func TestCurrent(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "current")
	for _, name := range names {
		put, err := b.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &b.in, Key: &name, Body: strings.NewReader("content")})
		if err != nil {
			t.Fatal(err)
		}
		got, err := b.inputs.Current(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if got.Modified.IsZero() {
			t.Errorf("Current(%q) has no time", name)
		}
		want := job.Object{
			Bucket: b.in, Key: name, VersionID: *put.VersionId, ETag: strings.Trim(*put.ETag, `"`), Size: 7, Modified: got.Modified,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Current(%q) (-want +got):\n%s", name, diff)
		}
	}
}

func TestCurrentOfNothing(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "nothing")
	_, err := b.inputs.Current(t.Context(), "never there")
	is(t, "Current of a free key", err, fault.JobInputMissing)

	b.put(t, "hidden", []byte("content"))
	b.hide(t, b.in, "hidden")
	_, err = b.inputs.Current(t.Context(), "hidden")
	is(t, "Current of a hidden key", err, fault.JobInputMissing)

	down, _ := b.through(intercept(func(r *http.Request) *http.Response { return refusal(r, 500, "InternalError") }))
	_, err = down.Current(t.Context(), "hidden")
	uncoded(t, "Current while S3 is down", err)
}

func TestFetchReadsTheVersion(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "fetch")
	for _, name := range names {
		first := b.put(t, name, []byte("first"))
		b.put(t, name, []byte("another"))
		var got bytes.Buffer
		if err := b.inputs.Fetch(t.Context(), first, &got); err != nil {
			t.Fatal(err)
		}
		if got.String() != "first" {
			t.Errorf("Fetch(%q) = %q, want the version's bytes", name, got.String())
		}
		b.hide(t, b.in, name)
		if err := b.inputs.Fetch(t.Context(), first, io.Discard); err != nil {
			t.Errorf("Fetch of a hidden version = %v, want none: the workflow looks whether it is hidden", err)
		}
	}
}

func TestFetchOfWhatIsGone(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "gone")
	o := b.put(t, "deleted", []byte("content"))
	marker, err := b.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &b.in, Key: &o.Key})
	if err != nil {
		t.Fatal(err)
	}
	marked := o
	marked.VersionID = *marker.VersionId
	is(t, "Fetch of a delete marker", b.inputs.Fetch(t.Context(), marked, io.Discard), fault.JobInputMissing)

	if _, err := b.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &b.in, Key: &o.Key, VersionId: &o.VersionID}); err != nil {
		t.Fatal(err)
	}
	is(t, "Fetch of a deleted version", b.inputs.Fetch(t.Context(), o, io.Discard), fault.JobInputMissing)

	o.VersionID = ""
	is(t, "Fetch without a version", b.inputs.Fetch(t.Context(), o, io.Discard), fault.StorageUnfit)
}

func TestFetchNoticesAWrongBody(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "wrong")
	o := b.put(t, "document", []byte("content"))
	cut := errors.New("connection reset")
	tests := []struct {
		name   string
		change func(*http.Response)
	}{
		{"longer than announced", func(r *http.Response) { body(r, "content and more", 16) }},
		{"longer than it says", func(r *http.Response) { body(r, "content and more", 7) }},
		{"shorter than it says", func(r *http.Response) { body(r, "con", 7) }},
		{"cut off", func(r *http.Response) {
			r.ContentLength, r.Body = 7, io.NopCloser(io.MultiReader(strings.NewReader("con"), broken{cut}))
		}},
		{"another checksum", func(r *http.Response) {
			body(r, "CONTENT", 7)
			r.Header.Set("X-Amz-Checksum-Crc32", "AAAAAA==")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inputs, _ := b.through(intercept(func(*http.Request) *http.Response {
				resp := answer(200, "")
				tt.change(resp)
				return resp
			}))
			uncoded(t, "Fetch", inputs.Fetch(t.Context(), o, io.Discard))
		})
	}
	missing, _ := b.through(intercept(func(r *http.Request) *http.Response { return refusal(r, 404, "NoSuchBucket") }))
	uncoded(t, "Fetch from no bucket", missing.Fetch(t.Context(), o, io.Discard))
}

// body makes an answer carry s and say that it has size bytes.
func body(r *http.Response, s string, size int64) {
	r.ContentLength, r.Body = size, io.NopCloser(strings.NewReader(s))
	r.Header.Set("Content-Length", strconv.FormatInt(size, 10))
}

// broken is a connection that breaks.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

func TestList(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "list")
	var want []job.Object
	for _, name := range []string{"contracts/a", "contracts/b c+d", "contracts/ç%41"} {
		o := b.put(t, name, []byte(name))
		o.VersionID = ""
		want = append(want, o)
	}
	b.put(t, "contracts/hidden", []byte("x"))
	b.hide(t, b.in, "contracts/hidden")
	b.put(t, "other/a", []byte("x"))

	for after, want := range map[string][]job.Object{"": want, "contracts/a": want[1:], "contracts/z": want[2:], "contracts/ç%41": nil} {
		var got []job.Object
		for o, err := range b.inputs.List(t.Context(), "contracts/", after) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, o)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("List after %q (-want +got):\n%s", after, diff)
		}
	}
}

// S3 encodes keys on demand, which versitygw does not do: the pages are written here.
func TestListGoesThroughPages(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "pages")
	pages := map[string]string{
		"":    `<IsTruncated>true</IsTruncated><NextContinuationToken>two</NextContinuationToken><EncodingType>url</EncodingType><Contents><Key>in/a%2Bb+c%01</Key><Size>1</Size></Contents>`,
		"two": `<IsTruncated>false</IsTruncated><EncodingType>url</EncodingType><Contents><Key>in/%C3%A7%2525</Key><Size>2</Size></Contents><Contents><Key>in/last</Key></Contents>`,
	}
	asked := 0
	inputs, _ := b.through(intercept(func(r *http.Request) *http.Response {
		asked++
		q := r.URL.Query()
		if q.Get("start-after") != "in/0" || q.Get("prefix") != "in/" {
			return refusal(r, 400, "InvalidArgument")
		}
		return answer(200, `<?xml version="1.0"?><ListBucketResult>`+pages[q.Get("continuation-token")]+`</ListBucketResult>`)
	}))
	var got []string
	for o, err := range inputs.List(t.Context(), "in/", "in/0") {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, o.Key); len(got) == 2 {
			break
		}
	}
	if diff := cmp.Diff([]string{"in/a+b c\x01", "in/ç%25"}, got); diff != "" || asked != 2 {
		t.Errorf("%d pages (-want +got):\n%s", asked, diff)
	}
}

func TestListStopsAtAnError(t *testing.T) {
	t.Parallel()
	b := newBuckets(t, "liststop")
	for name, resp := range map[string]string{
		"refused":     "",
		"broken key":  `<EncodingType>url</EncodingType><Contents><Key>in/%zz</Key></Contents><Contents><Key>in/b</Key></Contents>`,
		"broken page": `<Contents>`,
	} {
		inputs, _ := b.through(intercept(func(r *http.Request) *http.Response {
			if resp == "" {
				return refusal(r, 403, "AccessDenied")
			}
			return answer(200, `<?xml version="1.0"?><ListBucketResult>`+resp+`</ListBucketResult>`)
		}))
		var errs []error
		for _, err := range inputs.List(t.Context(), "in/", "") {
			errs = append(errs, err)
		}
		if len(errs) != 1 || errs[0] == nil {
			t.Errorf("%s: List gave %v, want one error and the end", name, errs)
		}
	}
}
