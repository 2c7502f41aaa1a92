package lacuna

import (
	"context"
	"io"
	"time"
)

// watch ends a transfer during which nothing moves. It looks at the network alone: while the caller's own reader or writer
// is at work, it rests.
type watch struct {
	timer *time.Timer
	idle  time.Duration
}

// transfer bounds a context for an upload or a download. The watch is awake until it is told otherwise.
func (c *Client) transfer(ctx context.Context) (context.Context, *watch, context.CancelFunc) {
	ctx, end := context.WithTimeoutCause(ctx, c.times.transfer, errSlow)
	ctx, stall := context.WithCancelCause(ctx)
	w := &watch{time.AfterFunc(c.times.idle, func() { stall(errStalled) }), c.times.idle}
	return ctx, w, func() {
		w.rest()
		stall(context.Canceled)
		end()
	}
}

func (w *watch) wake() { w.timer.Reset(w.idle) }

func (w *watch) rest() { w.timer.Stop() }

// watched reads from the network.
type watched struct {
	io.Reader
	*watch
}

// Read implements io.Reader.
func (r watched) Read(p []byte) (int, error) {
	r.wake()
	defer r.rest()
	return r.Reader.Read(p)
}
