//go:build mutant_mark

package simulation

import (
	"context"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// The marker is written after the key was asked: with the next write of the run.
func init() {
	mutate = func(p *workflow.Parts, _ *workflowtest.World) { p.Jobs = &tardy{p.Jobs, map[job.ID]job.Job{}} }
}

type tardy struct {
	workflow.Jobs
	kept map[job.ID]job.Job
}

func (y *tardy) Save(ctx context.Context, j job.Job) error {
	if j.Status == job.Processing && !j.Marked.IsZero() {
		y.kept[j.ID] = j
		return nil
	}
	if mark, ok := y.kept[j.ID]; ok {
		delete(y.kept, j.ID)
		if err := y.Jobs.Save(ctx, mark); err != nil {
			return err
		}
	}
	return y.Jobs.Save(ctx, j)
}
