package cms

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/x509/pkix"
	"encoding/asn1"
	"slices"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
)

// algorithm is how one key signs one digest.
type algorithm struct {
	hash    crypto.Hash
	id      pkix.AlgorithmIdentifier
	maxSize int // of a signature value, in bytes
	verify  func(digest, signature []byte) bool
}

// chooseAlgorithm finds the one way to sign that key, digest and policy allow together.
func chooseAlgorithm(p Params) (algorithm, error) {
	if !slices.Contains(icpbrasil.Digests, p.Hash) {
		return algorithm{}, fault.New(fault.KeyUnsupported, "%s does not allow the digest %s", p.Policy.Name, p.Hash)
	}
	switch key := p.Certificate.PublicKey.(type) {
	case *rsa.PublicKey:
		return rsaAlgorithm(p, key)
	case *ecdsa.PublicKey:
		return ecdsaAlgorithm(p, key)
	}
	return algorithm{}, fault.New(fault.KeyUnsupported, "keys of the kind %s are not supported", p.Certificate.PublicKeyAlgorithm)
}

func rsaAlgorithm(p Params, key *rsa.PublicKey) (algorithm, error) {
	if key.N.BitLen() < icpbrasil.MinRSABits {
		return algorithm{}, fault.New(fault.KeyUnsupported, "an RSA key of %d bits is too weak, %d are the least",
			key.N.BitLen(), icpbrasil.MinRSABits)
	}
	oid := OIDSHA256WithRSA
	if p.Hash == crypto.SHA512 {
		oid = OIDSHA512WithRSA
	}
	return algorithm{
		hash:    p.Hash,
		id:      pkix.AlgorithmIdentifier{Algorithm: oid, Parameters: asn1.NullRawValue}, // NULL is required: RFC 5754, section 3.2
		maxSize: key.Size(),
		verify:  func(digest, sig []byte) bool { return rsa.VerifyPKCS1v15(key, p.Hash, digest, sig) == nil },
	}, nil
}

func ecdsaAlgorithm(p Params, key *ecdsa.PublicKey) (algorithm, error) {
	if !p.Policy.ECDSA {
		return algorithm{}, fault.New(fault.KeyUnsupported, "%s does not allow ECDSA", p.Policy.Name)
	}
	bits := key.Curve.Params().N.BitLen()
	if bits < icpbrasil.MinECDSABits {
		return algorithm{}, fault.New(fault.KeyUnsupported, "an ECDSA key of %d bits is too weak, %d are the least",
			bits, icpbrasil.MinECDSABits)
	}
	oid := OIDECDSAWithSHA256
	if p.Hash == crypto.SHA512 {
		oid = OIDECDSAWithSHA512
	}
	return algorithm{
		hash:    p.Hash,
		id:      pkix.AlgorithmIdentifier{Algorithm: oid},
		maxSize: maxECDSASize(bits),
		verify:  func(digest, sig []byte) bool { return ecdsa.VerifyASN1(key, digest, sig) },
	}, nil
}

// maxECDSASize is the size of a SEQUENCE of two INTEGER below an order of that many bits. An INTEGER whose first bit is
// set gets a zero byte in front; all its lengths here fit one byte.
func maxECDSASize(bits int) int {
	body := 2 * (2 + bits/8 + 1)
	if body < 0x80 {
		return 2 + body
	}
	return 3 + body // up to 255, far above the largest curve
}
