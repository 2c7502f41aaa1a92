package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// reconcile searches the watched folders for files whose event was lost, every ReconcileEvery, and takes them in: a lost
// event loses no file. It goes on where an earlier run had to stop. Ringing for the new jobs is left to the next passes.
// An object that cannot be taken in does not hold up the others; it is told, and looked at again by the next search.
func (w *Workflow) reconcile(ctx context.Context, r run, s *recovery) error {
	if s.Began.IsZero() {
		if w.Now().Sub(s.Reconciled) < w.ReconcileEvery {
			return nil
		}
		s.Began, s.Prefix, s.Key = w.Now(), "", ""
	}
	for _, f := range w.folders() {
		if f.Prefix < s.Prefix {
			continue // searched by an earlier run
		}
		if f.Prefix > s.Prefix {
			s.Prefix, s.Key = f.Prefix, ""
		}
		done, err := w.reconcileFolder(ctx, r, f, s)
		if err != nil || !done {
			return err
		}
	}
	s.Reconciled, s.Began, s.Prefix, s.Key = s.Began, time.Time{}, "", ""
	return nil
}

// folders are the watched folders in the order of the search.
func (w *Workflow) folders() []Folder {
	return slices.SortedFunc(slices.Values(w.Folders), func(a, b Folder) int { return cmp.Compare(a.Prefix, b.Prefix) })
}

// reconcileFolder reports whether it reached the folder's end in the run's time.
func (w *Workflow) reconcileFolder(ctx context.Context, r run, f Folder, s *recovery) (bool, error) {
	for o, err := range w.Inputs.List(ctx, f.Prefix, s.Key) {
		if !w.goesOn(ctx, r) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("list folder %s: %w", f.Name, err)
		}
		if err := w.missed(ctx, o); err != nil {
			if ctx.Err() != nil {
				return false, nil // the time, and not the object: it is the next run's first
			}
			slog.ErrorContext(ctx, "object not taken in", "folder", f.Name, "code", fault.CodeOf(err), "err", err)
		}
		s.Key = o.Key
	}
	return w.goesOn(ctx, r), nil
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
