//go:build mutant_create

package simulation

import (
	"context"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// A document is created once more after silence.
func init() {
	mutate = func(p *workflow.Parts, _ *workflowtest.World) { p.Signer = insistent{p.Signer} }
}

type insistent struct{ workflow.Signer }

func (i insistent) Create(ctx context.Context, d job.Dispatch) (string, error) {
	id, err := i.Signer.Create(ctx, d)
	if err != nil {
		id, err = i.Signer.Create(ctx, d)
	}
	return id, err
}
