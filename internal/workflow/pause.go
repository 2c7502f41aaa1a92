package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// Pause has nothing claimed and nothing polled any more, until Resume. What is under way goes on. A pipeline that is paused
// already stays as it is.
func (w *Workflow) Pause(ctx context.Context, by, reason string) (job.Flight, error) {
	return w.turn(ctx, true, by, reason)
}

// Resume lifts a pause; recovery rings for what waits, in its measure.
func (w *Workflow) Resume(ctx context.Context, by, reason string) (job.Flight, error) {
	return w.turn(ctx, false, by, reason)
}

// turn turns the switch. A lost reply shows as the switch being where it was to be.
func (w *Workflow) turn(ctx context.Context, paused bool, by, reason string) (job.Flight, error) {
	reason, err := checkReason(reason)
	if err != nil {
		return job.Flight{}, err
	}
	p, err := w.Pipeline.State(ctx)
	if err != nil {
		return job.Flight{}, fmt.Errorf("read the pipeline's state: %w", err)
	}
	if p.Paused != paused {
		if p, err = w.storeSwitch(ctx, w.turned(p, paused, by, reason)); err != nil {
			return job.Flight{}, err
		}
		w.noteTurn(ctx, p, reason)
	}
	return w.flight(ctx, p)
}

func (w *Workflow) turned(p job.Pipeline, paused bool, by, reason string) job.Pipeline {
	p.Version++
	if p.Paused = paused; paused {
		p.PausedAt, p.PausedBy, p.Reason = w.Now(), by, reason
	} else {
		p.ResumedAt, p.PausedBy, p.Reason = w.Now(), "", ""
	}
	return p
}

// storeSwitch stores the switch. After an error that proves nothing the switch is read: it shows what came of it.
func (w *Workflow) storeSwitch(ctx context.Context, p job.Pipeline) (job.Pipeline, error) {
	err := w.Pipeline.Turn(ctx, p)
	if err == nil {
		return p, nil
	}
	now, rerr := w.Pipeline.State(ctx)
	switch {
	case rerr != nil:
		return p, errors.Join(err, rerr)
	case now.Version == p.Version && now.Paused == p.Paused && now.Reason == p.Reason:
		return now, nil
	case now.Version >= p.Version:
		return p, fault.New(fault.PipelineRaceLost, "somebody else turned the switch at the same time; nothing was changed")
	}
	return p, err
}

func (w *Workflow) noteTurn(ctx context.Context, p job.Pipeline, reason string) {
	metric, event, says := job.MetricResumes, job.EventPipelineResumed, "The pipeline was resumed."
	if p.Paused {
		metric, event, says = job.MetricPauses, job.EventPipelinePaused, "The pipeline was paused by "+p.PausedBy+"."
	}
	if reason != "" {
		says += " Reason: " + reason
	}
	w.Meter.Count(metric, 1)
	slog.WarnContext(ctx, "pipeline turned", "paused", p.Paused)
	w.journal(ctx, event, says)
}

// Flight tells where the switch stands and what is in flight.
func (w *Workflow) Flight(ctx context.Context) (job.Flight, error) {
	p, err := w.Pipeline.State(ctx)
	if err != nil {
		return job.Flight{}, fmt.Errorf("read the pipeline's state: %w", err)
	}
	return w.flight(ctx, p)
}

// flight counts the jobs that runs have in their hands; there are never more than runs at a time.
func (w *Workflow) flight(ctx context.Context, p job.Pipeline) (job.Flight, error) {
	f := job.Flight{Pipeline: p, InFlight: map[string]int{}}
	for _, status := range []job.Status{job.Processing, job.Verifying} {
		for row, err := range w.Index.Oldest(ctx, status, "") {
			if err != nil {
				return f, fmt.Errorf("list %s jobs: %w", status, err)
			}
			j, err := w.Jobs.Get(ctx, row.ID)
			if err != nil && !errors.Is(err, fault.JobNotFound) {
				return f, fmt.Errorf("read job %s: %w", row.ID, err)
			}
			if err == nil && j.Status == status {
				f.InFlight[string(j.Format)]++
			}
		}
	}
	return f, nil
}
