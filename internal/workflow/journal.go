package workflow

import (
	"context"
	"log/slog"

	"bulksigner/internal/job"
)

// journal tells operators of something. What cannot be told changes nothing.
func (w *Workflow) journal(ctx context.Context, kind, message string) {
	if w.Journal == nil {
		return
	}
	e := job.Event{ID: string(job.NewID()), Time: w.Now(), Type: kind, Message: message}
	if err := w.Journal.Write(ctx, e); err != nil {
		slog.ErrorContext(ctx, "event not written", "event", kind, "err", err)
	}
}
