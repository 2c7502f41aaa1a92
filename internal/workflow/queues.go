package workflow

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

const (
	// maxReturned is how many dead letters one request gives back.
	maxReturned = 100
	// returnTime is how long it may take, so that there is time to answer.
	returnTime = 15 * time.Second
)

// Counted is a queue whose messages can be counted.
type Counted interface {
	// Count is about how many messages the queue holds.
	Count(ctx context.Context) (job.QueueCount, error)
}

// DeadLetters is a queue of messages that nobody could handle.
type DeadLetters interface {
	Counted
	// GiveBack sends at most so many messages to the queue that they come from, and tells how many were sent, also beside
	// an error. One can be sent twice, and none is lost.
	GiveBack(ctx context.Context, most int) (moved int, err error)
}

// Line is a queue with its dead letters, as operators see them.
type Line struct {
	Name  string
	Queue Counted
	Dead  DeadLetters // nil: nobody says where they go
}

// Queues tells how the queues stand.
func (w *Workflow) Queues(ctx context.Context) ([]job.QueueState, error) {
	all := make([]job.QueueState, 0, len(w.Lines))
	for _, l := range w.Lines {
		s := job.QueueState{Name: l.Name}
		var err error
		if s.Count, err = l.Queue.Count(ctx); err != nil {
			return nil, fmt.Errorf("count the messages of %s: %w", l.Name, err)
		}
		if l.Dead != nil {
			c, err := l.Dead.Count(ctx)
			if err != nil {
				return nil, fmt.Errorf("count the dead letters of %s: %w", l.Name, err)
			}
			s.Dead = &c
		}
		all = append(all, s)
	}
	return all, nil
}

// Return gives dead letters back to their queue, at most 100 at a time. A message is a doorbell: one that comes twice does
// nothing twice, and one that nobody can handle becomes a dead letter again. It returns fault.RouteNotFound where there is
// no such queue with dead letters. What was moved before something failed is told like the rest.
func (w *Workflow) Return(ctx context.Context, name, by string) (job.Returned, error) {
	i := slices.IndexFunc(w.Lines, func(l Line) bool { return l.Name == name && l.Dead != nil })
	if i < 0 {
		return job.Returned{}, fault.New(fault.RouteNotFound, "no queue with dead letters has this name")
	}
	dead := w.Lines[i].Dead
	bounded, cancel := context.WithTimeout(ctx, returnTime)
	defer cancel()
	moved, err := dead.GiveBack(bounded, maxReturned)
	if moved == 0 && err != nil {
		return job.Returned{}, fmt.Errorf("give the dead letters of %s back: %w", name, err)
	}
	if err != nil {
		slog.ErrorContext(ctx, "dead letters given back in part", "queue", name, "moved", moved, "err", err)
	}
	if moved > 0 {
		slog.InfoContext(ctx, "dead letters given back", "queue", name, "moved", moved)
		w.journal(ctx, job.EventDeadLettersReturned, fmt.Sprintf("%d dead letters of the queue %s were given back by %s.", moved, name, by))
	}
	left, err := dead.Count(ctx)
	if err != nil {
		return job.Returned{}, fmt.Errorf("count the dead letters of %s: %w", name, err)
	}
	return job.Returned{Moved: moved, Left: left.Sum()}, nil
}
