package app

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
)

// certificates are the keys of a function that finds documents and may not sign: it looks whose certificates they are.
type certificates struct {
	workflow.Keys // open what has its certificate inside
	assets        workflow.Assets
}

// Certificate implements workflow.Certificates. The certificate of a key in KMS stands beside it, so that KMS is not asked.
func (c certificates) Certificate(ctx context.Context, p profile.Profile) (*x509.Certificate, error) {
	if p.Certificate == nil || p.Certificate.Source != profile.Kms || p.Certificate.Kms == nil {
		key, err := c.Open(ctx, p)
		return key.Certificate, err
	}
	cert, err := c.beside(ctx, p.Certificate.Kms.Certificate)
	if err != nil {
		return nil, fmt.Errorf("read the certificate of profile %s: %w", p.Name, err)
	}
	return cert, nil
}

// beside reads a certificate that stands in a profile, or in the object that it names.
func (c certificates) beside(ctx context.Context, text string) (*x509.Certificate, error) {
	data := []byte(text)
	if _, _, ok := profile.ObjectAt(text); ok {
		var err error
		data, err = c.assets.Asset(ctx, text)
		if errors.Is(err, fault.SealImageMissing) { // what assets say of everything that is not there
			return nil, fault.Wrap(fault.CertificateMissing, err, "there is no certificate to be read at %s", text)
		}
		if err != nil {
			return nil, err
		}
	}
	all, err := profile.ParseCertificates(data)
	if err != nil {
		return nil, err
	}
	return signing(all)
}

// signing finds the certificate that signs among those of its authorities. Which one belongs to the key is known to KMS
// alone; whoever signs compares them, so that the wrong one finds documents here and signs none.
func signing(all []*x509.Certificate) (*x509.Certificate, error) {
	i := max(0, slices.IndexFunc(all, func(c *x509.Certificate) bool { return !c.IsCA }))
	const usages = x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment
	if u := all[i].KeyUsage; u != 0 && u&usages == 0 {
		return nil, fault.New(fault.CertificateUnsuitable, "the certificate's key usage allows neither digitalSignature nor nonRepudiation")
	}
	return all[i], nil
}
