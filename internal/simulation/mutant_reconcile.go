//go:build mutant_reconcile

package simulation

import (
	"context"
	"iter"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// The reconciler finds nothing.
func init() {
	mutate = func(p *workflow.Parts, _ *workflowtest.World) { p.Inputs = blind{p.Inputs} }
}

type blind struct{ workflow.Inputs }

func (blind) List(context.Context, string, string) iter.Seq2[job.Object, error] {
	return func(func(job.Object, error) bool) {}
}
