//go:build mutant_save

package simulation

import (
	"context"
	"errors"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// A write of a job has no condition.
func init() {
	mutate = func(p *workflow.Parts, w *workflowtest.World) { p.Jobs = unconditional{p.Jobs, w} }
}

type unconditional struct {
	workflow.Jobs
	world *workflowtest.World
}

func (u unconditional) Save(ctx context.Context, j job.Job) error {
	err := u.Jobs.Save(ctx, j)
	if errors.Is(err, fault.JobRaceLost) {
		u.world.Put(j)
		return nil
	}
	return err
}
