package workflow

import (
	"context"
	"crypto/x509"
	"fmt"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/profile"
)

// Certificates reads the certificates of profiles and leaves their keys alone: who finds documents has no right to sign.
// Keys that have this method are asked for no more where the certificate is enough.
type Certificates interface {
	// Certificate returns the certificate of a profile's key, from a cache by profile version where it can. An error with
	// a code of the kinds certificate.* and key.* says that the profile cannot sign; any other error may pass.
	Certificate(ctx context.Context, p profile.Profile) (*x509.Certificate, error)
}

// certificate reads a profile's certificate with the least rights that the keys at hand allow.
func (w *Workflow) certificate(ctx context.Context, p profile.Profile) (*x509.Certificate, error) {
	if c, ok := w.Keys.(Certificates); ok {
		return c.Certificate(ctx, p)
	}
	key, err := w.Keys.Open(ctx, p)
	return key.Certificate, err
}

// holder reads a profile's certificate and the CPF of its holder, who is the only one that is ever signed for. Whatever
// keeps the certificate from being used has one of the codes in evident.
func (w *Workflow) holder(ctx context.Context, p profile.Profile) (*x509.Certificate, string, error) {
	cert, err := w.certificate(ctx, p)
	if code := fault.CodeOf(err); degrading[code] && !evident[code] {
		// Under its own code nobody could tell it from what only a signature can disprove.
		err = fault.Wrap(fault.CertificateMissing, err, "the certificate could not be read (%s): %s", code, fault.DetailOf(err))
	}
	if err == nil {
		err = profile.Key{Certificate: cert}.ValidAt(w.Now())
	}
	if err != nil {
		return nil, "", fmt.Errorf("read the certificate of profile %s: %w", p.Name, err)
	}
	cpf, err := cpfOf(cert)
	return cert, cpf, err
}

// evident are the reasons why a profile cannot sign that show in its certificate and in the settings: they are there or not
// whenever somebody looks. The other codes that degrade a profile are disproved by a signature alone.
var evident = map[fault.Code]bool{
	fault.CertificateMissing: true, fault.CertificateInvalid: true, fault.CertificateExpired: true, fault.CertificateNotYetValid: true,
	fault.CertificateUnsuitable: true, fault.CertificateWithoutCPF: true, fault.SignerNotConfigured: true,
}

// cpfOf identifies the holder by the certificate alone, never by what somebody typed.
func cpfOf(cert *x509.Certificate) (string, error) {
	cpf, ok := icpbrasil.HolderCPF(cert)
	if !ok {
		return "", fault.New(fault.CertificateWithoutCPF, "the certificate carries no CPF, so that nothing at Lacuna Signer can be matched to its holder; use an e-CPF or an e-CNPJ, or move the profile off the method")
	}
	return cpf, nil
}
