//go:build mutant_pause

package simulation

import (
	"context"

	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// A pause is not heeded.
func init() {
	mutate = func(p *workflow.Parts, _ *workflowtest.World) { p.Pipeline = restive{p.Pipeline} }
}

type restive struct{ workflow.Pipeline }

func (r restive) Paused(ctx context.Context) (bool, error) {
	_, err := r.Pipeline.Paused(ctx)
	return false, err
}
