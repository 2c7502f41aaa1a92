package lacuna_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"bulksigner/internal/job"
	"bulksigner/internal/lacuna"
)

// rawServer reads HTTP requests off TCP connections and lets a test treat each connection as it likes. It counts what
// arrives, which no handler of net/http could: the transport may repeat a request by itself.
type rawServer struct {
	url      string
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
	s := &rawServer{url: "http://" + ln.Addr().String()}
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

func drop(net.Conn, int32) bool { return false }

func reset(c net.Conn, _ int32) bool {
	_ = c.(*net.TCPConn).SetLinger(0)
	return false
}

func write(text string) handle {
	return func(c net.Conn, _ int32) bool {
		_, _ = io.WriteString(c, text)
		return false
	}
}

// Whatever becomes of the connection after the effect: a call that changes something arrives once, and its failure does
// not say that it was not sent.
func TestEffectsAreSentOnce(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   handle
		want verdict
	}{
		{"the connection is closed", drop, verdict{transient: true}},
		{"the connection is reset", reset, verdict{transient: true}},
		{"the answer is cut in its header", write("HTTP/1.1 2"), verdict{transient: true}},
		{"the answer is no HTTP", write(documentKey + "\r\n\r\n"), verdict{transient: true}},
		{"the answer's header is malformed", write("HTTP/1.1 200 OK\r\n" + documentKey + "\r\n\r\n"), verdict{transient: true}},
		{"the answer is cut in its body", write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"success\":"), verdict{status: 200, transient: true}},
		{"the answer is cut in a chunk", write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{\"succ"), verdict{status: 200, transient: true}},
		{"500", write("HTTP/1.1 500 X\r\nContent-Length: 2\r\n\r\n{}"), verdict{status: 500, transient: true}},
		{"503 that asks to come again", write("HTTP/1.1 503 X\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"), verdict{status: 503, transient: true}},
		{"429", write("HTTP/1.1 429 X\r\nContent-Length: 0\r\n\r\n"), verdict{status: 429, transient: true}},
		{"a redirection that keeps the body", write("HTTP/1.1 307 X\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"), verdict{status: 307, transient: true}},
		{"a redirection to a page", write("HTTP/1.1 303 X\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"), verdict{status: 303, transient: true}},
		{"a redirection to what is no address", write("HTTP/1.1 302 X\r\nLocation: http://%zz" + documentKey + "\r\nContent-Length: 0\r\n\r\n"), verdict{status: 302, transient: true}},
		{"401", write("HTTP/1.1 401 X\r\nContent-Length: 0\r\n\r\n"), verdict{status: 401}},
	}
	for _, tt := range tests {
		for _, call := range calls {
			if call.read {
				continue
			}
			t.Run(tt.name+"/"+call.name, func(t *testing.T) {
				t.Parallel()
				s := newRawServer(t, tt.do)
				err := call.do(t.Context(), clientOf(s.url))
				if got := judged(t, err); got != tt.want {
					t.Errorf("%+v (%v), want %+v", got, err, tt.want)
				}
				if n := s.requests.Load(); n != 1 {
					t.Errorf("%d requests arrived, want 1", n)
				}
			})
		}
	}
}

// Reads are told from effects by what becomes of a kept connection that the server closes: net/http repeats them.
func TestConnectionsAreKeptForReadsAlone(t *testing.T) {
	t.Parallel()
	answer := fmt.Sprintf(`{"id":%q}`, folderID)
	whole := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer)
	s := newRawServer(t, func(c net.Conn, nth int32) bool {
		if nth == 3 { // kept, and closed in the moment in which it is used again
			return false
		}
		_, err := io.WriteString(c, whole)
		return err == nil
	})
	c := clientOf(s.url)
	for range 3 {
		if _, err := c.Folder(t.Context(), folderID); err != nil {
			t.Fatal(err)
		}
	}
	if r, n := s.requests.Load(), s.conns.Load(); r != 4 || n != 2 {
		t.Errorf("%d reads over %d connections, want 4 over 2", r, n)
	}
	if err := c.Cancel(t.Context(), documentID, "why"); err != nil {
		t.Fatal(err)
	}
	if err := c.Cancel(t.Context(), documentID, "why"); err != nil {
		t.Fatal(err)
	}
	if r, n := s.requests.Load(), s.conns.Load(); r != 6 || n != 4 {
		t.Errorf("%d calls over %d connections, want 6 over 4", r, n)
	}
}

var errDial = errors.New("dial SECRET")

// refusing makes connections fail, as a closed port does.
func refusing(o *lacuna.Options) {
	o.Transport = &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	}}
}

func unnameable(o *lacuna.Options) {
	o.Transport = &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, errDial }}
}

// A key that cannot be read is our own trouble: nothing is said about Signer.
func TestAKeyThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newRawServer(t, func(c net.Conn, _ int32) bool { return false })
	broken := errors.New("the store does not answer")
	c := clientOf(s.url, func(o *lacuna.Options) {
		o.Key = func(context.Context, bool) (string, error) { return "", broken }
	})
	for _, call := range calls {
		err := call.do(t.Context(), c)
		if _, signers := errors.AsType[*job.SignerError](err); signers || !errors.Is(err, broken) {
			t.Errorf("%s: %v, want the store's own error", call.name, err)
		}
	}
	if n := s.requests.Load(); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

func TestUnsentIsProved(t *testing.T) {
	t.Parallel()
	s := newRawServer(t, func(c net.Conn, _ int32) bool { _, _ = c.Read(make([]byte, 1)); return false })
	tests := []struct {
		name string
		c    *lacuna.Client
	}{
		{"refused", clientOf("https://signer.example.com", refusing)},
		{"for a reason that may not be shown", clientOf("https://signer.example.com", unnameable)},
		{"no TLS on the other side", clientOf("https" + s.url[len("http"):])},
		{"an empty key", clientOf(s.url, func(o *lacuna.Options) {
			o.Key = func(context.Context, bool) (string, error) { return "", nil }
		})},
		{"a key of two lines", clientOf(s.url, func(o *lacuna.Options) {
			o.Key = func(context.Context, bool) (string, error) { return "SECRET\nSECRET", nil }
		})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, call := range calls {
				err := call.do(t.Context(), tt.c)
				if got, want := judged(t, err), (verdict{transient: true, unsent: true}); got != want {
					t.Errorf("%s: %+v (%v), want %+v", call.name, got, err, want)
				}
			}
			if n := s.requests.Load(); n != 0 {
				t.Errorf("%d requests arrived", n)
			}
		})
	}
}
