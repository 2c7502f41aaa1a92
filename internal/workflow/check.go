package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// Check looks at one document at Lacuna Signer, as a message of the checks queue asks: one that waits in a folder, or one
// that was dispatched here and may be concluded. Nothing that the message says is believed but the document's id, and what
// follows is what a sweep or a poll would do. An error means that the message must come again: Signer could not be asked.
// Nothing depends on a check, since sweep and poll look at everything.
func (w *Workflow) Check(ctx context.Context, body string) error {
	c, err := job.ParseCheck(body)
	if err != nil {
		return err
	}
	ctx, cancel, r := w.begin(ctx)
	defer cancel()
	// First: a bell that rings from now on must be heard, since what it tells of may come after the read-back.
	if err := w.Discoveries.Unring(ctx, c.DocumentID); err != nil {
		return fmt.Errorf("take the mark of a check away: %w", err)
	}
	switch {
	case w.Signer == nil:
		return nil
	case w.Now().Sub(c.At) > w.sweepEvery():
		slog.InfoContext(ctx, "check dropped: there has been a sweep since", "document", c.DocumentID)
		return nil
	case !w.goesOn(ctx, r):
		return fault.New(fault.Throttled, "this run has no time for another check")
	case c.FolderID == "":
		return w.checkDispatched(ctx, c)
	}
	return w.checkWaiting(ctx, c)
}

// checkDispatched asks about the document of a job.
func (w *Workflow) checkDispatched(ctx context.Context, c job.Check) error {
	id, err := w.Jobs.DispatchedJob(ctx, c.DocumentID)
	if err != nil {
		return fmt.Errorf("look for the job of a document: %w", err)
	}
	if id == "" {
		return nil
	}
	return w.pollOne(ctx, id)
}

// checkWaiting reads a document back and does what a sweep of its folder would.
func (w *Workflow) checkWaiting(ctx context.Context, c job.Check) error {
	d, err := w.readBack(ctx, c.DocumentID)
	if err != nil {
		return w.unread(ctx, c, err)
	}
	p, err := w.boundTo(ctx, d.FolderID)
	if err == nil && p.Name == "" {
		slog.InfoContext(ctx, "check led to nothing: the document is in no profile's folder", "document", c.DocumentID)
	}
	if err != nil || p.Name == "" {
		return err
	}
	a, err := w.able(ctx, p)
	if errors.Is(err, fault.ProfileDegraded) {
		return nil // the sweep says so
	}
	if err != nil {
		return err
	}
	ids, err := w.find(ctx, a, d)
	w.ringNew(ctx, ids)
	if err != nil {
		w.Meter.Count(job.MetricSweepErrors, 1, job.LabelOp, job.OpEnqueue)
	}
	return err
}

// unread decides whether a document that could not be read is asked for again. An answer that will stay the same is the
// sweep's to tell of.
func (w *Workflow) unread(ctx context.Context, c job.Check, err error) error {
	w.Meter.Count(job.MetricSweepErrors, 1, job.LabelOp, job.OpRead)
	e, ok := errors.AsType[*job.SignerError](err)
	if !ok || e.Transient || e.Denied() {
		return err
	}
	slog.WarnContext(ctx, "check dropped: Lacuna Signer refused it", "document", c.DocumentID, "err", err)
	return nil
}

// boundTo finds the enabled profile that is bound to a folder; one without a name is none.
func (w *Workflow) boundTo(ctx context.Context, folder string) (profile.Profile, error) {
	if folder == "" {
		return profile.Profile{}, nil
	}
	all, err := w.Profiles.List(ctx)
	if err != nil {
		return profile.Profile{}, fmt.Errorf("list the profiles: %w", err)
	}
	i := slices.IndexFunc(all, func(p profile.Profile) bool { return watched(p) && p.SignerFolder.ID == folder })
	if i < 0 {
		return profile.Profile{}, nil
	}
	return all[i], nil
}
