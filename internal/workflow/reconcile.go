package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// reconcile searches the watched folders for files whose event was lost, every ReconcileEvery, and takes them in: a lost
// event loses no file. It goes on where an earlier run had to stop. Ringing for the new jobs is left to the next passes.
func (w *Workflow) reconcile(ctx context.Context, r run, s *recovery) error {
	if s.Began.IsZero() {
		if w.Now().Sub(s.Reconciled) < w.ReconcileEvery {
			return nil
		}
		s.Began, s.Folder, s.Key = w.Now(), 0, ""
	}
	for ; s.Folder < len(w.Folders); s.Folder, s.Key = s.Folder+1, "" {
		done, err := w.reconcileFolder(ctx, r, s)
		if err != nil || !done {
			return err
		}
	}
	s.Reconciled, s.Began, s.Folder = s.Began, time.Time{}, 0
	return nil
}

// reconcileFolder reports whether it reached the folder's end in the run's time.
func (w *Workflow) reconcileFolder(ctx context.Context, r run, s *recovery) (bool, error) {
	for o, err := range w.Inputs.List(ctx, w.Folders[s.Folder].Prefix, s.Key) {
		if err != nil {
			return false, fmt.Errorf("list folder %s: %w", w.Folders[s.Folder].Name, err)
		}
		if !w.Now().Before(r.end) {
			return false, nil
		}
		if err := w.missed(ctx, o); err != nil {
			return false, err
		}
		s.Key = o.Key
	}
	return true, nil
}

// missed takes an object in that is old enough to have had its event and has no job.
func (w *Workflow) missed(ctx context.Context, listed job.Object) error {
	if w.Now().Sub(listed.Modified) < settled || w.placeOf(listed).Ignored != "" {
		return nil
	}
	o, err := w.Inputs.Current(ctx, listed.Key)
	if errors.Is(err, fault.JobInputMissing) || err == nil && w.Now().Sub(o.Modified) < settled {
		return nil // gone, or replaced, since it was listed
	}
	if err != nil {
		return fmt.Errorf("look at a listed object: %w", err)
	}
	j, err := w.takeIn(ctx, o, job.Watcher, nil)
	if err != nil {
		return fmt.Errorf("take a missed object in: %w", err)
	}
	if j.ID != "" && j.Version == 1 && j.CreatedAt.After(o.Modified.Add(settled)) {
		slog.WarnContext(ctx, "object taken in without an event", logged(string(j.ID)))
	}
	return nil
}
