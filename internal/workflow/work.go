package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// Batch is what a run works through: messages received together.
type Batch struct {
	w      *Workflow
	paused bool
	words  *words // what this invocation may ask Lacuna Signer about dead runs
}

// Batch begins a batch. The switch is read once: a batch that read it before a pause counts as in flight.
func (w *Workflow) Batch(ctx context.Context) (Batch, error) {
	paused, err := w.Pipeline.Paused(ctx)
	if err != nil {
		return Batch{}, fmt.Errorf("read the pipeline's state: %w", err)
	}
	return Batch{w: w, paused: paused, words: newWords(w)}, nil
}

// Work does what a message of the work queue asks for. An error means that the message must come again; a job that fails
// is no error.
func (b Batch) Work(ctx context.Context, body string) error {
	m, unread := job.ParseMessage(body)
	if m.Job != "" {
		return b.look(ctx, m.Job)
	}
	if m.Ignored != "" {
		slog.InfoContext(ctx, "message makes no job", "reason", m.Ignored)
	}
	errs := []error{unread}
	for _, o := range m.Created {
		errs = append(errs, b.object(ctx, o))
	}
	return errors.Join(errs...)
}

// object takes one object version in and carries its job.
func (b Batch) object(ctx context.Context, o job.Object) error {
	ctx, cancel, r := b.w.begin(ctx)
	defer cancel()
	var claim *run
	if !b.paused && b.w.hasTime(r) {
		claim = &r
	}
	j, err := b.w.takeIn(ctx, o, job.Watcher, claim)
	if err != nil || j.ID == "" {
		return err
	}
	return b.job(ctx, r, j)
}

// look answers a doorbell. A job that is gone asks for nothing.
func (b Batch) look(ctx context.Context, id job.ID) error {
	ctx, cancel, r := b.w.begin(ctx)
	defer cancel()
	j, err := b.w.Jobs.Get(ctx, id)
	if errors.Is(err, fault.JobNotFound) {
		slog.InfoContext(ctx, "doorbell for no job", logged(string(id)))
		return nil
	}
	if err != nil {
		return fmt.Errorf("read job %s: %w", id, err)
	}
	return b.job(ctx, r, j)
}

// job does the next thing about a job: ends a dead run, claims what is queued, carries what is claimed.
func (b Batch) job(ctx context.Context, r run, j job.Job) error {
	var err error
	if j.Abandoned(b.w.Now()) {
		if j, err = b.w.interrupt(ctx, b.words, j); err != nil {
			return lost(ctx, j, err)
		}
	}
	if !b.paused && (j.Status == job.Queued || j.Fetchable() && b.w.Signer != nil) {
		if !b.w.hasTime(r) {
			return fault.New(fault.Throttled, "this run has no time for another job")
		}
		if j, err = b.w.take(ctx, r, j); err != nil {
			return lost(ctx, j, err)
		}
	}
	if j.Claim.Owner != r.owner {
		return nil // ended, waiting for a resume, or in somebody's hands
	}
	return lost(ctx, j, b.w.carry(ctx, r, j))
}

// lost consumes the news that another run has the job: it is not this run's any more, and nothing is wrong.
func lost(ctx context.Context, j job.Job, err error) error {
	if errors.Is(err, fault.JobRaceLost) {
		slog.InfoContext(ctx, "job left to another run", logged(string(j.ID)), "err", err)
		return nil
	}
	return err
}

// carry takes a claimed job as far as it goes without a human.
func (w *Workflow) carry(ctx context.Context, r run, j job.Job) error {
	switch {
	case j.Status != job.Processing:
		return w.collect(ctx, r, j)
	case j.Method == profile.LacunaSigner:
		return w.dispatch(ctx, r, j)
	case j.Method == profile.SignerFolder:
		return w.signFolder(ctx, r, j)
	}
	return w.signLocal(ctx, r, j)
}

// take claims a job: a queued one under the terms of the profile as it is now, one that waits at Lacuna Signer under those
// that it has.
func (w *Workflow) take(ctx context.Context, r run, j job.Job) (job.Job, error) {
	if j.Status != job.Queued {
		return w.write(ctx, j, func(j job.Job) (job.Job, error) { return j.TakeUp(r.claim(), w.Now()) })
	}
	p, err := w.Profiles.Get(ctx, j.Profile)
	if errors.Is(err, fault.ProfileNotFound) {
		p = profile.Profile{Method: j.Method, Format: j.Format} // claimed all the same, to be failed by name
	} else if err != nil {
		return j, fmt.Errorf("read profile %s: %w", j.Profile, err)
	}
	k, err := w.write(ctx, j, func(j job.Job) (job.Job, error) { return j.Take(r.claim(), terms(p, j), w.Now()) })
	if err != nil {
		return j, err
	}
	return k, nil
}
