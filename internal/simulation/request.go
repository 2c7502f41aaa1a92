package simulation

import (
	"context"
	"errors"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
)

// request is something that an operator may ask for.
type request struct {
	name  string
	most  int // times
	ready func(s *simulation) bool
	use   func(s *simulation) use
}

// requests are what operators can ask for now.
func (s *simulation) requests() (moves []move) {
	for _, r := range s.scenario.requests {
		if s.acted[r.name] >= r.most || !r.ready(s) {
			continue
		}
		moves = append(moves, move{"the operator asks to " + r.name, early, func() {
			s.acted[r.name]++
			s.begin(r.name, 0, r.use(s))
		}})
	}
	return moves
}

// What operators ask for.
var (
	cancel = request{"cancel", 1, func(s *simulation) bool { return len(s.ids(cancelable)) > 0 }, func(s *simulation) use {
		id := s.ids(cancelable)[0]
		return func(ctx context.Context, w *workflow.Workflow) error { _, err := w.Cancel(ctx, id, ""); return err }
	}}
	pause = request{"pause", 1, func(s *simulation) bool { return !s.pausedNow() }, func(*simulation) use {
		return func(ctx context.Context, w *workflow.Workflow) error {
			_, err := w.Pause(ctx, "operator", "")
			return err
		}
	}}
	resume = request{"resume", 1, (*simulation).pausedNow, func(*simulation) use {
		return func(ctx context.Context, w *workflow.Workflow) error {
			_, err := w.Resume(ctx, "operator", "")
			return err
		}
	}}
	rescan = request{"search for files", 1, func(s *simulation) bool { return true }, func(*simulation) use {
		return search
	}}
	remove = request{"delete the record", 1, func(s *simulation) bool { return len(s.jobs) > 0 }, func(s *simulation) use {
		id := s.jobs[0].ID
		return func(ctx context.Context, w *workflow.Workflow) error { return w.Delete(ctx, id) }
	}}
	wipe = request{"clear the records", 1, func(s *simulation) bool { return len(s.jobs) > 0 }, func(*simulation) use {
		return func(ctx context.Context, w *workflow.Workflow) error { _, err := w.Clear(ctx, "operator"); return err }
	}}
	retry = request{"retry", 2, func(s *simulation) bool { return len(s.ids(retriable)) > 0 }, func(s *simulation) use {
		id := s.ids(retriable)[0]
		return func(ctx context.Context, w *workflow.Workflow) error { _, err := w.Retry(ctx, id); return err }
	}}
)

// search is a search for files. One that says that it could not take a file in counts as failed.
func search(ctx context.Context, w *workflow.Workflow) error {
	found, err := w.Rescan(ctx, "p")
	for _, f := range found.Folders {
		if f.Errors > 0 {
			err = errors.Join(err, errUntaken)
		}
	}
	return err
}

var errUntaken = errors.New("the search says that a file was not taken in")

// forgetting are the requests that delete records: who is at work on one ends as if it had never been.
var forgetting = []string{remove.name, wipe.name}

func cancelable(j job.Job) bool { return j.Status == job.Queued || j.Status == job.AwaitingSigner }
func retriable(j job.Job) bool  { return j.Retriable() == nil }
