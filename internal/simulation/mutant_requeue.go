//go:build mutant_requeue

package simulation

import (
	"context"
	"time"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// What was marked is not seen when a dead run is ended, so that it is queued again.
func init() {
	mutate = func(p *workflow.Parts, _ *workflowtest.World) { p.Jobs = unseeing{p.Jobs} }
}

type unseeing struct{ workflow.Jobs }

func (u unseeing) Get(ctx context.Context, id job.ID) (job.Job, error) {
	j, err := u.Jobs.Get(ctx, id)
	if j.Status == job.Processing {
		j.Marked = time.Time{}
	}
	return j, err
}
