//go:build mutant_key

package simulation

import (
	"context"
	"crypto"
	"io"

	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// The key is asked once more after silence, as an SDK does by itself.
func init() {
	mutate = func(p *workflow.Parts, _ *workflowtest.World) { p.Keys = stubborn{p.Keys} }
}

type stubborn struct{ workflow.Keys }

func (s stubborn) Open(ctx context.Context, p profile.Profile) (profile.Key, error) {
	k, err := s.Keys.Open(ctx, p)
	if err != nil {
		return k, err
	}
	signer := k.Signer
	k.Signer = func(ctx context.Context) crypto.Signer { return twice{signer(ctx)} }
	return k, nil
}

type twice struct{ crypto.Signer }

func (t twice) Sign(random io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	signature, err := t.Signer.Sign(random, digest, opts)
	if err != nil {
		signature, err = t.Signer.Sign(random, digest, opts)
	}
	return signature, err
}
