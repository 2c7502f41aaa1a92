// Package cms makes the signatures of the Cryptographic Message Syntax (RFC 5652) that the AD-RB policies of ICP-Brasil
// ask for, and holds the ASN.1 shapes that whoever reads such signatures needs.
//
// It promises that a key is asked once for a signature, with a digest and never with content; that whatever can be
// refused is refused before; that the answer is checked against the certificate before it is used; and that the size of
// the result is known beforehand. Where the content is, how it is hashed and what the signature is put into is left to
// pades and cades.
package cms

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/asn1"
	"fmt"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
)

// Params says who signs, and how.
type Params struct {
	Certificate *x509.Certificate
	Chain       []*x509.Certificate // intermediates that travel with the signature, in any order
	Hash        crypto.Hash         // of the content and of the signed attributes: SHA-256 or SHA-512
	Policy      icpbrasil.Policy
}

// Signer makes signatures for one certificate under one policy. It keeps no key and may be used concurrently.
type Signer struct {
	certificate *x509.Certificate
	algorithm   algorithm
	sid         asn1.RawValue
	constant    [][]byte // the encoded signed attributes that do not depend on the content
	embedded    []asn1.RawValue
}

// New prepares for signing. It returns fault.KeyUnsupported for a key or a digest that the policy does not allow,
// fault.CertificateUnsuitable for a certificate that is not meant for signing, fault.CertificateMissing if there is
// none, and fault.PolicyNotInForce if there is no policy.
func New(p Params) (*Signer, error) {
	if p.Certificate == nil {
		return nil, fault.New(fault.CertificateMissing, "there is no certificate to sign with")
	}
	if len(p.Policy.OID) == 0 || len(p.Policy.Hash) == 0 {
		return nil, fault.New(fault.PolicyNotInForce, "there is no policy to sign under")
	}
	if err := checkUse(p.Certificate); err != nil {
		return nil, err
	}
	alg, err := chooseAlgorithm(p)
	if err != nil {
		return nil, err
	}
	s := &Signer{certificate: p.Certificate, algorithm: alg, embedded: embed(p.Certificate, p.Chain)}
	if s.sid, err = issuerAndSerial(p.Certificate); err != nil {
		return nil, err
	}
	if s.constant, err = constantAttributes(p); err != nil {
		return nil, err
	}
	return s, nil
}

// Hash is the digest algorithm of the content.
func (s *Signer) Hash() crypto.Hash { return s.algorithm.hash }

// MaxSize is the size of what Detached returns: exact for RSA, and for ECDSA exact but for the few bytes that the
// encoding of its two numbers may save.
func (s *Signer) MaxSize() (int, error) {
	attrs, err := s.attributes(make([]byte, s.Hash().Size()))
	if err != nil {
		return 0, err
	}
	encoded, err := s.detached(s.info(attrs, make([]byte, s.algorithm.maxSize)))
	return len(encoded), err
}

// Detached returns a whole SignedData that leaves the content, known by its digest, outside. The key is asked once.
func (s *Signer) Detached(key crypto.Signer, digest []byte) ([]byte, error) {
	info, err := s.SignerInfo(key, digest)
	if err != nil {
		return nil, err
	}
	return s.detached(info)
}

func (s *Signer) detached(info SignerInfo) ([]byte, error) {
	return Encode(SignedData{
		Version:          1, // all certificates are X.509, the content is plain data, and signers are named by issuer
		DigestAlgorithms: s.DigestAlgorithms(),
		EncapContentInfo: EncapsulatedContentInfo{ContentType: OIDData},
		Certificates:     s.Certificates(),
		SignerInfos:      []SignerInfo{info},
	})
}

// Encode wraps a SignedData up as a message of its own, in DER.
func Encode(sd SignedData) ([]byte, error) {
	inner, err := asn1.Marshal(sd)
	if err != nil {
		return nil, fmt.Errorf("encode signed data: %w", err)
	}
	outer, err := asn1.Marshal(ContentInfo{
		ContentType: OIDSignedData,
		Content:     asn1.RawValue{Class: asn1.ClassContextSpecific, IsCompound: true, Bytes: inner},
	})
	if err != nil {
		return nil, fmt.Errorf("encode content info: %w", err)
	}
	return outer, nil
}

// Certificates are the certificates that travel with the signature: the signer's and the chain's, each once.
func (s *Signer) Certificates() []asn1.RawValue { return s.embedded }

func embed(leaf *x509.Certificate, chain []*x509.Certificate) []asn1.RawValue {
	out := []asn1.RawValue{{FullBytes: leaf.Raw}}
	for _, c := range chain {
		known := false
		for _, e := range out {
			known = known || bytes.Equal(e.FullBytes, c.Raw)
		}
		if !known {
			out = append(out, asn1.RawValue{FullBytes: c.Raw})
		}
	}
	return out
}

// checkUse refuses certificates that are not for signing documents. ICP-Brasil always states a use; a certificate that
// states none is left to the judgement of who configured it.
func checkUse(c *x509.Certificate) error {
	if c.IsCA {
		return fault.New(fault.CertificateUnsuitable, "the certificate is that of an authority")
	}
	if c.KeyUsage != 0 && c.KeyUsage&(x509.KeyUsageDigitalSignature|x509.KeyUsageContentCommitment) == 0 {
		return fault.New(fault.CertificateUnsuitable, "the certificate's key usage does not include signatures")
	}
	return nil
}
