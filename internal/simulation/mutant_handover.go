//go:build mutant_handover

package simulation

import (
	"context"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// A signature is handed over once more after silence.
func init() {
	mutate = func(p *workflow.Parts, _ *workflowtest.World) { p.Signer = pressing{p.Signer} }
}

type pressing struct{ workflow.Signer }

func (p pressing) Complete(ctx context.Context, t job.Ticket, token string, signature []byte) (job.Handed, error) {
	handed, err := p.Signer.Complete(ctx, t, token, signature)
	if err != nil {
		handed, err = p.Signer.Complete(ctx, t, token, signature)
	}
	return handed, err
}
