//go:build pkcs11

package pkcs11

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"math/big"

	"bulksigner/internal/fault"
)

// question is what a token is asked to sign.
type question struct {
	public crypto.PublicKey
	hash   crypto.Hash
	digest []byte
	data   []byte // for C_Sign
}

// digests are the algorithms that keys sign with. Which of them a signature may have is for the policy to say.
var digests = map[crypto.Hash]asn1.ObjectIdentifier{
	crypto.SHA256: {2, 16, 840, 1, 101, 3, 4, 2, 1},
	crypto.SHA384: {2, 16, 840, 1, 101, 3, 4, 2, 2},
	crypto.SHA512: {2, 16, 840, 1, 101, 3, 4, 2, 3},
}

// newQuestion refuses what no key here signs, before any is asked.
func newQuestion(public crypto.PublicKey, digest []byte, opts crypto.SignerOpts) (question, error) {
	if _, pss := opts.(*rsa.PSSOptions); pss {
		return question{}, fault.New(fault.JobKeyRefused, "RSA-PSS is not used in ICP-Brasil")
	}
	h := opts.HashFunc()
	if digests[h] == nil || len(digest) != h.Size() {
		return question{}, fault.New(fault.JobKeyRefused, "%d bytes are no digest of the algorithm %s", len(digest), h)
	}
	q := question{public, h, digest, nil}
	var err error
	switch k := public.(type) {
	case *rsa.PublicKey:
		q.data, err = digestInfo(h, digest)
	case *ecdsa.PublicKey:
		q.data = digest[:min(len(digest), size(k))] // not every token cuts a long digest itself
	}
	return q, err
}

// digestInfo is what PKCS#1 v1.5 signs. The mechanism CKM_RSA_PKCS pads, and does no more.
func digestInfo(h crypto.Hash, digest []byte) ([]byte, error) {
	der, err := asn1.Marshal(struct {
		Algorithm pkix.AlgorithmIdentifier
		Digest    []byte
	}{pkix.AlgorithmIdentifier{Algorithm: digests[h], Parameters: asn1.NullRawValue}, digest})
	if err != nil {
		return nil, fmt.Errorf("encode a digest: %w", err)
	}
	return der, nil
}

// size is the length of a number modulo the order of the curve.
func size(k *ecdsa.PublicKey) int { return (k.Curve.Params().N.BitLen() + 7) / 8 }

// signature takes the answer. A token that signed something else, or with another key, has made a signature that nobody
// can use.
func (q question) signature(raw []byte) ([]byte, error) {
	ok := false
	switch k := q.public.(type) {
	case *rsa.PublicKey:
		ok = rsa.VerifyPKCS1v15(k, q.hash, q.digest, raw) == nil
	case *ecdsa.PublicKey:
		if len(raw) == 2*size(k) {
			var err error
			if raw, err = pair(raw); err != nil {
				return nil, fault.Wrap(fault.JobKeySilent, err, "the token's signature cannot be encoded")
			}
			ok = ecdsa.VerifyASN1(k, q.digest, raw)
		}
	}
	if !ok {
		return nil, fault.New(fault.JobKeySilent, "the token answered %d bytes that are no signature by the certificate's key; it made one of something", len(raw))
	}
	return raw, nil
}

// pair writes r and s, which tokens set side by side, as X.509 has them.
func pair(raw []byte) ([]byte, error) {
	half := len(raw) / 2
	return asn1.Marshal(struct{ R, S *big.Int }{new(big.Int).SetBytes(raw[:half]), new(big.Int).SetBytes(raw[half:])})
}
