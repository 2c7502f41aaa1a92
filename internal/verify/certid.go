package verify

import (
	"bytes"
	"crypto"
	"encoding/asn1"

	"bulksigner/internal/sign/cms"
)

// certID is what a signature says about its certificate, in either version.
type certID struct {
	hash   crypto.Hash
	value  []byte
	issuer cms.IssuerSerial
}

// signingCertificateV1 is the older attribute: its digests are SHA-1 (RFC 2634, section 5.4).
type signingCertificateV1 struct {
	Certs    []essCertID
	Policies []asn1.RawValue `asn1:"optional"`
}

type essCertID struct {
	CertHash     []byte
	IssuerSerial cms.IssuerSerial `asn1:"optional"`
}

// signingCertificate checks that the signature itself says which certificate is its own. Without that, another
// certificate for the same key can be put in its place.
func (s *subject) signingCertificate() finding {
	if v, ok := s.signed.one(cms.OIDSigningCertificateV2); ok {
		return s.matches(certIDv2(v))
	}
	switch v, ok := s.signed.one(cms.OIDSigningCertificate); {
	case s.signed.has(cms.OIDSigningCertificateV2):
		return fail("the signature names its certificate more than once")
	case ok && s.options.Policy:
		return fail("the signature names its certificate in version 1, which the policy does not allow")
	case ok:
		f := s.matches(certIDv1(v))
		if f.outcome == Passed {
			f.detail = "by a SHA-1 digest, the attribute's version 1"
		}
		return f
	case s.strict || s.options.Policy:
		return fail("the signature does not name its certificate")
	}
	return skipped("the signature does not name its certificate, and plain CMS need not")
}

func certIDv2(v asn1.RawValue) (certID, bool) {
	var sc cms.SigningCertificateV2
	if rest, err := asn1.Unmarshal(v.FullBytes, &sc); err != nil || len(rest) > 0 || len(sc.Certs) == 0 {
		return certID{}, false
	}
	id := certID{crypto.SHA256, sc.Certs[0].CertHash, sc.Certs[0].IssuerSerial}
	if oid := sc.Certs[0].HashAlgorithm.Algorithm; len(oid) > 0 {
		var ok bool
		if id.hash, ok = cms.HashByOID(oid); !ok || id.hash == crypto.SHA1 {
			return certID{}, false
		}
	}
	return id, true
}

func certIDv1(v asn1.RawValue) (certID, bool) {
	var sc signingCertificateV1
	if rest, err := asn1.Unmarshal(v.FullBytes, &sc); err != nil || len(rest) > 0 || len(sc.Certs) == 0 {
		return certID{}, false
	}
	return certID{crypto.SHA1, sc.Certs[0].CertHash, sc.Certs[0].IssuerSerial}, true
}

func (s *subject) matches(id certID, ok bool) finding {
	if !ok {
		return fail("what the signature says about its certificate cannot be read")
	}
	h := id.hash.New()
	h.Write(s.cert.Raw)
	if !bytes.Equal(h.Sum(nil), id.value) {
		return fail("the signature names another certificate, by its hash")
	}
	if id.issuer.Serial == nil {
		return pass("by its hash alone")
	}
	if id.issuer.Serial.Cmp(s.cert.SerialNumber) != 0 || !s.issuedBy(id.issuer.Issuer) {
		return fail("the signature names another certificate, by its issuer and number")
	}
	return pass("")
}

// tagDirectoryName is the tag of the general name that is a distinguished name.
const tagDirectoryName = 4

// issuedBy compares the issuer's name as it is encoded.
func (s *subject) issuedBy(names []asn1.RawValue) bool {
	if len(names) != 1 {
		return false
	}
	n := names[0]
	return n.Class == asn1.ClassContextSpecific && n.Tag == tagDirectoryName && bytes.Equal(n.Bytes, s.cert.RawIssuer)
}
