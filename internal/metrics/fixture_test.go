package metrics_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"bulksigner/internal/job"
	"bulksigner/internal/metrics"
)

// fixture is a Recorder with all that it writes to.
type fixture struct {
	*metrics.Recorder
	out   *writer
	store *store
	log   *bytes.Buffer
}

func begin(t testing.TB, options ...metrics.Option) fixture {
	t.Helper()
	f := fixture{out: &writer{}, store: &store{}, log: &bytes.Buffer{}}
	at := time.Date(2026, time.July, 15, 12, 0, 0, 123_000_000, time.UTC)
	all := append([]metrics.Option{
		metrics.Clock(func() time.Time { return at }), metrics.Logger(slog.New(slog.NewJSONHandler(f.log, nil))),
	}, options...)
	f.Recorder = metrics.New(f.out, f.store, all...)
	return f
}

// writer counts how often it is written to, and can fail.
type writer struct {
	bytes.Buffer
	mu     sync.Mutex
	writes int
	err    error
}

func (w *writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes++
	if w.err != nil {
		return 0, w.err
	}
	return w.Buffer.Write(b)
}

// store keeps what it is given, call by call.
type store struct {
	mu    sync.Mutex
	calls [][]job.Count
	err   error
	slow  bool // it answers when the context ends
}

func (s *store) AddCounters(ctx context.Context, counts []job.Count) error {
	if s.slow {
		<-ctx.Done()
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, counts)
	return s.err
}

// meter is what the workflow asks for.
type meter interface {
	Count(name string, n int64, labels ...string)
	Observe(name string, v float64, labels ...string)
}

var _ meter = (*metrics.Recorder)(nil)
