package keys

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"slices"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// certificates reads what a profile says of its certificate: the text itself, or the object that it names.
func (k *Keys) certificates(ctx context.Context, text string) ([]*x509.Certificate, error) {
	if text == "" {
		return nil, fault.New(fault.CertificateMissing, "the profile has no certificate")
	}
	data := []byte(text)
	if bucket, key, ok := profile.ObjectAt(text); ok {
		var err error
		data, err = k.object(ctx, bucket, key, limit{profile.MaxCertificates, fault.CertificateMissing, fault.CertificateInvalid})
		if err != nil {
			return nil, err
		}
	}
	return profile.ParseCertificates(data)
}

// match finds the certificate of a public key, and the authorities above it: the issuing one first, the root left out.
// Certificates that lead nowhere are left out too, since bundles have the chains of several authorities.
func match(public crypto.PublicKey, certs []*x509.Certificate) (*x509.Certificate, []*x509.Certificate, error) {
	own, ok := public.(interface{ Equal(crypto.PublicKey) bool })
	i := slices.IndexFunc(certs, func(c *x509.Certificate) bool { return ok && own.Equal(c.PublicKey) })
	if i < 0 {
		return nil, nil, fault.New(fault.CertificateMismatch, "no certificate is one of this key")
	}
	return certs[i], chain(certs[i], certs), nil
}

func chain(c *x509.Certificate, certs []*x509.Certificate) (path []*x509.Certificate) {
	for range certs { // a chain is no longer than that, even if certificates sign each other in a circle
		i := slices.IndexFunc(certs, func(ca *x509.Certificate) bool { return !ca.Equal(c) && c.CheckSignatureFrom(ca) == nil })
		if i < 0 || isRoot(certs[i]) || slices.ContainsFunc(path, certs[i].Equal) {
			return path
		}
		c = certs[i]
		path = append(path, c)
	}
	return path
}

func isRoot(c *x509.Certificate) bool { return bytes.Equal(c.RawSubject, c.RawIssuer) }

var oidKeyUsage = asn1.ObjectIdentifier{2, 5, 29, 15}

// suitable refuses a certificate that says what its key is for, and does not say signing.
func suitable(c *x509.Certificate) error {
	const signing = x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment
	for _, e := range c.Extensions {
		if e.Id.Equal(oidKeyUsage) && c.KeyUsage&signing == 0 {
			return fault.New(fault.CertificateUnsuitable, "the certificate's key usage allows neither digitalSignature nor nonRepudiation")
		}
	}
	return nil
}

// minRSABits is the smallest RSA key that AD-RB allows.
const minRSABits = 2048

// strong refuses keys that AD-RB does not know.
func strong(public crypto.PublicKey) error {
	switch k := public.(type) {
	case *rsa.PublicKey:
		if k.N.BitLen() < minRSABits {
			return fault.New(fault.KeyUnsupported, "the RSA key has %d bits, and %d are the least", k.N.BitLen(), minRSABits)
		}
		return nil
	case *ecdsa.PublicKey:
		if !slices.Contains([]elliptic.Curve{elliptic.P256(), elliptic.P384(), elliptic.P521()}, k.Curve) {
			return fault.New(fault.KeyUnsupported, "the key is on a curve that cannot be used")
		}
		return nil
	}
	return fault.New(fault.KeyUnsupported, "the key is neither RSA nor ECDSA")
}

// fit puts a key and its certificates together, if they belong together and may sign.
func fit(public crypto.PublicKey, certs []*x509.Certificate) (profile.Key, error) {
	if err := strong(public); err != nil {
		return profile.Key{}, err
	}
	c, chain, err := match(public, certs)
	if err != nil {
		return profile.Key{}, err
	}
	return profile.Key{Certificate: c, Chain: chain}, suitable(c)
}
