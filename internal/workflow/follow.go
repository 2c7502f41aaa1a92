package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// follow does to a job what the answer about its document calls for, but for ringing. An error means that it could not be
// done now; nil, that there is no more to do, whatever the answer was.
func (p *poll) follow(ctx context.Context, a *answer) error {
	if e, failed := errors.AsType[*job.SignerError](a.err); failed {
		return p.failed(ctx, a.ID, e)
	}
	if a.err != nil || a.skip {
		return a.err
	}
	if step := p.ending(a.Row, a.doc); step != nil {
		return p.parked(ctx, a.ID, step)
	}
	if a.doc.Status != job.SignerConcluded && p.doubts(a.ID) {
		return p.answered(ctx, a.ID)
	}
	return nil
}

// failed counts a failure that may pass, and ends the job of one that will not.
func (w *Workflow) failed(ctx context.Context, id job.ID, e *job.SignerError) error {
	w.Meter.Count(job.MetricSignerErrors, 1, job.LabelOp, job.OpPoll)
	slog.WarnContext(ctx, "Lacuna Signer failed", logged(string(id)), "op", job.OpPoll, "err", e)
	return w.parked(ctx, id, func(j job.Job) (job.Job, error) {
		if e.Transient {
			return j.Unanswered(e.Said(), w.Remote.MaxFailures, w.Now())
		}
		so := "the document stays as it is there"
		if e.Code == documentNotFound {
			so = "the document does not exist there any more"
		}
		cause := unreachable(e, so)
		return j.FailParked(fault.SignerUnreachable, fault.DetailOf(cause), w.Now())
	})
}

func hours(d time.Duration) string { return fmt.Sprintf("%d hours", int(d.Hours())) }

// step is a step of a job.
type step = func(job.Job) (job.Job, error)

// ending is how a job ends by what its document is, or nil if it does not. The status decides first: only what may still
// be signed can be too late.
func (w *Workflow) ending(row job.Row, doc job.SignerDocument) step {
	waited := w.Now().Sub(row.Since)
	switch {
	case doc.Status == job.SignerConcluded:
		return nil
	case doc.Status.Ended():
		return func(j job.Job) (job.Job, error) {
			return j.FailParked(fault.SignerDocumentRejected, fault.DetailOf(rejected(doc)), w.Now())
		}
	case waited > w.Remote.Timeout:
		return func(j job.Job) (job.Job, error) {
			return j.FailParked(fault.SignerTimeout, fmt.Sprintf("The document waited for %s and is %s at Lacuna Signer. It stays there as it is.",
				hours(w.Remote.Timeout), brief(string(doc.Status))), w.Now())
		}
	}
	return nil
}

// parked takes a step of a job that waits at Lacuna Signer. One that does not wait any more has been seen to by others.
func (w *Workflow) parked(ctx context.Context, id job.ID, s step) error {
	j, err := w.Jobs.Get(ctx, id)
	if err == nil {
		_, err = w.write(ctx, j, s)
	}
	if errors.Is(err, fault.JobRaceLost) || errors.Is(err, fault.JobNotFound) {
		return nil
	}
	return err
}

// doubts reports whether a job may have counted failures.
func (p *poll) doubts(id job.ID) bool {
	return p.state.AllDoubtful || slices.Contains(p.state.Doubtful, id)
}

// answered ends a row of failures.
func (p *poll) answered(ctx context.Context, id job.ID) error {
	return p.parked(ctx, id, func(j job.Job) (job.Job, error) {
		if j.Remote.Failures == 0 {
			return job.Job{}, fault.New(fault.JobRaceLost, "job %s has no failures", id)
		}
		return j.Answered(p.Now())
	})
}

// pollOne does for one job, whose document somebody says was concluded, what a pass does. Failures that may pass are left to
// the passes, which count them.
func (w *Workflow) pollOne(ctx context.Context, id job.ID) error {
	paused, err := w.Pipeline.Paused(ctx)
	if err != nil || paused || w.Signer == nil {
		return err
	}
	j, err := w.Jobs.Get(ctx, id)
	if errors.Is(err, fault.JobNotFound) || err == nil && (j.Status != job.AwaitingSigner || j.Claim.Owner != "") {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read job %s: %w", id, err)
	}
	doc, err := w.Signer.Document(ctx, j.Remote.DocumentID)
	if e, ok := errors.AsType[*job.SignerError](err); ok && !e.Transient {
		return w.failed(ctx, id, e)
	}
	if err != nil {
		return fmt.Errorf("ask about the document of job %s: %w", id, err)
	}
	if doc.Status == job.SignerConcluded {
		return w.Queue.Ring(ctx, []job.ID{id})
	}
	if s := w.ending(job.Row{Since: j.Since}, doc); s != nil {
		return w.parked(ctx, id, s)
	}
	return nil
}
