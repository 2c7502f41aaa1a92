package verify_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"bulksigner/internal/verify"
)

// Identifiers of XML signatures.
const (
	dsigNS  = ` xmlns:ds="http://www.w3.org/2000/09/xmldsig#"`
	xadesNS = ` xmlns:xades="http://uri.etsi.org/01903/v1.3.2#"`

	excC14N   = "http://www.w3.org/2001/10/xml-exc-c14n#"
	c14n      = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
	enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
	more      = "http://www.w3.org/2001/04/xmldsig-more#"

	xades25    = "2.16.76.1.7.1.6.2.5"
	xades24    = "2.16.76.1.7.1.6.2.4"
	hashXML25  = "68MGt+PxAOyh6mLwiAgyBsbsWsQMOuGNQmlR9lbh7hg="
	hashXML24  = "V1oxev3+Z5tia7oVifHtePiXskTb6LP9K1QE2u1zoV4="
	transform  = `<ds:Transform Algorithm="%s"></ds:Transform>`
	digestTree = `<ds:DigestMethod%s Algorithm="%s"></ds:DigestMethod><ds:DigestValue%s>%s</ds:DigestValue>`
)

var digestURIs = map[crypto.Hash]string{
	crypto.SHA1:   "http://www.w3.org/2000/09/xmldsig#sha1",
	crypto.SHA256: "http://www.w3.org/2001/04/xmlenc#sha256",
	crypto.SHA384: more + "sha384",
	crypto.SHA512: "http://www.w3.org/2001/04/xmlenc#sha512",
}

// xmlMaker makes a signature element; its fields are the knobs. It writes what is signed in the exclusive canonical form
// from the beginning, so that it needs no code that makes one.
type xmlMaker struct {
	key    crypto.Signer
	cert   *x509.Certificate
	others []*x509.Certificate
	hash   crypto.Hash // SHA-256
	id     string      // of the signature, "sig"

	uri        string // "" for the document
	transforms string // enveloped signature and exclusive form
	plain      bool   // no XAdES
	v2         bool   // names the certificate in version 2
	issuer     string // in text; the certificate's
	objects    string // content of the signature's own
	policy     string // its identifier; AD-RB XAdES 2.5

	props func(string) string // before they are signed
	info  func(string) string // before it is signed
	after func(string) string // on the whole signature
}

func b64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// replace makes a knob that replaces one text.
func replace(from, to string) func(string) string {
	return func(s string) string {
		if !strings.Contains(s, from) {
			panic("nothing to replace: " + from)
		}
		return strings.Replace(s, from, to, 1)
	}
}

func apply(f func(string) string, s string) string {
	if f == nil {
		return s
	}
	return f(s)
}

// sign makes a signature over content in its canonical form.
func (m xmlMaker) sign(t testing.TB, content string) string {
	t.Helper()
	if m.hash == 0 {
		m.hash = crypto.SHA256
	}
	if m.id == "" {
		m.id = "sig"
	}
	if m.transforms == "" {
		m.transforms = fmt.Sprintf(transform+transform, enveloped, excC14N)
	}
	props := ""
	references := m.referTo(fmt.Sprintf(` URI="%s"`, m.uri), m.transforms, content)
	if !m.plain {
		props = apply(m.props, m.properties())
		references += m.referTo(` Type="http://uri.etsi.org/01903#SignedProperties" URI="#props-`+m.id+`"`, fmt.Sprintf(transform, excC14N), props)
	}
	info := apply(m.info, `<ds:SignedInfo`+dsigNS+`><ds:CanonicalizationMethod Algorithm="`+excC14N+`"></ds:CanonicalizationMethod>`+
		`<ds:SignatureMethod Algorithm="`+m.method()+`"></ds:SignatureMethod>`+references+`</ds:SignedInfo>`)
	return apply(m.after, m.element(info, b64(m.value(t, info)), props))
}

func (m xmlMaker) referTo(attributes, transforms, content string) string {
	return `<ds:Reference` + attributes + `><ds:Transforms>` + transforms + `</ds:Transforms>` +
		fmt.Sprintf(digestTree, "", digestURIs[m.hash], "", b64(sum(m.hash, []byte(content)))) + `</ds:Reference>`
}

func (m xmlMaker) element(info, value, props string) string {
	certs := ""
	for _, c := range append([]*x509.Certificate{m.cert}, m.others...) {
		certs += "<ds:X509Certificate>\n" + b64(c.Raw) + "\n</ds:X509Certificate>"
	}
	out := `<ds:Signature` + dsigNS + ` Id="` + m.id + `">` + info + `<ds:SignatureValue Id="value-` + m.id + `">` + value + `</ds:SignatureValue>` +
		`<ds:KeyInfo><ds:X509Data>` + certs + `</ds:X509Data></ds:KeyInfo>` + m.objects
	if props != "" {
		out += `<ds:Object><xades:QualifyingProperties` + xadesNS + ` Target="#` + m.id + `">` + props + `</xades:QualifyingProperties></ds:Object>`
	}
	return out + `</ds:Signature>`
}

func (m xmlMaker) method() string {
	kind := "rsa"
	if _, ok := m.key.(*ecdsa.PrivateKey); ok {
		kind = "ecdsa"
	}
	if m.hash == crypto.SHA1 {
		return "http://www.w3.org/2000/09/xmldsig#" + kind + "-sha1"
	}
	return fmt.Sprintf("%s%s-sha%d", more, kind, 8*m.hash.Size())
}

// value signs; of ECDSA it writes the two numbers one after the other.
func (m xmlMaker) value(t testing.TB, info string) []byte {
	t.Helper()
	value, err := m.key.Sign(rand.Reader, sum(m.hash, []byte(info)), m.hash)
	if err != nil {
		t.Fatal(err)
	}
	key, ok := m.key.(*ecdsa.PrivateKey)
	if !ok {
		return value
	}
	var pair struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(value, &pair); err != nil {
		t.Fatal(err)
	}
	n := (key.Params().BitSize + 7) / 8
	return append(pair.R.FillBytes(make([]byte, n)), pair.S.FillBytes(make([]byte, n))...)
}

func (m xmlMaker) properties() string {
	tag, issuer := "SigningCertificate", m.issuerV1()
	if m.v2 {
		der := seq(seq(tlv(0xA4, m.cert.RawIssuer)), integer(m.cert.SerialNumber))
		tag, issuer = "SigningCertificateV2", `<xades:IssuerSerialV2>`+b64(der)+`</xades:IssuerSerialV2>`
	}
	digest := fmt.Sprintf(digestTree, dsigNS, digestURIs[crypto.SHA256], dsigNS, b64(sum(crypto.SHA256, m.cert.Raw)))
	return `<xades:SignedProperties` + xadesNS + ` Id="props-` + m.id + `"><xades:SignedSignatureProperties>` +
		`<xades:SigningTime>2026-11-29T09:00:00-03:00</xades:SigningTime>` +
		`<xades:` + tag + `><xades:Cert><xades:CertDigest>` + digest + `</xades:CertDigest>` + issuer + `</xades:Cert></xades:` + tag + `>` +
		m.policyID() + `</xades:SignedSignatureProperties></xades:SignedProperties>`
}

func (m xmlMaker) issuerV1() string {
	name := m.issuer
	if name == "" {
		name = m.cert.Issuer.String()
	}
	return `<xades:IssuerSerial><ds:X509IssuerName` + dsigNS + `>` + name + `</ds:X509IssuerName><ds:X509SerialNumber` + dsigNS + `>` +
		m.cert.SerialNumber.String() + `</ds:X509SerialNumber></xades:IssuerSerial>`
}

func (m xmlMaker) policyID() string {
	oid, hash := m.policy, hashXML25
	switch oid {
	case "":
		oid = xades25
	case xades24:
		hash = hashXML24
	case "none":
		return ""
	}
	return `<xades:SignaturePolicyIdentifier><xades:SignaturePolicyId><xades:SigPolicyId><xades:Identifier Qualifier="OIDAsURN">urn:oid:` + oid +
		`</xades:Identifier></xades:SigPolicyId><xades:SigPolicyHash>` +
		fmt.Sprintf(digestTree, dsigNS, digestURIs[crypto.SHA256], dsigNS, hash) + `</xades:SigPolicyHash></xades:SignaturePolicyId></xades:SignaturePolicyIdentifier>`
}

// goodXML makes a signature by Maria with which nothing is wrong.
func (p people) goodXML() xmlMaker { return xmlMaker{key: p.key, cert: p.maria, others: p.pki.Chain} }

// A document, in the canonical form, around the place where a signature goes.
const (
	xmlHead = `<doc xmlns="urn:doc"><item Id="part" price="17">content</item>`
	xmlTail = `</doc>`
	xmlPart = `<item xmlns="urn:doc" Id="part" price="17">content</item>` // alone
)

// signedXML is the document with a signature in it.
func signedXML(t testing.TB, m xmlMaker) string {
	t.Helper()
	content := xmlHead + xmlTail
	if m.uri != "" {
		content = xmlPart
	}
	return xmlHead + m.sign(t, content) + xmlTail
}

// enveloping is a signature that contains what it signs.
func enveloping(t testing.TB, m xmlMaker) string {
	t.Helper()
	m.uri, m.transforms = "#object", fmt.Sprintf(transform, excC14N)
	object := `<ds:Object` + dsigNS + ` Id="object">content</ds:Object>`
	m.objects = object
	return m.sign(t, object)
}

// judgeXML verifies a document that must be readable.
func judgeXML(t testing.TB, document string, o verify.Options) verify.Report {
	t.Helper()
	r, err := verify.XML([]byte(document), o)
	if err != nil {
		t.Fatalf("XML = %v", err)
	}
	return r
}
