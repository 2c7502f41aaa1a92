package cades

import (
	"bytes"
	"crypto"
	"encoding/asn1"
	"fmt"
	"hash"
	"slices"

	"bulksigner/internal/sign/cms"
)

// envelope is a SignedData in its encoded pieces, but for the content and the signature that is still to come.
type envelope struct {
	signer       *cms.Signer
	contentType  string // an encoded OBJECT IDENTIFIER
	size         int64  // of the content
	detached     bool
	algorithms   [][]byte // of the digests
	certificates [][]byte
	revocations  [][]byte // what the field crls holds
	signers      [][]byte
}

// announce adds what the message says about the signer besides the signature: the digest algorithm and the certificates,
// where they are not there yet.
func (e *envelope) announce() error {
	for _, c := range e.signer.Certificates() {
		if !slices.ContainsFunc(e.certificates, func(b []byte) bool { return bytes.Equal(b, c.FullBytes) }) {
			e.certificates = append(e.certificates, c.FullBytes)
		}
	}
	for _, id := range e.signer.DigestAlgorithms() {
		der, err := asn1.Marshal(id)
		if err != nil {
			return fmt.Errorf("encode a digest algorithm: %w", err)
		}
		known, err := hasAlgorithm(e.algorithms, der)
		if err != nil {
			return err
		}
		if !known {
			e.algorithms = append(e.algorithms, der)
		}
	}
	return nil
}

// hasAlgorithm compares identifiers without their parameters, which some leave out and others write as NULL.
func hasAlgorithm(algorithms [][]byte, der []byte) (bool, error) {
	want, err := firstIn(der)
	if err != nil {
		return false, err
	}
	for _, a := range algorithms {
		got, err := firstIn(a)
		if err != nil {
			return false, err
		}
		if bytes.Equal(got, want) {
			return true, nil
		}
	}
	return false, nil
}

func (e *envelope) sign(content hash.Hash, key crypto.Signer) (Parts, error) {
	info, err := e.signer.SignerInfo(key, content.Sum(nil))
	if err != nil {
		return Parts{}, err
	}
	der, err := asn1.Marshal(info)
	if err != nil {
		return Parts{}, fmt.Errorf("encode the signature: %w", err)
	}
	signers := slices.Clone(e.signers)
	// A key that always answers the same, asked again over the same content, has nothing new to say.
	if !slices.ContainsFunc(signers, func(b []byte) bool { return bytes.Equal(b, der) }) {
		signers = append(signers, der)
	}
	return e.encode(signers)
}

// encode writes all around the content. Lengths are known because the size of the content is.
func (e *envelope) encode(signers [][]byte) (Parts, error) {
	version, err := e.version(signers)
	if err != nil {
		return Parts{}, err
	}
	front := append([]byte{tagInteger, 1, version}, set(tagSet, e.algorithms)...)
	back := e.back(signers)
	if e.detached {
		inside := slices.Concat(front, wrap(tagSequence, []byte(e.contentType)), back)
		return Parts{Trailer: outside(inside, 0)}, nil
	}
	content := prefix(tagOctets, e.size)
	content = append(prefix(tag0, int64(len(content))+e.size), content...)
	content = append([]byte(e.contentType), content...)
	content = append(prefix(tagSequence, int64(len(content))+e.size), content...)
	return Parts{Header: outside(append(front, content...), e.size+int64(len(back))), Trailer: back}, nil
}

// back is what follows the content.
func (e *envelope) back(signers [][]byte) []byte {
	out := set(tag0, e.certificates)
	if len(e.revocations) > 0 {
		out = append(out, set(tag1, e.revocations)...)
	}
	return append(out, set(tagSet, signers)...)
}

// outside puts the outermost shapes around what is given, which so many bytes will follow.
func outside(inside []byte, follow int64) []byte {
	inside = append(prefix(tagSequence, int64(len(inside))+follow), inside...)
	inside = append(prefix(tag0, int64(len(inside))+follow), inside...)
	inside = append([]byte(oidSignedData), inside...)
	return append(prefix(tagSequence, int64(len(inside))+follow), inside...)
}

// version is what the other pieces make it (RFC 5652, section 5.1).
func (e *envelope) version(signers [][]byte) (byte, error) {
	certificates := choice(e.certificates)
	switch {
	case certificates == tag3, choice(e.revocations) != 0: // of a kind that the standard leaves to others
		return 5, nil
	case certificates == tag2: // attribute certificates
		return 4, nil
	case certificates == tag1, e.contentType != oidData: // attribute certificates of the first version
		return 3, nil
	}
	for _, s := range signers {
		version, err := firstIn(s)
		if err != nil {
			return 0, err
		}
		if version[len(version)-1] == 3 { // the signer is named by a key identifier
			return 3, nil
		}
	}
	return 1, nil
}

// choice is the highest tag of those elements that are not of the usual kind, a certificate or a revocation list. It is 0
// if all are.
func choice(elements [][]byte) (highest byte) {
	for _, b := range elements {
		if b[0] != tagSequence {
			highest = max(highest, b[0])
		}
	}
	return highest
}
