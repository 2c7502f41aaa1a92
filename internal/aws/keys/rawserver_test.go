package keys_test

import (
	"bufio"
	"context"
	"crypto"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/kms"

	"bulksigner/internal/aws/keys"
)

// rawServer reads HTTP requests off TCP connections and lets a test treat each connection as it likes. It counts what
// arrives, which no client below the SDK could: the transport may repeat a request by itself.
type rawServer struct {
	addr     string
	requests atomic.Int32
	conns    atomic.Int32
}

// handle is what is done after a request was read whole. It reports whether the connection is kept.
type handle func(conn net.Conn, nth int32) (keep bool)

func newRawServer(t testing.TB, do handle) *rawServer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &rawServer{addr: ln.Addr().String()}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			s.conns.Add(1)
			go s.serve(conn, do)
		}
	}()
	return s
}

func (s *rawServer) serve(conn net.Conn, do handle) {
	defer conn.Close()
	for r := bufio.NewReader(conn); ; {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
		if !do(conn, s.requests.Add(1)) {
			return
		}
	}
}

// Ways to end a connection.
func drop(net.Conn, int32) bool { return false }

func reset(c net.Conn, _ int32) bool {
	_ = c.(*net.TCPConn).SetLinger(0)
	return false
}

func write(text string) handle {
	return func(c net.Conn, _ int32) bool {
		_, err := io.WriteString(c, text)
		return err == nil && strings.HasPrefix(text, "HTTP/1.1 200")
	}
}

const signed = "HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.1\r\nContent-Length: 20\r\n\r\n{\"Signature\":\"c2ln\"}"

// clientOf is a real KMS client of an address, with the SDK's own retryer and transport.
func clientOf(url string, options ...func(*kms.Options)) *kms.Client {
	return kms.NewFromConfig(aws.Config{
		Region: "sa-east-1", BaseEndpoint: &url, Credentials: credentials.NewStaticCredentialsProvider("a", "s", ""),
	}, options...)
}

// through is what opens keys with GetPublicKey answered in memory and Sign sent by a real client.
type through struct {
	*fakeKMS
	client *kms.Client
}

func (c through) Sign(ctx context.Context, in *kms.SignInput, options ...func(*kms.Options)) (*kms.SignOutput, error) {
	return c.client.Sign(ctx, in, options...)
}

// signerOver opens a key whose signatures go through a client.
func signerOver(ctx context.Context, t testing.TB, client *kms.Client) crypto.Signer {
	t.Helper()
	cert := encode(issue(t, rsaKey().Public()))
	k := keys.New(through{newFakeKMS(t, rsaKey()), client}, &files{}, &files{}, 0)
	key, err := k.Open(t.Context(), kmsProfile(fakeARN, cert))
	if err != nil {
		t.Fatal(err)
	}
	return key.Signer(ctx)
}
