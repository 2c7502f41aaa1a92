package verify_test

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tlv encodes one DER value by hand. The tests make their messages this way so that they share no code with what reads
// them, and so that they can make wrong ones.
func tlv(tag byte, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	head := []byte{tag}
	if len(body) < 0x80 {
		return append(append(head, byte(len(body))), body...)
	}
	length := new(big.Int).SetInt64(int64(len(body))).Bytes()
	return slices.Concat(head, []byte{0x80 | byte(len(length))}, length, body)
}

func seq(parts ...[]byte) []byte { return tlv(0x30, parts...) }

func oid(dotted string) []byte {
	var id asn1.ObjectIdentifier
	for part := range strings.SplitSeq(dotted, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			panic(err)
		}
		id = append(id, n)
	}
	der, err := asn1.Marshal(id)
	if err != nil {
		panic(err)
	}
	return der
}

func integer(n *big.Int) []byte {
	der, err := asn1.Marshal(n)
	if err != nil {
		panic(err)
	}
	return der
}

func octets(b []byte) []byte { return tlv(0x04, b) }

func attribute(id string, value []byte) []byte { return seq(oid(id), tlv(0x31, value)) }

// Identifiers, in the order in which a message has them.
const (
	idSignedData  = "1.2.840.113549.1.7.2"
	idData        = "1.2.840.113549.1.7.1"
	idContentType = "1.2.840.113549.1.9.3"
	idDigest      = "1.2.840.113549.1.9.4"
	idSigningTime = "1.2.840.113549.1.9.5"
	idCertV1      = "1.2.840.113549.1.9.16.2.12"
	idCertV2      = "1.2.840.113549.1.9.16.2.47"
	idTimestamp   = "1.2.840.113549.1.9.16.2.14"
	idPolicy      = "1.2.840.113549.1.9.16.2.15"
	idArchival    = "1.2.840.113583.1.1.8"

	idSHA1   = "1.3.14.3.2.26"
	idSHA256 = "2.16.840.1.101.3.4.2.1"
	idSHA384 = "2.16.840.1.101.3.4.2.2"
	idSHA512 = "2.16.840.1.101.3.4.2.3"
	idRSA    = "1.2.840.113549.1.1.1"
	idPSS    = "1.2.840.113549.1.1.10"
	idMGF1   = "1.2.840.113549.1.1.8"
)

var hashIDs = map[crypto.Hash]string{crypto.SHA1: idSHA1, crypto.SHA256: idSHA256, crypto.SHA384: idSHA384, crypto.SHA512: idSHA512}

// maker makes a message; its fields are the knobs. The zero value of each is what a good signature has.
type maker struct {
	key    crypto.Signer
	cert   *x509.Certificate
	others []*x509.Certificate

	hash       crypto.Hash // SHA-256
	algorithm  string      // of the signature; rsaEncryption
	pss        bool
	policy     string // its identifier; AD-RB PAdES 1.3
	policyHash []byte
	noPolicy   bool
	certHash   []byte // what the attribute says; the certificate's
	serial     *big.Int
	idV1       bool     // names the certificate in version 1
	noID       bool     // does not name it
	extra      [][]byte // more signed attributes
	unsigned   [][]byte
	reversed   bool   // signed attributes in the wrong order, hashed as they stand
	plain      bool   // no signed attributes
	attached   bool   // content inside
	orphan     bool   // the signer's certificate is left out
	keyID      bool   // names the signer by key identifier
	signers    int    // 1
	over       []byte // signs this in place of the content
	after      func(der []byte) []byte
}

func sum(h crypto.Hash, b []byte) []byte {
	w := h.New()
	w.Write(b)
	return w.Sum(nil)
}

func algorithmID(id string) []byte { return seq(oid(id)) }

// make signs content.
func (m maker) make(t testing.TB, content []byte) []byte {
	t.Helper()
	if m.hash == 0 {
		m.hash = crypto.SHA256
	}
	info := m.signer(t, content)
	infos := slices.Repeat([][]byte{info}, max(1, m.signers))
	encap := seq(oid(idData))
	if m.attached {
		encap = seq(oid(idData), tlv(0xA0, octets(content)))
	}
	var certs []byte
	if !m.orphan {
		certs = m.cert.Raw
	}
	for _, c := range m.others {
		certs = append(slices.Clip(certs), c.Raw...)
	}
	der := seq(oid(idSignedData), tlv(0xA0, seq(
		[]byte{2, 1, 1},
		tlv(0x31, algorithmID(hashIDs[m.hash])),
		encap,
		tlv(0xA0, certs),
		tlv(0x31, infos...),
	)))
	if m.after != nil {
		der = m.after(der)
	}
	return der
}

func (m maker) signer(t testing.TB, content []byte) []byte {
	t.Helper()
	if m.over != nil {
		content = m.over
	}
	sid, version := seq(m.cert.RawIssuer, integer(m.cert.SerialNumber)), []byte{2, 1, 1}
	if m.keyID {
		sid, version = tlv(0x80, m.cert.SubjectKeyId), []byte{2, 1, 3}
	}
	attrs := m.attributes(content)
	slices.SortFunc(attrs, bytes.Compare)
	if m.reversed {
		slices.Reverse(attrs)
	}
	parts := [][]byte{version, sid, algorithmID(hashIDs[m.hash])}
	signed := content
	if !m.plain {
		signed = tlv(0x31, attrs...)
		parts = append(parts, tlv(0xA0, attrs...))
	}
	parts = append(parts, m.signatureAlgorithm(), octets(m.sign(t, signed)))
	if len(m.unsigned) > 0 {
		parts = append(parts, tlv(0xA1, m.unsigned...))
	}
	return seq(parts...)
}

func (m maker) sign(t testing.TB, signed []byte) []byte {
	t.Helper()
	if _, ok := m.key.(ed25519.PrivateKey); ok {
		signature, err := m.key.Sign(rand.Reader, signed, crypto.Hash(0))
		if err != nil {
			t.Fatal(err)
		}
		return signature
	}
	var opts crypto.SignerOpts = m.hash
	if m.pss {
		opts = &rsa.PSSOptions{SaltLength: m.hash.Size(), Hash: m.hash}
	}
	signature, err := m.key.Sign(rand.Reader, sum(m.hash, signed), opts)
	if err != nil {
		t.Fatal(err)
	}
	return signature
}

func (m maker) signatureAlgorithm() []byte {
	hash := algorithmID(hashIDs[m.hash])
	switch {
	case m.pss:
		return seq(oid(idPSS), seq(tlv(0xA0, hash), tlv(0xA1, seq(oid(idMGF1), hash)),
			tlv(0xA2, integer(big.NewInt(int64(m.hash.Size()))))))
	case m.algorithm != "":
		return algorithmID(m.algorithm)
	}
	return seq(oid(idRSA), []byte{5, 0})
}

func (m maker) attributes(content []byte) [][]byte {
	attrs := [][]byte{
		attribute(idContentType, oid(idData)),
		attribute(idDigest, octets(sum(m.hash, content))),
	}
	if !m.noID {
		attrs = append(attrs, m.certID())
	}
	if !m.noPolicy {
		attrs = append(attrs, m.policyID())
	}
	return append(attrs, m.extra...)
}

func (m maker) certID() []byte {
	serial := m.serial
	if serial == nil {
		serial = m.cert.SerialNumber
	}
	issuer := seq(seq(tlv(0xA4, m.cert.RawIssuer)), integer(serial))
	id, h := idCertV2, crypto.SHA256
	if m.idV1 {
		id, h = idCertV1, crypto.SHA1
	}
	value := m.certHash
	if value == nil {
		value = sum(h, m.cert.Raw)
	}
	return attribute(id, seq(seq(seq(octets(value), issuer))))
}

// Policies: the current one, the one before it, and their hashes.
const (
	policy13 = "2.16.76.1.7.1.11.1.3"
	policy11 = "2.16.76.1.7.1.11.1.1"
	cades24  = "2.16.76.1.7.1.1.2.4"

	hash13 = "23e4be4b9b362172e4ebb0e72b86a133ece5aad843d8651c6e38a0ba3f08fc60"
	hash11 = "44fc5816eb2d705d8c8f022a7f93b3fb49edfae1a7b9149ef6fab833e9bb63f8"
	hash24 = "1f3c904c44c392feef447e21faa7a04e85d9c0153346320f557b7042af5dcf13"
)

var policyHashes = map[string]string{policy13: hash13, policy11: hash11, cades24: hash24}

func (m maker) policyID() []byte {
	id := m.policy
	if id == "" {
		id = policy13
	}
	value := m.policyHash
	if value == nil {
		if _, err := fmt.Sscanf(policyHashes[id]+" ", "%x", &value); err != nil {
			value = make([]byte, 32)
		}
	}
	return attribute(idPolicy, seq(oid(id), seq(algorithmID(idSHA256), octets(value))))
}
