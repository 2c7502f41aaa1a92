// Package queue sends messages to the two queues in SQS, doorbells to the work queue and checks to the checks queue, asks
// how many messages a queue holds, and gives dead letters back to the queue that they come from.
//
// A message makes somebody look at a job or a document; losing or repeating one changes when something happens, never
// what. Receiving is left to Lambda's event source, but for dead letters. What a message says is the business of package
// job.
package queue

import (
	"context"
	"fmt"

	"bulksigner/internal/job"
)

// Queue is the work queue.
type Queue struct{ line }

// New makes a Queue of the queue with a URL.
func New(client api, url string) *Queue { return &Queue{line{client, url}} }

// Ring sends a doorbell for each job. An entry that SQS could not take is sent once more. The error tells how many jobs
// were not rung for; those before and after them were. A batch that fails as a whole ends it, since the next would too.
func (q *Queue) Ring(ctx context.Context, ids []job.ID) error {
	bodies := make([]string, len(ids))
	for i, id := range ids {
		bodies[i] = job.Doorbell(id)
	}
	if err := q.send(ctx, bodies); err != nil {
		return fmt.Errorf("ring for jobs: %w", err)
	}
	return nil
}

// Waiting is about how many messages the queue holds: waiting, at work or delayed.
func (q *Queue) Waiting(ctx context.Context) (int, error) {
	c, err := q.Count(ctx)
	return c.Sum(), err
}
