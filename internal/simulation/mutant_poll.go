//go:build mutant_poll

package simulation

import (
	"context"

	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// A pause is not heeded by the poll.
func init() {
	mutate = func(p *workflow.Parts, _ *workflowtest.World) { p.Pipeline = curious{p.Pipeline} }
}

type curious struct{ workflow.Pipeline }

func (c curious) Paused(ctx context.Context) (bool, error) {
	paused, err := c.Pipeline.Paused(ctx)
	i, ok := ctx.Value(invocationKey{}).(*invocation)
	return paused && !(ok && i.kind == "poll"), err
}
