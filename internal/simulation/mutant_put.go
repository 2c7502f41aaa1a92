//go:build mutant_put

package simulation

import (
	"context"
	"errors"
	"io"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// An output is put without the condition that its name is free.
func init() {
	mutate = func(p *workflow.Parts, w *workflowtest.World) { p.Outputs = careless{p.Outputs, w} }
}

type careless struct {
	workflow.Outputs
	world *workflowtest.World
}

func (c careless) Put(ctx context.Context, p job.Publication) error {
	err := c.Outputs.Put(ctx, p)
	if !errors.Is(err, fault.JobOutputExists) {
		return err
	}
	content, err := io.ReadAll(io.NewSectionReader(p.Content, 0, p.Content.Size()))
	c.world.Occupy(p.Key, content)
	return err
}
