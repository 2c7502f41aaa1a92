package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/verify"
)

// finish verifies, publishes, deals with the input and completes, in this order. Whatever may pass is tried until the
// run's time is up; then recovery ends the job by what is there.
func (w *Workflow) finish(ctx context.Context, r run, j job.Job, p target, out signed, verify func() error) error {
	began := w.Now()
	if j.Terms.Verify {
		if err := verify(); err != nil {
			return w.fail(ctx, r, j, err)
		}
		j = j.Spent(job.StageVerification, w.Now().Sub(began))
	} else {
		w.Meter.Count(job.MetricVerifySkipped, 1, "profile", j.Profile)
	}
	verified := w.Now()
	if err := w.encrypt(ctx, j, &out); err != nil {
		return fmt.Errorf("encrypt the output of job %s: %w", j.ID, err)
	}
	j, err := w.publishAll(ctx, r, j, p, out)
	if errors.Is(err, fault.JobOutputExists) || errors.Is(err, fault.JobOutputRefused) {
		return w.fail(ctx, r, j, err)
	}
	if err != nil {
		return fmt.Errorf("publish the output of job %s: %w", j.ID, err)
	}
	code, message := fault.JobInputHeld, "The input stays."
	if !p.differs {
		if code, message, err = w.settle(ctx, j); err != nil {
			return fmt.Errorf("deal with the input of job %s: %w", j.ID, err)
		}
	}
	return w.complete(ctx, r, j, code, p.done+" "+message, verified)
}

func (w *Workflow) complete(ctx context.Context, r run, j job.Job, c fault.Code, message string, from time.Time) error {
	spent := w.Now().Sub(from)
	stages := j.Stages
	done, err := w.write(ctx, j, func(j job.Job) (job.Job, error) {
		j.Stages = stages // a job read again has not the times that were not written yet
		return j.Spent(job.StageOutput, spent).Complete(r.owner, c, strings.TrimSpace(message), w.Now())
	})
	if err != nil {
		return err
	}
	slog.InfoContext(ctx, "job completed", logged(string(done.ID)), "profile", done.Profile, "took", done.UpdatedAt.Sub(done.CreatedAt).String())
	return nil
}

// verify judges the output as an outsider would, from its bytes alone.
func (w *Workflow) verify(j job.Job, key profile.Key, out signed) error {
	report, err := out.judge(verify.Options{Anchors: w.Anchors, At: w.Now(), Policy: j.Terms.RequirePolicy, Signer: key.Certificate})
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		return fault.Wrap(fault.JobVerifyFailed, err, "the signature does not verify, nothing was published: %s", fault.DetailOf(err))
	}
	return nil
}
