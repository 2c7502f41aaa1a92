package lacuna_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/lacuna"
)

// pipes is a network within a test's bubble, in which no time passes by itself.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// piped makes a client of a server within a bubble.
func piped(t *testing.T, h http.HandlerFunc, change ...func(*lacuna.Options)) *lacuna.Client {
	t.Helper()
	p := &pipes{make(chan net.Conn), make(chan struct{})}
	var handlers sync.WaitGroup
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handlers.Add(1)
		defer handlers.Done()
		h(w, r)
	})}
	go func() { _ = s.Serve(p) }()
	t.Cleanup(func() {
		_ = s.Close()
		synctest.Wait()
		handlers.Wait() // they may sleep
	})
	over := func(o *lacuna.Options) { o.Transport = &http.Transport{DialContext: p.dial} }
	return clientOf("http://127.0.0.1", append([]func(*lacuna.Options){over}, change...)...)
}

func silent(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func TestCallsEnd(t *testing.T) {
	t.Parallel()
	for _, call := range calls {
		t.Run(call.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				want := 30 * time.Second
				switch call.name {
				case "Upload": // everything is sent
					want = 5 * time.Minute
				case "Download":
					want = time.Minute
				}
				began := time.Now()
				err := call.do(t.Context(), piped(t, silent))
				if v := judged(t, err); v != (verdict{transient: true}) || time.Since(began) != want {
					t.Errorf("%+v after %v, %v, want %v", v, time.Since(began), err, want)
				}
			})
		})
	}
}

func TestAnswersEnd(t *testing.T) {
	t.Parallel()
	for _, call := range calls {
		t.Run(call.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				err := call.do(t.Context(), piped(t, func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.WriteString(w, `{"id":`)
					_ = http.NewResponseController(w).Flush()
					silent(w, r)
				}))
				if v := judged(t, err); v != (verdict{transient: true}) {
					t.Errorf("%+v, %v", v, err)
				}
			})
		})
	}
}

func TestCallsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	for _, call := range calls {
		t.Run(call.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
				defer cancel()
				began := time.Now()
				err := call.do(ctx, piped(t, silent))
				if v := judged(t, err); v != (verdict{transient: true}) || time.Since(began) != 7*time.Second {
					t.Errorf("%+v after %v", v, time.Since(began))
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("the cause is missing in %v", err)
				}
			})
		})
	}
}

func TestNothingIsSentAfterTheEnd(t *testing.T) {
	t.Parallel()
	c := serving(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, call := range calls {
		err := call.do(ctx, c)
		if _, signers := errors.AsType[*job.SignerError](err); signers || !errors.Is(err, fault.Throttled) {
			t.Errorf("%s = %v, want %s", call.name, err, fault.Throttled)
		}
	}
	if err := c.Ready(ctx); !errors.Is(err, fault.Throttled) {
		t.Errorf("Ready = %v", err)
	}
}

func TestConnectingEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, endpoint string
		dial           func(context.Context, string, string) (net.Conn, error)
		want           time.Duration
	}{
		{"nobody takes the connection", "http://127.0.0.1", func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, 10 * time.Second},
		{"nobody speaks TLS", "https://127.0.0.1", func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, server) }()
			return client, nil
		}, 10 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := clientOf(tt.endpoint, func(o *lacuna.Options) { o.Transport = &http.Transport{DialContext: tt.dial} })
				for _, do := range []func() error{
					func() error { _, err := c.Folder(t.Context(), folderID); return err },
					func() error { return c.Cancel(t.Context(), documentID, "why") },
				} {
					began := time.Now()
					err := do()
					if v := judged(t, err); v != (verdict{transient: true, unsent: true}) || time.Since(began) != tt.want {
						t.Errorf("%+v after %v, %v", v, time.Since(began), err)
					}
				}
			})
		})
	}
}

// slowly reads and writes with a pause before each step.
type slowly struct {
	io.ReaderAt
	io.Writer
	pause time.Duration
}

func (s slowly) ReadAt(p []byte, off int64) (int, error) {
	time.Sleep(s.pause)
	return s.ReaderAt.ReadAt(p, off)
}

func (s slowly) Write(p []byte) (int, error) {
	time.Sleep(s.pause)
	return s.Writer.Write(p)
}

// trickle answers with n bytes, each after a pause.
func trickle(n int, pause time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for range n {
			select {
			case <-time.After(pause):
			case <-r.Context().Done():
				return
			}
			_, _ = io.WriteString(w, "x")
			_ = http.NewResponseController(w).Flush()
		}
	}
}

func TestDownloadsTakeTheirTime(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		h     http.HandlerFunc
		pause time.Duration // of the writer
		after time.Duration
		ok    bool
	}{
		{"slow, but moving", trickle(5, 50*time.Second), 0, 250 * time.Second, true},
		{"stalled", trickle(5, 70*time.Second), 0, 60 * time.Second, false},
		{"stalled in the middle", func(w http.ResponseWriter, r *http.Request) {
			trickle(1, 20*time.Second)(w, r)
			silent(w, r)
		}, 0, 80 * time.Second, false},
		{"moving for too long", trickle(50, 50*time.Second), 0, 300 * time.Second, false},
		{"the writer is slow", trickle(1, time.Second), 90 * time.Second, 91 * time.Second, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := piped(t, tt.h).Download(t.Context(), documentID, slowly{Writer: io.Discard, pause: tt.pause})
				if err != nil && judged(t, err) != (verdict{transient: true}) || (err == nil) != tt.ok || time.Since(began) != tt.after {
					t.Errorf("%v after %v, want %v", err, time.Since(began), tt.after)
				}
			})
		})
	}
}

func TestUploadsTakeTheirTime(t *testing.T) {
	t.Parallel()
	const chunk = 32 << 10 // of net/http
	reading := func(steps int, pause, last time.Duration) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			for range steps {
				time.Sleep(pause)
				_, _ = io.CopyN(io.Discard, r.Body, 2*chunk)
			}
			_, _ = io.Copy(io.Discard, r.Body)
			time.Sleep(last)
			_, _ = io.WriteString(w, `{"id":"UP-1"}`)
		}
	}
	tests := []struct {
		name  string
		h     http.HandlerFunc
		size  int64
		pause time.Duration // of the file
		after time.Duration
		ok    bool
	}{
		{"slow, but moving", reading(4, 50*time.Second, 0), 8 * chunk, 0, 200 * time.Second, true},
		{"stalled", reading(1, 200*time.Second, 0), 2 * chunk, 0, 60 * time.Second, false},
		{"moving for too long", reading(10, 50*time.Second, 0), 20 * chunk, 0, 300 * time.Second, false},
		{"answered late", reading(1, 0, 200*time.Second), 2 * chunk, 0, 200 * time.Second, true},
		{"the file is slow", reading(1, 0, 0), 2 * chunk, 90 * time.Second, 180 * time.Second, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				file := slowly{ReaderAt: strings.NewReader(strings.Repeat("x", int(tt.size))), pause: tt.pause}
				_, err := piped(t, tt.h).Upload(t.Context(), "a.pdf", "application/pdf", io.NewSectionReader(file, 0, tt.size))
				if err != nil && judged(t, err) != (verdict{transient: true}) || (err == nil) != tt.ok || time.Since(began) != tt.after {
					t.Errorf("%v after %v, want %v", err, time.Since(began), tt.after)
				}
			})
		})
	}
}

// Whoever owns the file may close it once the upload has returned: nobody reads it any more.
func TestUploadWaitsForItsReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c := piped(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.CopyN(io.Discard, r.Body, 1)
			time.Sleep(time.Second) // the file is being read
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		})
		file := slowly{ReaderAt: strings.NewReader("content"), pause: 20 * time.Second}
		_, err := c.Upload(t.Context(), "a.pdf", "application/pdf", io.NewSectionReader(file, 0, 7))
		if v := judged(t, err); v != (verdict{status: 413}) || time.Since(began) != 20*time.Second {
			t.Errorf("%+v after %v", v, time.Since(began))
		}
	})
}
