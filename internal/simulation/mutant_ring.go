//go:build mutant_ring

package simulation

import (
	"context"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// Nobody rings for what was lost or given back.
func init() {
	mutate = func(p *workflow.Parts, _ *workflowtest.World) { p.Queue = mute{p.Queue} }
}

type mute struct{ workflow.Queue }

func (mute) Ring(context.Context, []job.ID) error { return nil }
