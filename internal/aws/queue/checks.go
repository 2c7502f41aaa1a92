package queue

import (
	"context"
	"fmt"

	"bulksigner/internal/job"
)

// Checks is the queue of documents at Lacuna Signer that are to be looked at.
type Checks struct{ line }

// NewChecks makes a Checks of the queue with a URL.
func NewChecks(client api, url string) *Checks { return &Checks{line{client, url}} }

// Check sends a message for each check, under the rules of Queue.Ring.
func (q *Checks) Check(ctx context.Context, checks []job.Check) error {
	bodies := make([]string, len(checks))
	for i, c := range checks {
		bodies[i] = c.Message()
	}
	if err := q.send(ctx, bodies); err != nil {
		return fmt.Errorf("ask for checks: %w", err)
	}
	return nil
}
