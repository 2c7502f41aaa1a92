package verify

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"slices"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cms"
)

// origin is where a message was found, as far as its checks need to know.
type origin struct {
	form             icpbrasil.Form
	strict           bool     // the format demands the attributes of an advanced signature
	detached         bool     // the content must be outside of the message
	padded           bool     // zeros may follow the message
	forbiddenEntries []string // that were found beside the message
	attributed       bool     // signed attributes are demanded, though not those of an advanced signature
	note             string   // what there is to say about a message that can be read
	limits           limits
}

// limits are those on a message.
type limits struct{ bytes, certs, signers int }

// Limits on a message that is a signature of one document, and on one that is a file of its own. A file may be as large
// as a message that sign adds a signature to, and what it adds.
var (
	inDocument = limits{maxCMS, maxCerts, maxSignatures}
	inFile     = limits{maxBesides, 1100, 1100}
)

// judge judges the signatures of one file.
type judge struct {
	options   Options
	digests   *digester
	signers   int // judged so far
	badChains int // found so far
}

// judged is a signature with the signer's certificate, if that could be read.
type judged struct {
	Signature
	cert *x509.Certificate
}

// message is a CMS message with the certificates in it.
type message struct {
	data  cms.SignedData
	certs []*x509.Certificate
}

// digestFunc hashes what a message signs. It returns errNoContent or errTooMuch if that cannot be known.
type digestFunc func(crypto.Hash) ([]byte, error)

// message judges every signer of a message. base holds what is known already, and is all if the message is unreadable.
func (j *judge) message(base Signature, der []byte, o origin, digest digestFunc) ([]judged, error) {
	m, err := parseMessage(der, o)
	if err != nil {
		base.add(Message, fail("%s", err))
		return []judged{{Signature: base}}, nil
	}
	return j.each(base, m, o, digest)
}

// each judges every signer of a message that was read.
func (j *judge) each(base Signature, m message, o origin, digest digestFunc) ([]judged, error) {
	if j.signers += len(m.data.SignerInfos); j.signers > o.limits.signers {
		base.add(Message, fail("%s", errCrowd))
		return []judged{{Signature: base}}, nil
	}
	var out []judged
	for _, info := range m.data.SignerInfos {
		s := judged{Signature: base}
		s.Checks = slices.Clone(base.Checks)
		if err := j.signer(&s, m, info, o, digest); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// Why a message cannot be read. The texts go into a report.
var (
	errTooLong  = errors.New("the message is longer than 1 MiB")
	errBER      = errors.New("the message is in BER with indefinite lengths; only DER is read here")
	errASN1     = errors.New("the message is not well-formed DER")
	errTrailing = errors.New("something follows the message")
	errType     = errors.New("the message is not SignedData")
	errAttached = errors.New("the message contains content of its own, which must be outside")
	errCerts    = errors.New("the message has too many certificates")
	errNobody   = errors.New("the message has no signer")
	errCrowd    = errors.New("the file has too many signers")
)

// indefinite is the length octet that BER has and DER has not.
const indefinite = 0x80

func parseMessage(der []byte, o origin) (message, error) {
	if len(der) > 1 && der[1] == indefinite {
		return message{}, errBER
	}
	var info cms.ContentInfo
	rest, err := asn1.Unmarshal(der, &info)
	switch {
	case err != nil:
		return message{}, errASN1
	case len(der)-len(rest) > o.limits.bytes:
		return message{}, errTooLong
	case len(rest) > 0 && (!o.padded || len(bytes.TrimLeft(rest, "\x00")) > 0):
		return message{}, errTrailing
	case !info.ContentType.Equal(cms.OIDSignedData):
		return message{}, errType
	}
	var m message
	if rest, err := asn1.Unmarshal(info.Content.Bytes, &m.data); err != nil || len(rest) > 0 {
		return message{}, errASN1
	}
	return m, m.check(o)
}

func (m *message) check(o origin) error {
	switch {
	case o.detached && len(m.data.EncapContentInfo.Content.FullBytes) > 0:
		return errAttached
	case len(m.data.Certificates) > o.limits.certs:
		return errCerts
	case len(m.data.SignerInfos) == 0:
		return errNobody
	}
	for _, raw := range m.data.Certificates {
		// Attribute certificates and what cannot be read are left out: only the signer's is indispensable.
		if cert, err := x509.ParseCertificate(raw.FullBytes); err == nil && usable(cert) {
			m.certs = append(m.certs, cert)
		}
	}
	return nil
}

// usable keeps keys out that would take seconds to try.
func usable(cert *x509.Certificate) bool {
	key, ok := cert.PublicKey.(*rsa.PublicKey)
	return !ok || key.N.BitLen() <= maxRSABits
}

// tagKeyID is the tag of a signer identifier that is a key identifier.
const tagKeyID = 0

// signerOf finds the certificate that a signer names. Names are compared as they are encoded.
func (m *message) signerOf(info cms.SignerInfo) *x509.Certificate {
	sid := info.SID
	if sid.Class == asn1.ClassContextSpecific && sid.Tag == tagKeyID {
		return m.find(func(c *x509.Certificate) bool {
			return len(sid.Bytes) > 0 && bytes.Equal(c.SubjectKeyId, sid.Bytes)
		})
	}
	var id cms.IssuerAndSerial
	if rest, err := asn1.Unmarshal(sid.FullBytes, &id); err != nil || len(rest) > 0 || id.Serial == nil {
		return nil
	}
	return m.find(func(c *x509.Certificate) bool {
		return bytes.Equal(c.RawIssuer, id.Issuer.FullBytes) && c.SerialNumber.Cmp(id.Serial) == 0
	})
}

func (m *message) find(match func(*x509.Certificate) bool) *x509.Certificate {
	if i := slices.IndexFunc(m.certs, match); i >= 0 {
		return m.certs[i]
	}
	return nil
}
