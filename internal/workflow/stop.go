package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// Patience with what may pass. A message comes again at growing intervals for a while; after that recovery rings for the
// job, and after a day somebody has to look.
const (
	messageComesAgain = 10 * time.Minute
	patience          = 24 * time.Hour
)

// stop ends a run that cannot go on before the signature is noted: what may pass gives the claim back, what will not
// fails the job, and a claim that is lost is let go.
func (w *Workflow) stop(ctx context.Context, r run, j job.Job, cause error) error {
	if _, left := errors.AsType[unsaved](cause); left || errors.Is(cause, fault.JobRaceLost) {
		return cause
	}
	timeUp := ctx.Err() != nil
	ctx, cancel := grace(ctx)
	defer cancel()
	switch code := fault.CodeOf(cause); {
	case code == fault.Throttled: // never ends a job
		return errors.Join(cause, w.giveBack(ctx, r, j, cause))
	case code != fault.Internal && !(timeUp && code == fault.RevocationUnavailable):
		return w.fail(ctx, r, j, cause)
	case w.Now().Sub(j.CreatedAt) > patience:
		return w.fail(ctx, r, j, fault.Wrap(fault.JobGivenUp, cause, "for a day a service did not answer as expected, or not in time; nothing was signed"))
	case timeUp:
		return errors.Join(cause, w.giveBack(ctx, r, j, cause))
	case w.Now().Sub(j.CreatedAt) > messageComesAgain:
		slog.ErrorContext(ctx, "job given back", logged(string(j.ID)), "err", cause)
		return w.giveBack(ctx, r, j, cause)
	}
	return errors.Join(cause, w.giveBack(ctx, r, j, cause))
}

// giveBack returns the job to the queue. nil means that its message is done with: recovery will ring.
func (w *Workflow) giveBack(ctx context.Context, r run, j job.Job, cause error) error {
	_, err := w.write(ctx, j, func(j job.Job) (job.Job, error) { return j.GiveBack(r.owner, mayPass(cause), w.Now()) })
	return err
}

// mayPass says in the history why a claim was given back; causes can quote what must not be shown.
func mayPass(cause error) string {
	switch {
	case errors.Is(cause, fault.Throttled):
		return "a service asked to slow down, or the run's time was up; nothing was signed."
	case errors.Is(cause, context.DeadlineExceeded), errors.Is(cause, context.Canceled):
		return "the run's time was up; nothing was signed."
	}
	return "a service did not answer as expected; nothing was signed."
}

// fail ends a job. What speaks of the profile is noted on the profile too.
func (w *Workflow) fail(ctx context.Context, r run, j job.Job, cause error) error {
	code, detail := fault.CodeOf(cause), fault.DetailOf(cause)
	if degrading[code] {
		d := profile.Degradation{Code: string(code), Reason: detail, Since: w.Now()}
		if err := w.Profiles.Degrade(ctx, j.Profile, d); err != nil {
			slog.ErrorContext(ctx, "profile not marked as degraded", "profile", j.Profile, "code", code, "err", err)
		}
		code, detail = fault.ProfileDegraded, fmt.Sprintf("%s: %s", code, detail)
	}
	slog.WarnContext(ctx, "job fails", logged(string(j.ID)), "code", code, "cause", behind(cause)) // the detail can quote the document
	_, err := w.write(ctx, j, func(j job.Job) (job.Job, error) { return j.Fail(r.owner, code, detail, w.Now()) })
	return err
}

// behind is what an error with a code was caused by, if anything: a service's answer, say.
func behind(err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e.Cause
	}
	return err
}
