//go:build mutant_claim

package simulation

import (
	"context"
	"time"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// The end of a claim is not checked: every claim that is met counts as over.
func init() {
	mutate = func(p *workflow.Parts, _ *workflowtest.World) { p.Jobs = impatient{p.Jobs} }
}

type impatient struct{ workflow.Jobs }

func (i impatient) Get(ctx context.Context, id job.ID) (job.Job, error) {
	j, err := i.Jobs.Get(ctx, id)
	j.Claim.Until = time.Time{}
	return j, err
}
