package app

import (
	"context"
	"log/slog"
	"time"

	"bulksigner/internal/fault"
)

// Message is a message of a queue as it was received.
type Message struct {
	ID       string
	Receipt  string // by which the queue knows this receive
	Receives int    // how often it was received, this time included
	Body     string
}

// Batch does what messages ask for that were received together, and returns the ids of those that must come again.
type Batch func(ctx context.Context, messages []Message) (again []string)

// postponer lets a received message come again after a while.
type postponer interface {
	Again(ctx context.Context, receipt string, after time.Duration) error
}

// work does what one message asks for.
type work = func(ctx context.Context, body string) error

// batch makes a Batch of what begins one.
func batch(begin func(ctx context.Context) (work, error), queue postponer) Batch {
	return func(ctx context.Context, messages []Message) (again []string) {
		do, err := begin(ctx)
		if err != nil { // nothing was touched: all come again, and sooner than after an invocation that failed
			do = func(context.Context, string) error { return err }
		}
		for _, m := range messages {
			if err := do(ctx, m.Body); err != nil {
				postpone(ctx, queue, m, err)
				again = append(again, m.ID)
			}
		}
		return again
	}
}

// Bounds of the time after which a failed message comes again; it doubles with each receive. The deployment reckons with
// them where it says how often a message may come.
const firstAgain, lastAgain = 10 * time.Second, 15 * time.Minute

// postpone shortens how long a failed message stays out of sight: the queue's own time is made for runs that died.
func postpone(ctx context.Context, queue postponer, m Message, cause error) {
	after := min(firstAgain<<min(max(m.Receives-1, 0), 10), lastAgain)
	if err := queue.Again(ctx, m.Receipt, after); err != nil {
		slog.WarnContext(ctx, "record keeps the queue's time out of sight", "message", m.ID, "err", err)
	}
	slog.ErrorContext(ctx, "record failed", "message", m.ID, "code", fault.CodeOf(cause), "receives", m.Receives, "again", after.String(), "err", cause)
}
