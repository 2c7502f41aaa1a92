package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/bits"
	"time"

	"bulksigner/internal/job"
)

// Measures of the recovery.
const (
	recoverPass = "recover"
	// mostRings bounds the doorbells of a pass, less what the queue already holds; leastRings is what a pass may always send.
	mostRings, leastRings = 1000, 50
	// ringBatch is how many doorbells are collected before they are sent.
	ringBatch = 100
	// queuedFor is how long a Queued job waits for its message before it is rung; then at doubling intervals.
	queuedFor = 2 * time.Minute
	// overdue is how long after its end a claim is rung: clocks differ.
	overdue = 30 * time.Second
	// settled is how old a file must be before the reconciler takes it in: its event may still be on the way.
	settled = 15 * time.Minute
)

// recovery is what a pass keeps for the next one.
type recovery struct {
	Claims time.Time // when claims were last looked at
	Last   time.Time // when the last whole pass through the Queued jobs began
	At     time.Time // when the pass began that After belongs to
	After  string    // position in the Queued jobs of a pass that ended early

	Reconciled time.Time // when the last whole search of the input began
	Began      time.Time // when the search began that Prefix and Key belong to; zero: none is under way
	Prefix     string    // of the folder that is being searched
	Key        string    // the last that was looked at

	Told time.Time // when it was last told how profiles are
}

// Recover finds Queued jobs that nobody took, claims that are over, and files that were never taken in. It rings; sign
// does. Run twice, or beside itself, it changes nothing more.
func (w *Workflow) Recover(ctx context.Context) error {
	ctx, cancel, r := w.begin(ctx)
	defer cancel()
	var s recovery
	pass, ok, err := w.lease(ctx, recoverPass, r, &s)
	if err != nil || !ok {
		return err
	}
	err = errors.Join(w.ringAll(ctx, r, &s), w.tellHealth(ctx, &s), w.reconcile(ctx, r, &s), w.goOnClearing(ctx, r), w.goOnRescanning(ctx, r))
	slog.InfoContext(ctx, "pass ended", "pass", recoverPass, "searching", !s.Began.IsZero(), "good", err == nil)
	return errors.Join(err, w.keep(ctx, pass, s))
}

// ringAll rings for claims that are over and for Queued jobs that nobody took.
func (w *Workflow) ringAll(ctx context.Context, r run, s *recovery) error {
	b := &bell{w: w, left: mostRings}
	if err := w.ringAbandoned(ctx, b, s); err != nil {
		return err
	}
	if err := b.measure(ctx); err != nil {
		return err
	}
	paused, err := w.Pipeline.Paused(ctx)
	if err != nil {
		return fmt.Errorf("read the pipeline's state: %w", err)
	}
	if paused {
		return nil // Last stays: what was due meanwhile is rung after the resume
	}
	return w.ringQueued(ctx, r, b, s)
}

// ringAbandoned rings for the jobs of dead runs. There are never more of them than runs at a time, so that the queue's
// length does not hold them up.
func (w *Workflow) ringAbandoned(ctx context.Context, b *bell, s *recovery) error {
	now := w.Now()
	for _, status := range []job.Status{job.Processing, job.Verifying, job.AwaitingSigner} {
		for row, err := range w.Index.Oldest(ctx, status, "") {
			if err != nil {
				return fmt.Errorf("list %s jobs: %w", status, err)
			}
			if row.ClaimUntil.IsZero() || !due(row.ClaimUntil, s.Claims, now, overdue) {
				continue
			}
			if err := b.ring(ctx, row.ID); err != nil {
				return err
			}
		}
	}
	if err := b.flush(ctx); err != nil {
		return err
	}
	s.Claims = now // only now: what was not rung is due again
	return nil
}

// ringQueued rings for Queued jobs, oldest first. A pass that may ring no more, or has no more time, goes on at its
// position next time and as of its own beginning, so that no job's moment is missed. The position moves when the queue has
// the doorbells.
func (w *Workflow) ringQueued(ctx context.Context, r run, b *bell, s *recovery) error {
	if s.After == "" {
		s.At = w.Now()
	}
	position, whole := s.After, true
	for row, err := range w.Index.Oldest(ctx, job.Queued, s.After) {
		if err != nil {
			return fmt.Errorf("list Queued jobs: %w", err)
		}
		if s.At.Sub(row.Since) < queuedFor {
			break // oldest first: nobody after this one waits longer
		}
		if whole = b.left > 0 && w.goesOn(ctx, r); !whole {
			break
		}
		if due(row.Since, s.Last, s.At, queuedFor) {
			if err := b.ring(ctx, row.ID); err != nil {
				return err
			}
		}
		if position = row.Position; len(b.ids) == 0 {
			s.After = position
		}
	}
	if err := b.flush(ctx); err != nil {
		return err
	}
	if s.After = position; whole {
		s.After, s.Last = "", s.At
	}
	return nil
}

// due reports whether something that began at since is to be rung between two looks: when it has lasted first, twice
// first, four times first, and so on.
func due(since, last, now time.Time, first time.Duration) bool {
	return bits.Len64(lasted(since, now, first)) > bits.Len64(lasted(since, last, first))
}

func lasted(since, at time.Time, first time.Duration) uint64 {
	return uint64(max(at.Sub(since), 0) / first)
}

// bell collects doorbells and sends them in batches, within a measure.
type bell struct {
	w    *Workflow
	left int
	ids  []job.ID
}

// measure takes from what may be rung what the queue already holds.
func (b *bell) measure(ctx context.Context) error {
	waiting, err := b.w.Queue.Waiting(ctx)
	if err != nil {
		return fmt.Errorf("count what the queue holds: %w", err)
	}
	b.left = max(leastRings, b.left-waiting)
	return nil
}

// ring takes a job up, and sends when there are enough.
func (b *bell) ring(ctx context.Context, id job.ID) error {
	b.ids, b.left = append(b.ids, id), b.left-1
	if len(b.ids) < ringBatch {
		return nil
	}
	return b.flush(ctx)
}

func (b *bell) flush(ctx context.Context) error {
	if len(b.ids) == 0 {
		return nil
	}
	ids := b.ids
	b.ids = nil
	if err := b.w.Queue.Ring(ctx, ids); err != nil {
		return fmt.Errorf("ring: %w", err)
	}
	return nil
}
