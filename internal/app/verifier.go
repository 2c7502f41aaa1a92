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
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	return verify.File(file, size, v.options(ctx))
}

// VerifyDetached implements api.Verifier.
func (v verifier) VerifyDetached(ctx context.Context, cms []byte, content io.Reader) (verify.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	return verify.Detached(cms, content, v.options(ctx))
}

// asking bounds what is asked about revocation for one file, so that the answer comes before the API's own time-out of 29 s.
const asking = 20 * time.Second

// options ask the checker itself: an outage that signing puts up with must not look like an answer here.
func (v verifier) options(ctx context.Context) verify.Options {
	now := time.Now()
	return verify.Options{Anchors: v.trust.Anchors, At: now, Tolerant: v.trust.Tolerant, Revocation: func(chain []*x509.Certificate) error {
		return v.trust.Checker.Chain(ctx, chain, now)
	}}
}
