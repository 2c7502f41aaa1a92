package app

import (
	"context"
	"log/slog"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// adopt makes the table this deployment's own before anything of it is believed. A table that was restored starts paused:
// what it calls Queued may have been signed since the moment that it was set back to.
func (b *base) adopt(ctx context.Context) error {
	now := time.Now()
	paused, err := b.table.Adopt(ctx, b.env.Restored, now)
	if err != nil || !paused {
		return err
	}
	slog.WarnContext(ctx, "pipeline turned", "paused", true, "restored", b.env.Restored)
	b.meter.Count(job.MetricPauses, 1)
	err = b.table.Write(ctx, job.Event{Time: now, Type: job.EventPipelinePaused, Message: "The pipeline was paused: the table was restored."})
	if err != nil {
		slog.ErrorContext(ctx, "event not written", "event", job.EventPipelinePaused, "err", err) // the pause stands
	}
	return nil
}

// checkMoment refuses a word in the place of a moment. "" says that there is none.
func checkMoment(variable, value string) error {
	if _, err := time.Parse(time.RFC3339, value); err != nil && value != "" {
		return fault.New(fault.SettingsInvalid, "%s is no time like 2026-07-15T12:00:00Z; the deployment sets it", variable)
	}
	return nil
}
