package emulator_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"bulksigner/internal/local/emulator"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "sign", "sign.queue"} {
		if got, ok := emulator.NameOf(emulator.KeyOf(name)); !ok || got != name {
			t.Errorf("the key of %q is that of %q, %t", name, got, ok)
		}
	}
	if name, ok := emulator.NameOf("AKIAIOSFODNN7EXAMPLE"); ok {
		t.Errorf("a foreign key is that of %q", name)
	}
}

func TestCredential(t *testing.T) {
	t.Parallel()
	const scope = "local-api/20261129/sa-east-1/s3/aws4_request"
	signed, linked, bare := httptest.NewRequest("GET", "/b/k", nil), httptest.NewRequest("GET", "/b/k?X-Amz-Credential="+strings.ReplaceAll(scope, "/", "%2F"), nil),
		httptest.NewRequest("GET", "/b/k", nil)
	signed.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+scope+", SignedHeaders=host, Signature=0")
	for _, r := range []*http.Request{signed, linked} {
		if key, service, ok := emulator.Credential(r); key != "local-api" || service != "s3" || !ok {
			t.Errorf("%s: %q asks %q, %t, want local-api and s3", r.URL, key, service, ok)
		}
	}
	if key, service, ok := emulator.Credential(bare); ok {
		t.Errorf("an unsigned request is of %q for %q", key, service)
	}
}

// The S3 gateway checks credentials: it has to know who has a name.
func TestWhoHasANameIsServed(t *testing.T) {
	t.Parallel()
	_, bucket := newBucket(t)
	c := s3.NewFromConfig(local.ConfigOf("sign"), func(o *s3.Options) { o.UsePathStyle = true })
	key := "k"
	if _, err := c.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader("%PDF")}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: &bucket, Key: &key}); err != nil {
		t.Error(err)
	}
}

func TestWatchSeesRequests(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 1)
	e, err := emulator.Start(t.Context(), emulator.Options{Services: emulator.None, Watch: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen <- r.URL.Path
			next.ServeHTTP(w, r)
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	resp, err := http.Get(e.URL + "/kumo/none")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if path := <-seen; path != "/kumo/none" {
		t.Errorf("watched %s", path)
	}
}
