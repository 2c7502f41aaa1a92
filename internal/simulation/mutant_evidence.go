//go:build mutant_evidence

package simulation

import (
	"context"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// Whoever ends a dead run does not look for its output.
func init() {
	mutate = func(p *workflow.Parts, _ *workflowtest.World) { p.Outputs = unsought{p.Outputs} }
}

type unsought struct{ workflow.Outputs }

func (unsought) Owner(context.Context, string) (job.ID, error) {
	return "", fault.New(fault.JobOutputUnavailable, "nobody looks")
}
