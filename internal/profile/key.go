package profile

import (
	"context"
	"crypto"
	"crypto/x509"
	"time"

	"bulksigner/internal/fault"
)

// Key is a profile's key, opened: the certificate was compared with it.
type Key struct {
	Certificate *x509.Certificate
	Chain       []*x509.Certificate // issuing CA first; without the root

	// Ready waits until the key's rate allows a signature. It returns fault.Throttled if ctx ends first.
	Ready func(ctx context.Context) error

	// Signer returns the key for one signature within ctx. Its Sign sends one request and answers fault.Throttled where
	// it is proved that nothing was signed and asking again may help, fault.JobKeyRefused where the key said no, and
	// fault.JobKeySilent where a signature may have been made.
	Signer func(ctx context.Context) crypto.Signer
}

// ValidAt returns fault.CertificateNotYetValid or fault.CertificateExpired outside of the certificate's validity.
func (k Key) ValidAt(now time.Time) error {
	c := k.Certificate
	if now.Before(c.NotBefore) {
		return fault.New(fault.CertificateNotYetValid, "the certificate is valid from %s", c.NotBefore.UTC().Format(time.RFC3339))
	}
	if now.After(c.NotAfter) {
		return fault.New(fault.CertificateExpired, "the certificate expired on %s", c.NotAfter.UTC().Format(time.RFC3339))
	}
	return nil
}
