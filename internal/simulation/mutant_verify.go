//go:build mutant_verify

package simulation

import (
	"context"

	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// A signature is published without having been verified.
func init() {
	mutate = func(p *workflow.Parts, _ *workflowtest.World) { p.Profiles = trusting{p.Profiles} }
}

type trusting struct{ workflow.Profiles }

func (t trusting) Get(ctx context.Context, name string) (profile.Profile, error) {
	p, err := t.Profiles.Get(ctx, name)
	p.Verify = false
	return p, err
}
