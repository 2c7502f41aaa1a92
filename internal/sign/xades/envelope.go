package xades

import (
	"crypto"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"strings"
	"time"

	"bulksigner/internal/sign/xades/markup"
)

// Namespaces of what is written here.
const (
	spaceDSig  = "http://www.w3.org/2000/09/xmldsig#"
	spaceXAdES = "http://uri.etsi.org/01903/v1.3.2#"
)

// Algorithms and types, by name.
const (
	exclusive        = "http://www.w3.org/2001/10/xml-exc-c14n#"
	enveloped        = spaceDSig + "enveloped-signature"
	signedProperties = "http://uri.etsi.org/01903#SignedProperties"
)

// envelopeDepth is how deep the elements of a signature are nested: the address of the policy is the tenth.
const envelopeDepth = 10

// envelope is a signature element in two halves, between which the signature value goes.
type envelope struct {
	digest        []byte // of SignedInfo
	before, after string
}

// newEnvelope writes the signature. Its parts are digested as whoever verifies them will find them: through the
// canonical form of the finished text, not through a text that is meant to be equal to it.
func newEnvelope(o *Options, s *survey, alg algorithm, certificates []asn1.RawValue) (*envelope, error) {
	id := s.freeID(o)
	properties, err := o.properties(id)
	if err != nil {
		return nil, err
	}
	object := element("ds:Object", element(`xades:QualifyingProperties xmlns:xades="`+spaceXAdES+`" Target="#`+string(id)+`"`, properties))
	sum, err := digestPart(id.wrap(object), "xades:SignedProperties", o.Hash)
	if err != nil {
		return nil, err
	}
	info := element("ds:SignedInfo",
		method("ds:CanonicalizationMethod", exclusive),
		method("ds:SignatureMethod", alg.uri),
		reference(`Id="`+id.reference()+`" URI="`+s.uri()+`"`, o.Hash, s.digest, enveloped, exclusive),
		reference(`Type="`+signedProperties+`" URI="#`+id.properties()+`"`, o.Hash, sum, exclusive))
	e := &envelope{}
	if e.digest, err = digestPart(id.wrap(info), "ds:SignedInfo", o.Hash); err != nil {
		return nil, err
	}
	e.before, e.after, _ = strings.Cut(id.wrap(info, element("ds:SignatureValue", gap), keyInfo(certificates), object), gap)
	return e, nil
}

// gap marks where the value goes. Nothing else in a signature can contain it.
const gap = "<>"

// signatureID is the identifier of a signature, from which those of its parts are made.
type signatureID string

func (id signatureID) reference() string  { return string(id) + "-reference" }
func (id signatureID) properties() string { return string(id) + "-properties" }

// wrap puts contents into a signature element. It declares ds for all of them, whatever the document means by ds.
func (id signatureID) wrap(content ...string) string {
	return element(`ds:Signature xmlns:ds="`+spaceDSig+`" Id="`+string(id)+`"`, content...)
}

// properties writes what AD-RB demands to be signed beside the document, and what it recommends.
func (o *Options) properties(id signatureID) (string, error) {
	certificate, err := o.signingCertificate()
	if err != nil {
		return "", err
	}
	return element(`xades:SignedProperties Id="`+id.properties()+`"`,
		element("xades:SignedSignatureProperties", o.signingTime(), certificate, o.policyIdentifier()),
		element("xades:SignedDataObjectProperties",
			element(`xades:DataObjectFormat ObjectReference="#`+id.reference()+`"`,
				element("xades:MimeType", "text/xml")))), nil
}

func (o *Options) signingTime() string {
	if o.Time.IsZero() {
		return ""
	}
	return element("xades:SigningTime", o.Time.UTC().Format(time.RFC3339))
}

// signingCertificate is of the first version: the policies name no other. The digest is SHA-256 whatever the signature
// uses.
func (o *Options) signingCertificate() (string, error) {
	issuer, err := issuerName(o.Certificate)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(o.Certificate.Raw)
	return element("xades:SigningCertificate", element("xades:Cert",
		element("xades:CertDigest", digest(crypto.SHA256, sum[:])),
		element("xades:IssuerSerial",
			element("ds:X509IssuerName", escape(issuer)),
			element("ds:X509SerialNumber", o.Certificate.SerialNumber.String())))), nil
}

// policyIdentifier names the policy by its own hash, which is taken over its canonical form with comments, and gives its
// address once.
func (o *Options) policyIdentifier() string {
	return element("xades:SignaturePolicyIdentifier", element("xades:SignaturePolicyId",
		element("xades:SigPolicyId",
			element(`xades:Identifier Qualifier="OIDAsURN"`, "urn:oid:"+o.Policy.OID.String())),
		transforms(exclusive+"WithComments"),
		element("xades:SigPolicyHash", digest(crypto.SHA256, o.Policy.Hash)),
		element("xades:SigPolicyQualifiers", element("xades:SigPolicyQualifier",
			element("xades:SPURI", escape(o.Policy.URI))))))
}

func keyInfo(certificates []asn1.RawValue) string {
	var all []string
	for _, c := range certificates {
		all = append(all, element("ds:X509Certificate", base64.StdEncoding.EncodeToString(c.FullBytes)))
	}
	return element("ds:KeyInfo", element("ds:X509Data", all...))
}

func reference(attributes string, h crypto.Hash, sum []byte, algorithms ...string) string {
	return element("ds:Reference "+attributes, transforms(algorithms...), digest(h, sum))
}

func transforms(algorithms ...string) string {
	var all []string
	for _, a := range algorithms {
		all = append(all, method("ds:Transform", a))
	}
	return element("ds:Transforms", all...)
}

func digest(h crypto.Hash, sum []byte) string {
	return method("ds:DigestMethod", digestURIs[h]) + element("ds:DigestValue", base64.StdEncoding.EncodeToString(sum))
}

func method(name, algorithm string) string { return element(name + ` Algorithm="` + algorithm + `"`) }

// element writes an element, of which tag is the start tag without brackets. Its content is markup already.
func element(tag string, content ...string) string {
	name, _, _ := strings.Cut(tag, " ")
	return "<" + tag + ">" + strings.Join(content, "") + "</" + name + ">"
}

// escape writes text as markup.
func escape(s string) string { return escapes.Replace(s) }

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// digestPart digests the canonical form of one element of a text.
func digestPart(text, name string, h crypto.Hash) ([]byte, error) {
	sum := h.New()
	p := &namedPart{part: part{form: markup.NewCanonicalizer(sum)}, name: name}
	if err := (markup.Source{Text: text}).Parse(p); err != nil {
		return nil, err
	}
	if err := p.form.Flush(); err != nil {
		return nil, err
	}
	return sum.Sum(nil), nil
}
