//go:build mutant_arrival

package simulation

import (
	"context"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// Nobody remembers that an object version was taken in.
func init() {
	mutate = func(p *workflow.Parts, w *workflowtest.World) { p.Arrivals = unremembered{p.Arrivals, w} }
}

type unremembered struct {
	workflow.Arrivals
	world *workflowtest.World
}

func (u unremembered) TakenIn(ctx context.Context, o job.Object) (job.ID, error) {
	_, err := u.Arrivals.TakenIn(ctx, o)
	return "", err
}

func (u unremembered) TakeIn(_ context.Context, j job.Job, _ job.NameClaim) error {
	u.world.Put(j)
	return nil
}
