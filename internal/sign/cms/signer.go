package cms

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"

	"bulksigner/internal/fault"
)

// SignerInfo asks the key for a signature over content that is known by its digest. It returns
// fault.CertificateMismatch, and no signature, if the key is not the certificate's.
//
// It stands alone so that it can be added to a SignedData that others have signed.
func (s *Signer) SignerInfo(key crypto.Signer, digest []byte) (SignerInfo, error) {
	if len(digest) != s.Hash().Size() {
		return SignerInfo{}, fmt.Errorf("a %s digest has %d bytes, not %d", s.Hash(), s.Hash().Size(), len(digest))
	}
	attrs, err := s.attributes(digest)
	if err != nil {
		return SignerInfo{}, err
	}
	if s.isOther(key.Public()) {
		return SignerInfo{}, fault.New(fault.CertificateMismatch, "the key is not the one in the certificate")
	}
	h := s.Hash().New()
	h.Write(attrs)
	sum := h.Sum(nil)
	value, err := key.Sign(rand.Reader, sum, s.Hash())
	if err != nil {
		return SignerInfo{}, fmt.Errorf("ask the key: %w", err)
	}
	if !s.algorithm.verify(sum, value) {
		return SignerInfo{}, fault.New(fault.CertificateMismatch, "the key's signature does not fit the certificate")
	}
	return s.info(attrs, value), nil
}

// isOther spares a key the question if it already says that it is another one. A key that does not say is asked: its
// signature tells.
func (s *Signer) isOther(public crypto.PublicKey) bool {
	own, ok := s.certificate.PublicKey.(interface{ Equal(crypto.PublicKey) bool })
	return ok && public != nil && !own.Equal(public)
}

func (s *Signer) info(attrs, value []byte) SignerInfo {
	implicit := bytes.Clone(attrs)
	implicit[0] = 0xA0 // what is signed under the tag of a SET stands in the message under the context tag 0
	return SignerInfo{
		Version:            1,
		SID:                s.sid,
		DigestAlgorithm:    s.digestAlgorithm(),
		SignedAttrs:        asn1.RawValue{FullBytes: implicit},
		SignatureAlgorithm: s.algorithm.id,
		Signature:          value,
	}
}

// DigestAlgorithms is what a SignedData with this signer alone announces.
func (s *Signer) DigestAlgorithms() []pkix.AlgorithmIdentifier {
	return []pkix.AlgorithmIdentifier{s.digestAlgorithm()}
}

// digestAlgorithm has no parameters, as ICP-Brasil recommends.
func (s *Signer) digestAlgorithm() pkix.AlgorithmIdentifier {
	return pkix.AlgorithmIdentifier{Algorithm: digestOIDs[s.Hash()]}
}
