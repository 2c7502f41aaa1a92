//go:build mutant_seal

package simulation

import (
	"context"
	"io"

	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// What must be encrypted is published as it is.
func init() {
	mutate = func(p *workflow.Parts, _ *workflowtest.World) { p.Cipher = open{p.Cipher} }
}

type open struct{ workflow.Cipher }

func (open) Seal(_ context.Context, document io.Reader, _ int64) ([]byte, error) {
	return io.ReadAll(document)
}
