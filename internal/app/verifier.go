package app

import (
	"context"
	"crypto/x509"
	"io"
	"time"

	"bulksigner/internal/verify"
)

// verifier judges whatever it is given as of now. The policy is reported and not demanded: signatures of others have
// policies of their own, or none.
type verifier struct{ anchors []*x509.Certificate }

// Verify implements api.Verifier.
func (v verifier) Verify(_ context.Context, file io.ReaderAt, size int64) (verify.Report, error) {
	return verify.File(file, size, v.options())
}

// VerifyDetached implements api.Verifier.
func (v verifier) VerifyDetached(_ context.Context, cms []byte, content io.Reader) (verify.Report, error) {
	return verify.Detached(cms, content, v.options())
}

func (v verifier) options() verify.Options {
	return verify.Options{Anchors: v.anchors, At: time.Now()}
}
