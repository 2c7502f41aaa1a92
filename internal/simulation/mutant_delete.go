//go:build mutant_delete

package simulation

import (
	"context"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// The input is deleted before its output is durable.
func init() {
	mutate = func(p *workflow.Parts, _ *workflowtest.World) { p.Outputs = hasty{p.Outputs, p.Inputs} }
}

type hasty struct {
	workflow.Outputs
	inputs workflow.Inputs
}

func (h hasty) Put(ctx context.Context, p job.Publication) error {
	if err := h.inputs.Delete(ctx, p.Original); err != nil {
		return err
	}
	return h.Outputs.Put(ctx, p)
}
