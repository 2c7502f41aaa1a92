package keys_test

import (
	"context"
	"crypto"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/kms"

	"bulksigner/internal/aws/keys"
	"bulksigner/internal/fault"
)

// answers is KMS as a list of answers, the last one for ever, below a real client.
type answers struct {
	list  []answer
	asked atomic.Int32
	body  func(string) // sees what was asked
}

type answer struct {
	status int
	code   string // of the error; "" with status 200 is a signature
	err    error  // instead of an answer
	hang   bool   // as long as somebody listens
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	n := int(a.asked.Add(1)) - 1
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if a.body != nil {
		a.body(string(asked))
	}
	it := a.list[min(n, len(a.list)-1)]
	if it.hang {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if it.err != nil {
		return nil, it.err
	}
	text := fmt.Sprintf(`{"__type":%q,"message":"made by a test"}`, it.code)
	if it.code == "" {
		text = `{"Signature":"c2ln"}`
	}
	return &http.Response{
		StatusCode: it.status, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/x-amz-json-1.1"}},
		ContentLength: int64(len(text)), Body: io.NopCloser(strings.NewReader(text)), Request: r,
	}, nil
}

// ask signs once, within d of a bubble's time.
func (a *answers) ask(t *testing.T, d time.Duration) ([]byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	client := clientOf("http://kms", func(o *kms.Options) { o.HTTPClient = &http.Client{Transport: a} })
	return signerOver(ctx, t, client).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	rsaKey() // keys and certificates of the tests come into being outside of the bubbles
	pki()
	throttled := answer{status: 400, code: "ThrottlingException"}
	tests := []struct {
		name  string
		list  []answer
		want  fault.Code
		asked int32 // 0: many
	}{
		{"signed", []answer{{status: 200}}, "", 1},
		{"throttled for a while", []answer{throttled, throttled, {status: 429}, {status: 400, code: "LimitExceededException"}, {status: 200}}, "", 5},
		{"throttled for ever", []answer{throttled}, fault.Throttled, 0},
		{"denied", []answer{{status: 400, code: "AccessDeniedException"}}, fault.KeyUnavailable, 1},
		{"disabled", []answer{{status: 400, code: "DisabledException"}}, fault.KeyUnavailable, 1},
		{"not there", []answer{{status: 400, code: "NotFoundException"}}, fault.KeyUnavailable, 1},
		{"in another state", []answer{{status: 400, code: "KMSInvalidStateException"}}, fault.KeyUnavailable, 1},
		{"another usage", []answer{{status: 400, code: "InvalidKeyUsageException"}}, fault.JobKeyRefused, 1},
		{"a grant that is over", []answer{{status: 400, code: "InvalidGrantTokenException"}}, fault.JobKeyRefused, 1},
		{"a code of the future", []answer{{status: 400, code: "NewException"}}, fault.JobKeyRefused, 1},
		{"a time-out on the way", []answer{{status: 408, code: "RequestTimeout"}}, fault.JobKeySilent, 1},
		{"failed", []answer{{status: 500, code: "KMSInternalException"}}, fault.JobKeySilent, 1},
		{"timed out inside", []answer{{status: 503, code: "DependencyTimeoutException"}}, fault.JobKeySilent, 1},
		{"the key away", []answer{{status: 500, code: "KeyUnavailableException"}}, fault.JobKeySilent, 1},
		{"throttled and then failed", []answer{throttled, {status: 500, code: "KMSInternalException"}}, fault.JobKeySilent, 2},
		{"throttled and then refused", []answer{throttled, {status: 400, code: "DisabledException"}}, fault.KeyUnavailable, 2},
		{"hanging", []answer{{hang: true}}, fault.JobKeySilent, 1},
		{"throttled and then hanging", []answer{throttled, {hang: true}}, fault.JobKeySilent, 2},
		{"gone from the wire", []answer{{err: errNetwork}}, fault.JobKeySilent, 1},
		{"a dial error of a client that proves nothing", []answer{{err: fmt.Errorf("dial tcp: %w", errNetwork)}}, fault.JobKeySilent, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := &answers{list: tt.list}
				_, err := a.ask(t, time.Minute)
				has(t, "Sign", err, tt.want)
				if n := a.asked.Load(); n != tt.asked && tt.asked != 0 || tt.asked == 0 && n < 10 {
					t.Errorf("the key was asked %d times, want %d", n, tt.asked)
				}
				if code := tt.list[len(tt.list)-1].code; (tt.want == fault.JobKeyRefused || tt.want == fault.KeyUnavailable) && !strings.Contains(fault.DetailOf(err), code) {
					t.Errorf("the detail is %q, want %s in it", fault.DetailOf(err), code)
				}
			})
		})
	}
}

// A throttled key is asked again within the run's time, with waits that grow, and never so late that nobody would listen.
func TestThrottlingEndsWithTheRun(t *testing.T) {
	t.Parallel()
	rsaKey()
	pki()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var last time.Duration
		a := &answers{list: []answer{{status: 400, code: "ThrottlingException"}}, body: func(string) { last = time.Since(began) }}
		_, err := a.ask(t, 30*time.Second)
		has(t, "Sign", err, fault.Throttled)
		if last < 20*time.Second || last > 28*time.Second {
			t.Errorf("the key was asked last after %s, want 20 s to 28 s of 30 s", last)
		}
		if n := a.asked.Load(); n > 30 {
			t.Errorf("the key was asked %d times in 30 s", n)
		}
	})
}

func TestThrottlingEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	rsaKey()
	pki()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)
		began := time.Now()
		a := &answers{list: []answer{{status: 400, code: "ThrottlingException"}}}
		client := clientOf("http://kms", func(o *kms.Options) { o.HTTPClient = &http.Client{Transport: a} })
		_, err := signerOver(ctx, t, client).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		has(t, "Sign", err, fault.Throttled)
		if d := time.Since(began); d != 10*time.Second {
			t.Errorf("Sign ended after %s, want 10 s", d)
		}
		if !strings.Contains(err.Error(), "ThrottlingException") {
			t.Errorf("Sign = %v, want what KMS said in it", err)
		}
	})
}

func TestSignSendsADigestToTheKey(t *testing.T) {
	t.Parallel()
	var asked string
	a := &answers{list: []answer{{status: 200}}, body: func(s string) { asked = s }}
	if got, err := a.ask(t, time.Minute); err != nil || string(got) != "sig" {
		t.Errorf("Sign = %q, %v, want %q", got, err, "sig")
	}
	for _, want := range []string{`"MessageType":"DIGEST"`, `"KeyId":"` + fakeARN + `"`, `"SigningAlgorithm":"RSASSA_PKCS1_V1_5_SHA_256"`} {
		if !strings.Contains(asked, want) {
			t.Errorf("the request is %s, want %s in it", asked, want)
		}
	}
}

// doer is an HTTP client of somebody's own. It is used as it is, and proves nothing.
type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }

func TestSignThroughAnotherClient(t *testing.T) {
	t.Parallel()
	asked := 0
	client := clientOf("http://kms", func(o *kms.Options) {
		o.HTTPClient = doer(func(*http.Request) (*http.Response, error) { asked++; return nil, errNetwork })
	})
	_, err := signerOver(t.Context(), t, client).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
	has(t, "Sign", err, fault.JobKeySilent)
	if asked != 1 {
		t.Errorf("the key was asked %d times, want once", asked)
	}
}

// An API that is no SDK client proves nothing, whatever its error says.
func TestAnUnknownClientIsSilent(t *testing.T) {
	t.Parallel()
	f := newFakeKMS(t, rsaKey())
	f.signErr = errNetwork
	key, err := keys.New(f, &files{}, &files{}, 0).Open(t.Context(), kmsProfile(fakeARN, encode(issue(t, rsaKey().Public()))))
	if err != nil {
		t.Fatal(err)
	}
	_, err = key.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
	has(t, "Sign", err, fault.JobKeySilent)
}
