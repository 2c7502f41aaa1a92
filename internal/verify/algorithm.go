package verify

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509/pkix"
	"encoding/asn1"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cms"
)

// Algorithms of others' signatures.
var (
	oidECPublicKey = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1} // found where the algorithm of the signature belongs
	oidEd25519     = asn1.ObjectIdentifier{1, 3, 101, 112}
	oidMGF1        = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 8}
	oidSHA1WithRSA = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 5}
)

type scheme int

const (
	pkcs1 scheme = iota + 1
	pss
	ecdsaScheme
	ed25519Scheme
)

// algorithms are the signature algorithms that are known here. One that names no digest takes that of the content.
var algorithms = []struct {
	oid    asn1.ObjectIdentifier
	scheme scheme
	hash   crypto.Hash
}{
	{cms.OIDRSA, pkcs1, 0},
	{oidSHA1WithRSA, pkcs1, crypto.SHA1},
	{cms.OIDSHA256WithRSA, pkcs1, crypto.SHA256},
	{cms.OIDSHA384WithRSA, pkcs1, crypto.SHA384},
	{cms.OIDSHA512WithRSA, pkcs1, crypto.SHA512},
	{cms.OIDRSAPSS, pss, 0},
	{oidECPublicKey, ecdsaScheme, 0},
	{cms.OIDECDSAWithSHA256, ecdsaScheme, crypto.SHA256},
	{cms.OIDECDSAWithSHA384, ecdsaScheme, crypto.SHA384},
	{cms.OIDECDSAWithSHA512, ecdsaScheme, crypto.SHA512},
	{oidEd25519, ed25519Scheme, 0},
}

// signatureValue checks the signature with the certificate's key. What was hashed is the set of signed attributes; if it
// was not sorted, makers disagree on whether they sort it first, so either is good here: der-order tells.
func (s *subject) signatureValue() finding {
	scheme, hash, ok := s.scheme()
	switch {
	case !ok:
		return fail("the signature algorithm is not known here")
	case s.hash == crypto.SHA1 || hash == crypto.SHA1:
		return fail("SHA-1 is too weak")
	case hash != s.hash:
		return fail("the attributes are hashed with another algorithm than the content")
	case len(s.signed) == 0 && (s.strict || s.attributed):
		return fail("there are no signed attributes")
	}
	if detail := weak(s.cert.PublicKey); detail != "" {
		return fail("%s", detail)
	}
	if len(s.signed) == 0 {
		if s.digest == nil {
			return unknown(s.reason)
		}
		return verdict(scheme != ed25519Scheme && s.verifies(scheme, nil, s.digest))
	}
	return verdict(s.verifiesSet(scheme, s.info.SignedAttrs.FullBytes[1:]) || s.verifiesSorted(scheme))
}

func verdict(good bool) finding {
	if good {
		return pass("")
	}
	return fail("the certificate's key did not make this signature")
}

// scheme finds the algorithm and the digest that goes with it.
func (s *subject) scheme() (scheme, crypto.Hash, bool) {
	for _, a := range algorithms {
		if !a.oid.Equal(s.info.SignatureAlgorithm.Algorithm) {
			continue
		}
		hash := a.hash
		if hash == 0 {
			hash = s.hash
		}
		return a.scheme, hash, hash.Available()
	}
	return 0, 0, false
}

// weak says why a key is too weak, or nothing.
func weak(key crypto.PublicKey) string {
	switch k := key.(type) {
	case *rsa.PublicKey:
		if k.N.BitLen() < icpbrasil.MinRSABits {
			return "the RSA key is too short"
		}
	case *ecdsa.PublicKey:
		if k.Curve.Params().BitSize < icpbrasil.MinECDSABits {
			return "the curve is too small"
		}
	}
	return ""
}

// verifiesSet takes the attributes without their first byte: in the message it is a context tag, for hashing a SET.
func (s *subject) verifiesSet(scheme scheme, rest []byte) bool {
	set := append([]byte{cms.TagSet}, rest...)
	h := s.hash.New()
	h.Write(set)
	return s.verifies(scheme, set, h.Sum(nil))
}

func (s *subject) verifiesSorted(scheme scheme) bool {
	set, err := asn1.Marshal(asn1.RawValue{Tag: asn1.TagSet, IsCompound: true, Bytes: s.signed.sorted()})
	return err == nil && s.verifiesSet(scheme, set[1:])
}

func (s *subject) verifies(scheme scheme, message, digest []byte) bool {
	sig := s.info.Signature
	switch key := s.cert.PublicKey.(type) {
	case *rsa.PublicKey:
		switch scheme {
		case pkcs1:
			return rsa.VerifyPKCS1v15(key, s.hash, digest, sig) == nil
		case pss:
			salt, ok := pssSalt(s.info.SignatureAlgorithm, s.hash)
			return ok && rsa.VerifyPSS(key, s.hash, digest, sig, &rsa.PSSOptions{SaltLength: salt, Hash: s.hash}) == nil
		}
	case *ecdsa.PublicKey:
		return scheme == ecdsaScheme && ecdsa.VerifyASN1(key, digest, sig)
	case ed25519.PublicKey:
		return scheme == ed25519Scheme && ed25519.Verify(key, message, sig)
	}
	return false
}

// pssParameters go with RSA-PSS (RFC 4055, section 3.1). Their defaults are SHA-1's.
type pssParameters struct {
	Hash    pkix.AlgorithmIdentifier `asn1:"optional,explicit,tag:0"`
	MGF     pkix.AlgorithmIdentifier `asn1:"optional,explicit,tag:1"`
	Salt    int                      `asn1:"optional,explicit,tag:2,default:20"`
	Trailer int                      `asn1:"optional,explicit,tag:3,default:1"`
}

// pssSalt reads the length of the salt. Both digests in the parameters must be the one that was used.
func pssSalt(a pkix.AlgorithmIdentifier, hash crypto.Hash) (int, bool) {
	var p pssParameters
	if rest, err := asn1.Unmarshal(a.Parameters.FullBytes, &p); err != nil || len(rest) > 0 {
		return 0, false
	}
	var inner pkix.AlgorithmIdentifier
	if _, err := asn1.Unmarshal(p.MGF.Parameters.FullBytes, &inner); err != nil || !p.MGF.Algorithm.Equal(oidMGF1) {
		return 0, false
	}
	outer, ok1 := cms.HashByOID(p.Hash.Algorithm)
	mask, ok2 := cms.HashByOID(inner.Algorithm)
	return p.Salt, ok1 && ok2 && outer == hash && mask == hash && p.Salt > 0 && p.Trailer == 1
}
