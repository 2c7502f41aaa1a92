//go:build pkcs11

package pkcs11

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"slices"

	"bulksigner/internal/fault"
)

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

// chain finds the authorities above a certificate: the issuing one first, the root left out. It ends where the token's
// certificates do.
func chain(c *x509.Certificate, all []stored) (path []*x509.Certificate) {
	for range all { // no chain is longer, even if certificates sign each other in a circle
		i := slices.IndexFunc(all, func(ca stored) bool { return !ca.Equal(c) && c.CheckSignatureFrom(ca.Certificate) == nil })
		if i < 0 || isRoot(all[i].Certificate) || slices.ContainsFunc(path, all[i].Equal) {
			return path
		}
		c = all[i].Certificate
		path = append(path, c)
	}
	return path
}

func isRoot(c *x509.Certificate) bool { return bytes.Equal(c.RawSubject, c.RawIssuer) }
