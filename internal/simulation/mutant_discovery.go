//go:build mutant_discovery

package simulation

import (
	"context"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// A discovery is not recorded.
func init() {
	mutate = func(p *workflow.Parts, w *workflowtest.World) { p.Discoveries = forgetful{p.Discoveries, w} }
}

type forgetful struct {
	workflow.Discoveries
	world *workflowtest.World
}

func (f forgetful) Discovered(ctx context.Context, documentID, actionID string) (job.ID, error) {
	_, err := f.Discoveries.Discovered(ctx, documentID, actionID)
	return "", err
}

func (f forgetful) Discover(_ context.Context, j job.Job) error {
	f.world.Put(j)
	return nil
}
