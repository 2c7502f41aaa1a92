package shapes

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"time"
)

// signer is somebody who signed before us. The key is made of the name, so that it comes out the same every time, and
// is worth nothing.
type signer struct {
	key         steady
	certificate *x509.Certificate
}

// steady is a key whose signatures depend on nothing but what is signed (RFC 6979).
type steady struct{ *ecdsa.PrivateKey }

// Sign implements crypto.Signer.
func (s steady) Sign(_ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	return s.PrivateKey.Sign(nil, digest, opts)
}

// newSigner makes a signer with a certificate of their own making.
func newSigner(name string, serial int64) (*signer, error) {
	scalar := sha256.Sum256([]byte("conformance corpus: " + name))
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar[:])
	if err != nil {
		return nil, fmt.Errorf("make the key of %s: %w", name, err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{Country: []string{"BR"}, CommonName: name},
		NotBefore:    time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:     time.Date(2045, time.January, 1, 0, 0, 0, 0, time.UTC),
		KeyUsage:     x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment,
	}
	raw, err := x509.CreateCertificate(nil, template, template, key.Public(), steady{key})
	if err != nil {
		return nil, fmt.Errorf("issue a certificate to %s: %w", name, err)
	}
	certificate, err := x509.ParseCertificate(raw)
	return &signer{steady{key}, certificate}, err
}

func (s *signer) sign(message []byte) ([]byte, error) {
	digest := sha256.Sum256(message)
	return s.key.Sign(nil, digest[:], crypto.SHA256)
}
