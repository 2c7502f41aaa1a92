//go:build mutant_name

package simulation

import (
	"context"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// A name is given away without a look at who has it.
func init() {
	mutate = func(p *workflow.Parts, _ *workflowtest.World) { p.Arrivals = generous{p.Arrivals} }
}

type generous struct{ workflow.Arrivals }

func (g generous) TakeIn(ctx context.Context, j job.Job, _ job.NameClaim) error {
	return g.Arrivals.TakeIn(ctx, j, job.NameClaim{})
}

func (g generous) NameHolder(ctx context.Context, folder, name string) (job.ID, error) {
	_, err := g.Arrivals.NameHolder(ctx, folder, name)
	return "", err
}
