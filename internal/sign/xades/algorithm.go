package xades

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"math/big"

	"bulksigner/internal/fault"
)

// digestURIs are the names of the digests that AD-RB allows.
var digestURIs = map[crypto.Hash]string{
	crypto.SHA256: "http://www.w3.org/2001/04/xmlenc#sha256",
	crypto.SHA512: "http://www.w3.org/2001/04/xmlenc#sha512",
}

// algorithm is how one key signs one digest.
type algorithm struct {
	hash   crypto.Hash
	uri    string
	public crypto.PublicKey

	// value checks the key's answer against the certificate and returns it as XML signatures write it, or nil.
	value func(digest, answer []byte) []byte
}

// chooseAlgorithm names the way to sign with a key and a digest that cms.New has accepted.
func chooseAlgorithm(c *x509.Certificate, h crypto.Hash) (algorithm, error) {
	a := algorithm{hash: h, public: c.PublicKey}
	var family string
	switch key := c.PublicKey.(type) {
	case *rsa.PublicKey:
		family, a.value = "rsa", rsaValue(key, h)
	case *ecdsa.PublicKey:
		family, a.value = "ecdsa", ecdsaValue(key)
	default:
		return algorithm{}, fault.New(fault.KeyUnsupported, "keys of the kind %s are not supported", c.PublicKeyAlgorithm)
	}
	a.uri = fmt.Sprintf("http://www.w3.org/2001/04/xmldsig-more#%s-sha%d", family, 8*h.Size())
	return a, nil
}

func rsaValue(key *rsa.PublicKey, h crypto.Hash) func(digest, answer []byte) []byte {
	return func(digest, answer []byte) []byte {
		if rsa.VerifyPKCS1v15(key, h, digest, answer) != nil {
			return nil
		}
		return answer
	}
}

// ecdsaValue turns the DER of keys into the two numbers side by side, each as wide as the order of the curve (RFC 4050,
// section 3.3).
func ecdsaValue(key *ecdsa.PublicKey) func(digest, answer []byte) []byte {
	width := (key.Params().N.BitLen() + 7) / 8
	return func(digest, answer []byte) []byte {
		var n struct{ R, S *big.Int }
		if _, err := asn1.Unmarshal(answer, &n); err != nil || !ecdsa.VerifyASN1(key, digest, answer) {
			return nil
		}
		out := make([]byte, 2*width)
		n.R.FillBytes(out[:width])
		n.S.FillBytes(out[width:])
		return out
	}
}

// sign asks the key once. A key that says beforehand that it is another one is spared the question.
func (a algorithm) sign(key crypto.Signer, digest []byte) ([]byte, error) {
	own, ok := a.public.(interface{ Equal(crypto.PublicKey) bool })
	if public := key.Public(); ok && public != nil && !own.Equal(public) {
		return nil, fault.New(fault.CertificateMismatch, "the key is not the one in the certificate")
	}
	answer, err := key.Sign(rand.Reader, digest, a.hash)
	if err != nil {
		return nil, fmt.Errorf("ask the key: %w", err)
	}
	value := a.value(digest, answer)
	if value == nil {
		return nil, fault.New(fault.CertificateMismatch, "the key's signature does not fit the certificate")
	}
	return value, nil
}
