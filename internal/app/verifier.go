package app

import (
	"context"
	"crypto/x509"
	"io"
	"time"

	"bulksigner/internal/revocation"
	"bulksigner/internal/verify"
)

// verifier judges whatever it is given as of now. The policy is reported and not demanded: signatures of others have
// policies of their own, or none.
type verifier struct{ trust revocation.Trust }

// Verify implements api.Verifier.
func (v verifier) Verify(ctx context.Context, file io.ReaderAt, size int64) (verify.Report, error) {
	return verify.File(file, size, v.options(ctx))
}

// VerifyDetached implements api.Verifier.
func (v verifier) VerifyDetached(ctx context.Context, cms []byte, content io.Reader) (verify.Report, error) {
	return verify.Detached(cms, content, v.options(ctx))
}

func (v verifier) options(ctx context.Context) verify.Options {
	now := time.Now()
	return verify.Options{Anchors: v.trust.Anchors, At: now, Revocation: func(chain []*x509.Certificate) error {
		return v.trust.Chain(ctx, chain, now)
	}}
}
