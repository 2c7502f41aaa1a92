package revocation

import (
	"context"
	"crypto/x509"
	"errors"
	"log/slog"
	"slices"
	"time"

	"bulksigner/internal/fault"
)

// Trust judges certificates before they sign: each must lead to an anchor, and nothing on the way may be revoked.
type Trust struct {
	Anchors []*x509.Certificate
	Checker *Checker
	// Tolerant takes a certificate for good while nobody can say whether it was revoked. It is logged.
	Tolerant bool
}

// Validate follows a certificate to an anchor. It returns fault.CertificateUntrusted if it leads to none,
// fault.CertificateRevoked, or fault.RevocationUnavailable if nobody could be asked and Trust is not tolerant.
func (t Trust) Validate(ctx context.Context, certificate *x509.Certificate, chain []*x509.Certificate, at time.Time) error {
	roots, between := x509.NewCertPool(), x509.NewCertPool()
	for _, a := range t.Anchors {
		roots.AddCert(a)
	}
	for _, c := range chain {
		between.AddCert(c)
	}
	// Signer certificates of ICP-Brasil are not for TLS servers, which is what Go looks for by itself.
	chains, err := certificate.Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	if err != nil {
		return fault.Wrap(fault.CertificateUntrusted, err, "the certificate does not lead to a trust anchor")
	}
	shortest := slices.MinFunc(chains, func(a, b []*x509.Certificate) int { return len(a) - len(b) })
	err = t.Checker.Chain(ctx, shortest, at)
	if t.Tolerant && errors.Is(err, fault.RevocationUnavailable) && ctx.Err() == nil {
		slog.WarnContext(ctx, "certificate signs although its revocation is unknown", "err", err)
		return nil
	}
	return err
}
