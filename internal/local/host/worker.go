package host

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

const (
	readyTimeout = 30 * time.Second
	firstPause   = 50 * time.Millisecond // between two processes of a worker
	maxPause     = 5 * time.Second       // where processes die before they ask for work
)

// worker keeps one process of a function running.
type worker struct {
	Function
	watch *watch
	once  sync.Once
	ready chan struct{} // closed when the first process has asked for work
}

func newWorker(f Function, w *watch) *worker {
	return &worker{Function: f, watch: w, ready: make(chan struct{})}
}

// supervise runs one process after the other until ctx ends.
func (w *worker) supervise(ctx context.Context) {
	pause := firstPause
	for {
		p := w.watch.newProcess(w)
		err := p.run(ctx)
		w.watch.forget(p)
		if ctx.Err() != nil {
			return
		}
		slog.WarnContext(ctx, "function process ended", "function", w.Name, "err", err)
		if pause = min(2*pause, maxPause); p.hasAsked() {
			pause = firstPause
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

func (w *worker) isReady() { w.once.Do(func() { close(w.ready) }) }

// awaitReady returns when the first process has asked for work.
func (w *worker) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("function %s does not ask for work; its log says why: %w", w.Name, ctx.Err())
	}
}
