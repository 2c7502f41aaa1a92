package keys_test

import (
	"bytes"
	"context"
	"crypto"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"

	"bulksigner/internal/aws/keys"
	"bulksigner/internal/fault"
)

func TestSignIsSentOnce(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   handle
	}{
		{"the connection is closed", drop},
		{"the connection is reset", reset},
		{"the answer is cut in its header", write("HTTP/1.1 2")},
		{"the answer is cut in its body", write("HTTP/1.1 201 \r\nContent-Length: 100\r\n\r\n{\"Signature\":")},
		{"the answer is no HTTP", write("\x15\x03\x03\x00\x02\x02\x50")},
		{"the answer is no JSON", write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<html")},
		{"the answer has no signature", write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")},
		{"500", write("HTTP/1.1 500 X\r\nX-Amzn-Errortype: KMSInternalException\r\nContent-Length: 2\r\n\r\n{}")},
		{"503 that asks to slow down", write("HTTP/1.1 503 X\r\nX-Amzn-Errortype: ThrottlingException\r\nContent-Length: 2\r\n\r\n{}")},
		{"a redirection", write("HTTP/1.1 307 X\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newRawServer(t, tt.do)
			_, err := signerOver(t.Context(), t, clientOf("http://"+s.addr)).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
			has(t, "Sign", err, fault.JobKeySilent)
			if n := s.requests.Load(); n != 1 {
				t.Errorf("%d requests arrived, want 1", n)
			}
		})
	}
}

// A transport that keeps connections sends into one that the server is about to close. Each signature has its own, also
// after answers that invite to keep it.
func TestSignDoesNotReuseConnections(t *testing.T) {
	t.Parallel()
	s := newRawServer(t, func(c net.Conn, nth int32) bool { return nth < 3 && write(signed)(c, nth) })
	client := clientOf("http://" + s.addr)
	k := keys.New(through{newFakeKMS(t, rsaKey()), client}, &files{}, &files{}, 0)
	key, err := k.Open(t.Context(), kmsProfile(fakeARN, encode(issue(t, rsaKey().Public()))))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := key.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256); err != nil {
			t.Fatal(err)
		}
	}
	_, err = key.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
	has(t, "Sign", err, fault.JobKeySilent)
	if r, c := s.requests.Load(), s.conns.Load(); r != 3 || c != 3 {
		t.Errorf("%d requests arrived over %d connections, want 3 over 3", r, c)
	}
}

// opaque is a client whose transport nobody can look into, so that its connections are kept.
type opaque struct{ http.RoundTripper }

func TestSignIsSentOnceOverAKeptConnection(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]handle{"closed": drop, "reset": reset} {
		s := newRawServer(t, func(c net.Conn, nth int32) bool {
			if nth == 1 {
				return write(signed)(c, nth)
			}
			return end(c, nth)
		})
		h := &http.Client{Transport: opaque{&http.Transport{}}}
		client := clientOf("http://"+s.addr, func(o *kms.Options) { o.HTTPClient = h })
		if _, err := signerOver(t.Context(), t, client).Sign(nil, digest(crypto.SHA256), crypto.SHA256); err != nil {
			t.Fatal(err)
		}
		_, err := signerOver(t.Context(), t, client).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		has(t, "Sign", err, fault.JobKeySilent)
		if r, c := s.requests.Load(), s.conns.Load(); r != 2 || c != 1 {
			t.Errorf("%s: %d requests arrived over %d connections, want 2 over 1", name, r, c)
		}
	}
}

// The counter is right: it sees the SDK's own repetitions, and those of the transport.
func TestOthersAreRepeated(t *testing.T) {
	t.Parallel()
	s := newRawServer(t, drop)
	client := clientOf("http://"+s.addr, func(o *kms.Options) {
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = time.Millisecond })
	})
	_, err := client.Sign(t.Context(), &kms.SignInput{
		KeyId: aws.String(fakeARN), Message: digest(crypto.SHA256), SigningAlgorithm: types.SigningAlgorithmSpecRsassaPkcs1V15Sha256,
	})
	if n := s.requests.Load(); err == nil || n != 3 {
		t.Errorf("the SDK sent %d requests, %v; if it is 1, TestSignIsSentOnce shows nothing", n, err)
	}

	s = newRawServer(t, func(c net.Conn, nth int32) bool { return nth == 1 && write(signed)(c, nth) })
	h := &http.Client{Transport: &http.Transport{}}
	for range 2 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.addr, bytes.NewReader([]byte("x")))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Idempotency-Key", "1")
		if resp, err := h.Do(r); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}
	if n := s.requests.Load(); n != 3 {
		t.Errorf("the transport sent %d requests for 2, want 3; if it is 2, the tests on kept connections show nothing", n)
	}
}

func TestSignWithoutAConnection(t *testing.T) {
	t.Parallel()
	addr := newRawServer(t, drop).addr
	dialing := func(dial func(ctx context.Context, network, addr string) (net.Conn, error)) func(*kms.Options) {
		return func(o *kms.Options) {
			o.HTTPClient = awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.DialContext = dial })
		}
	}
	refuse := func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	}
	unknown := func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "kms", IsNotFound: true}
	}
	noCredentials := func(o *kms.Options) {
		o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return aws.Credentials{}, errNetwork })
	}
	tests := []struct {
		name, url string
		option    func(*kms.Options)
	}{
		{"refused", "http://" + addr, dialing(refuse)},
		{"no such host", "http://" + addr, dialing(unknown)},
		{"no TLS on the other side", "https://" + addr, func(*kms.Options) {}},
		{"no credentials", "http://" + addr, noCredentials},
		{"refused to a plain client", "http://" + addr, func(o *kms.Options) { o.HTTPClient = &http.Client{Transport: &http.Transport{DialContext: refuse}} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := signerOver(t.Context(), t, clientOf(tt.url, tt.option)).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
			has(t, "Sign", err, fault.Throttled)
		})
	}
}

func TestSignWhenTheTimeEnds(t *testing.T) {
	t.Parallel()
	t.Run("while dialing", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		client := clientOf("http://127.0.0.1:1", func(o *kms.Options) {
			o.HTTPClient = awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
				t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
					cancel()
					<-ctx.Done()
					return nil, ctx.Err()
				}
			})
		})
		_, err := signerOver(ctx, t, client).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		has(t, "Sign", err, fault.Throttled)
	})
	t.Run("in flight", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		s := newRawServer(t, func(c net.Conn, _ int32) bool {
			cancel()
			_, _ = c.Read(make([]byte, 1)) // until the client goes away
			return false
		})
		_, err := signerOver(ctx, t, clientOf("http://"+s.addr)).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		has(t, "Sign", err, fault.JobKeySilent)
	})
	t.Run("before", func(t *testing.T) {
		t.Parallel()
		s := newRawServer(t, drop)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, ctx := range []context.Context{ended, short} {
			_, err := signerOver(ctx, t, clientOf("http://"+s.addr)).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
			has(t, "Sign", err, fault.Throttled)
		}
		if n := s.requests.Load(); n != 0 {
			t.Errorf("%d requests arrived, want none", n)
		}
	})
}
