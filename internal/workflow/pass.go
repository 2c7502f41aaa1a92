package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// lease takes a pass for a run and reads its state into s. It reports false while another run has the pass. A state that
// cannot be read is an empty one: a pass keeps nothing that it could not find again.
func (w *Workflow) lease(ctx context.Context, name string, r run, s any) (job.Pass, bool, error) {
	pass, err := w.Passes.Lease(ctx, name, r.owner, w.Now(), r.until)
	if errors.Is(err, fault.JobRaceLost) {
		slog.InfoContext(ctx, "another pass is under way", "pass", name)
		return job.Pass{}, false, nil
	}
	if err != nil {
		return job.Pass{}, false, fmt.Errorf("lease the pass: %w", err)
	}
	if pass.State == "" {
		return pass, true, nil
	}
	if err := json.Unmarshal([]byte(pass.State), s); err != nil {
		slog.ErrorContext(ctx, "pass begins afresh: its state cannot be read", "pass", name, "err", err)
		pass.State = ""
	}
	return pass, true, nil
}

// underWay reads the state of a pass without taking it. It reports false if there never was one.
func (w *Workflow) underWay(ctx context.Context, name string, s any) (bool, error) {
	pass, err := w.Passes.Pass(ctx, name)
	if err != nil {
		return false, fmt.Errorf("read the pass %s: %w", name, err)
	}
	return pass.State != "" && json.Unmarshal([]byte(pass.State), s) == nil, nil
}

// keep saves the pass and lets go of its lease. Its context is a fresh one: the run's may be over.
func (w *Workflow) keep(ctx context.Context, pass job.Pass, s any) error {
	ctx, cancel := grace(ctx)
	defer cancel()
	pass.Until = w.Now()
	err := w.savePass(ctx, &pass, s)
	if errors.Is(err, fault.JobRaceLost) {
		slog.WarnContext(ctx, "pass overtaken by another", "pass", pass.Name)
		return nil
	}
	return err
}

// savePass writes the state of a pass that goes on.
func (w *Workflow) savePass(ctx context.Context, pass *job.Pass, s any) error {
	b, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode the pass: %w", err)
	}
	pass.State = string(b)
	return w.Passes.SavePass(ctx, *pass)
}

// lastWords is what a pass keeps of its time to end what it has begun.
const lastWords = 3 * time.Second

// goesOn reports whether a pass has time for more.
func (w *Workflow) goesOn(ctx context.Context, r run) bool {
	return ctx.Err() == nil && w.Now().Before(r.end.Add(-lastWords))
}

// waitFor waits until a pass is due. It reports false if that is not within the run's time.
func (w *Workflow) waitFor(ctx context.Context, r run, at time.Time) bool {
	wait := at.Sub(w.Now())
	if wait <= 0 {
		return w.goesOn(ctx, r)
	}
	if w.Now().Add(wait).After(r.end.Add(-lastWords)) {
		return false
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return w.goesOn(ctx, r)
	case <-ctx.Done():
		return false
	}
}
