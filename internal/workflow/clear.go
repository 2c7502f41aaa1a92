package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

const (
	clearPass = "clear"
	// clearBatch is how many records are deleted before the pass notes how far it came.
	clearBatch = 100
)

// clearing is a clear under way.
type clearing struct {
	Before  time.Time // zero: none is under way
	By      string
	After   string // position
	Deleted int64
}

// Delete deletes the record of a job, whatever its status. What it was about stays known, so that nothing is taken in or
// signed again by itself; a run at work on it stops at its next write, and Lacuna Signer is not told.
func (w *Workflow) Delete(ctx context.Context, id job.ID) error {
	if _, err := w.Jobs.Get(ctx, id); err != nil {
		return err
	}
	if err := w.Jobs.Remove(ctx, id); err != nil {
		return fmt.Errorf("delete job %s: %w", id, err)
	}
	slog.WarnContext(ctx, "job deleted", logged(string(id)))
	w.journal(ctx, job.EventJobDeleted, "The record of job "+string(id)+" was deleted.")
	return nil
}

// Clear deletes the record of every job that was created before now, as Delete does. What it has no time for is carried on
// by recovery. It returns fault.JobRaceLost while another run clears.
func (w *Workflow) Clear(ctx context.Context, by string) (job.Cleared, error) {
	ctx, cancel, r := w.begin(ctx)
	defer cancel()
	var s clearing
	pass, ok, err := w.lease(ctx, clearPass, r, &s)
	if err != nil {
		return job.Cleared{}, err
	}
	if !ok {
		return job.Cleared{}, fault.New(fault.JobRaceLost, "the records are being cleared; ask again in a minute")
	}
	s = clearing{Before: w.Now(), By: by}
	before := s.Before
	err = errors.Join(w.clearOn(ctx, r, &s), w.keep(ctx, pass, s))
	return job.Cleared{Deleted: int(s.Deleted), Before: before, Complete: s.Before.IsZero()}, err
}

// goOnClearing carries on a clear that a run had no time for.
func (w *Workflow) goOnClearing(ctx context.Context, r run) error {
	var s clearing
	if under, err := w.underWay(ctx, clearPass, &s); err != nil || !under || s.Before.IsZero() {
		return err
	}
	pass, ok, err := w.lease(ctx, clearPass, r, &s)
	if err != nil || !ok || s.Before.IsZero() {
		return err
	}
	return errors.Join(w.clearOn(ctx, r, &s), w.keep(ctx, pass, s))
}

func (w *Workflow) clearOn(ctx context.Context, r run, s *clearing) error {
	var rows []job.Row
	for row, err := range w.Jobs.CreatedBefore(ctx, s.Before, s.After) {
		if err != nil {
			return fmt.Errorf("list old jobs: %w", err)
		}
		if rows = append(rows, row); len(rows) < clearBatch {
			continue
		}
		if err := w.removeAll(ctx, rows, s); err != nil || !w.goesOn(ctx, r) {
			return err
		}
		rows = rows[:0]
	}
	if err := w.removeAll(ctx, rows, s); err != nil {
		return err
	}
	slog.WarnContext(ctx, "job records cleared", "deleted", s.Deleted)
	w.journal(ctx, job.EventJobsCleared, fmt.Sprintf("%d job records were cleared by %s.", s.Deleted, s.By))
	s.Before, s.After = time.Time{}, ""
	return nil
}

// removeAll deletes some records. It may be repeated.
func (w *Workflow) removeAll(ctx context.Context, rows []job.Row, s *clearing) error {
	errs := make([]error, len(rows))
	type nth struct {
		n  int
		id job.ID
	}
	all := make([]nth, len(rows))
	for n, row := range rows {
		all[n] = nth{n, row.ID}
	}
	inParallel(w.Remote.AtOnce, all, func(x nth) {
		if errs[x.n] = w.Jobs.Remove(ctx, x.id); errs[x.n] == nil {
			atomic.AddInt64(&s.Deleted, 1)
		}
	})
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("delete job records: %w", err)
	}
	if len(rows) > 0 {
		s.After = rows[len(rows)-1].Position
	}
	return nil
}
