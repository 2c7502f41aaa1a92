package verify

import (
	"crypto"
	"encoding/asn1"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cms"
)

// xmlProperties are the properties of a XAdES signature that are judged.
type xmlProperties struct {
	at     int32  // SignedProperties
	fault  string // why they cannot be relied on
	time   *time.Time
	certs  []xmlCertID
	naming int // elements that name the certificate
	policy policyClaim
}

// xmlCertID is what a signature says about its certificate.
type xmlCertID struct {
	certID
	name   string // of the issuer, in version 1
	serial *big.Int
	fault  string
}

// readProperties finds the properties in a signature's own objects. It returns nil for a signature that is no XAdES.
func (t *xmlTree) readProperties(s *xmlSignature) *xmlProperties {
	var found []int32
	for _, o := range s.objects {
		for i := range t.elements(o) {
			n := &t.nodes[i]
			name := string(t.text[n.local:n.name])
			if strings.HasPrefix(name, "QualifyingProperties") && strings.HasPrefix(t.spaces[n.space], xadesFamily) {
				found = append(found, i)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	p := &xmlProperties{}
	if len(found) > 1 {
		p.fault = "there are several sets of properties"
		return p
	}
	t.readQualifying(s, found[0], p)
	return p
}

// readQualifying reads the properties and makes sure that they are this signature's (XAdES, sections 4.3 and 4.4).
func (t *xmlTree) readQualifying(s *xmlSignature, i int32, p *xmlProperties) {
	c := t.cursor(i)
	p.at = c.take(xadesSpace, "SignedProperties")
	c.optional(xadesSpace, "UnsignedProperties")
	target, _ := t.attribute(i, "Target")
	switch {
	case !t.is(i, xadesSpace, "QualifyingProperties"):
		p.fault = "this version of XAdES is not known here"
	case !c.done():
		p.fault = "the properties cannot be read"
	case s.id == "" || target != "#"+s.id:
		p.fault = "the properties are those of another signature"
	default:
		t.readSigned(p)
	}
}

// readSigned reads the properties about the signature. Those about what is signed say nothing that is judged here.
func (t *xmlTree) readSigned(p *xmlProperties) {
	c := t.cursor(p.at)
	own, ok := c.optional(xadesSpace, "SignedSignatureProperties")
	c.optional(xadesSpace, "SignedDataObjectProperties")
	if !c.done() {
		p.fault = "the properties cannot be read"
	}
	if !ok {
		return
	}
	for i := range t.elements(own) {
		switch {
		case t.is(i, xadesSpace, "SigningTime"):
			p.time = t.readTime(i)
		case t.is(i, xadesSpace, "SigningCertificate"):
			t.readCertIDs(i, p, t.readIssuerV1)
		case t.is(i, xadesSpace, "SigningCertificateV2"):
			t.readCertIDs(i, p, t.readIssuerV2)
		case t.is(i, xadesSpace, "SignaturePolicyIdentifier"):
			p.policy = t.readPolicy(i, p.policy.present)
		}
	}
}

func (t *xmlTree) readTime(i int32) *time.Time {
	text, err := t.leaf(i)
	if err != nil {
		return nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, text); err == nil {
			return claimed(at)
		}
	}
	return nil
}

// readCertIDs reads the certificates that a signature names. One of them is its own.
func (t *xmlTree) readCertIDs(i int32, p *xmlProperties, issuer func(*xmlCursor, *xmlCertID)) {
	p.naming++
	for k := range t.elements(i) {
		c := t.cursor(k)
		digest := c.take(xadesSpace, "CertDigest")
		if !t.is(k, xadesSpace, "Cert") || !c.expected || len(p.certs) == maxCerts {
			p.certs = append(p.certs[:0], xmlCertID{fault: "what the signature says about its certificate cannot be read"})
			return
		}
		var id xmlCertID
		id.hash, id.value = t.readDigest(digest)
		issuer(c, &id)
		if id.hash == 0 || !c.done() {
			id.fault = "what the signature says about its certificate cannot be read"
		}
		p.certs = append(p.certs, id)
	}
}

// readDigest reads an algorithm and a digest. The algorithm is 0 if they cannot be read.
func (t *xmlTree) readDigest(i int32) (crypto.Hash, []byte) {
	c := t.cursor(i)
	method := c.take(dsigSpace, "DigestMethod")
	value := c.take(dsigSpace, "DigestValue")
	if !c.done() {
		return 0, nil
	}
	algorithm, _ := t.attribute(method, "Algorithm")
	digest, err := t.binary(value)
	if err != nil {
		return 0, nil
	}
	return xmlDigests[algorithm], digest
}

// readIssuerV1 reads the issuer as text, and a number.
func (t *xmlTree) readIssuerV1(c *xmlCursor, id *xmlCertID) {
	in := t.cursor(c.take(xadesSpace, "IssuerSerial"))
	if !c.expected {
		return
	}
	name := in.take(dsigSpace, "X509IssuerName")
	serial := in.take(dsigSpace, "X509SerialNumber")
	if c.expected = in.done(); !c.expected {
		return
	}
	var err1, err2 error
	var digits string
	id.name, err1 = t.leaf(name)
	digits, err2 = t.leaf(serial)
	const longest = 64 // the number of a certificate has 49 digits at the most
	var ok bool
	if len(digits) <= longest {
		id.serial, ok = new(big.Int).SetString(digits, 10)
	}
	c.expected = err1 == nil && err2 == nil && ok
}

// readIssuerV2 reads both in their own encoding, if they are there.
func (t *xmlTree) readIssuerV2(c *xmlCursor, id *xmlCertID) {
	i, ok := c.optional(xadesSpace, "IssuerSerialV2")
	if !ok {
		return
	}
	der, err := t.binary(i)
	if err == nil {
		var rest []byte
		rest, err = asn1.Unmarshal(der, &id.issuer)
		ok = len(rest) == 0 && id.issuer.Serial != nil
	}
	c.expected = c.expected && err == nil && ok
}

// readPolicy reads the policy that a signature names, which it must do once.
func (t *xmlTree) readPolicy(i int32, again bool) policyClaim {
	claim := policyClaim{present: true}
	outer := t.cursor(i)
	c := t.cursor(outer.take(xadesSpace, "SignaturePolicyId"))
	if again || !outer.done() {
		return claim // an implied policy is one that is not named
	}
	id := t.cursor(c.take(xadesSpace, "SigPolicyId"))
	c.optional(dsigSpace, "Transforms")
	hash := c.take(xadesSpace, "SigPolicyHash")
	c.optional(xadesSpace, "SigPolicyQualifiers")
	if !c.done() {
		return claim
	}
	text, err := t.leaf(id.take(xadesSpace, "Identifier"))
	oid, ok := parseURN(text)
	if err != nil || !id.expected || !ok {
		return claim
	}
	algorithm, value := t.readDigest(hash)
	claim.readable, claim.id.ID = true, oid
	if claim.id.Hash.Value = value; algorithm == crypto.SHA256 {
		claim.id.Hash.Algorithm.Algorithm = cms.OIDSHA256
	}
	claim.policy, claim.known = icpbrasil.ByOID(oid)
	return claim
}

// parseURN reads an identifier in the form of RFC 3061.
func parseURN(text string) (asn1.ObjectIdentifier, bool) {
	const scheme = "urn:oid:"
	if len(text) <= len(scheme) || len(text) > maxText || !strings.EqualFold(text[:len(scheme)], scheme) {
		return nil, false
	}
	return parseOID(text[len(scheme):])
}

// parseOID reads numbers with dots between them.
func parseOID(text string) (asn1.ObjectIdentifier, bool) {
	var oid asn1.ObjectIdentifier
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil || n > math.MaxInt32 {
			return nil, false
		}
		oid = append(oid, int(n))
	}
	return slices.Clip(oid), len(oid) > 1
}
