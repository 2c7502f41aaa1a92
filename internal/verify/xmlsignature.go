package verify

import (
	"crypto"
	"crypto/x509"
	"errors"
	"strings"
)

// Namespaces and identifiers of XML signatures.
const (
	dsigSpace  = "http://www.w3.org/2000/09/xmldsig#"
	xadesSpace = "http://uri.etsi.org/01903/v1.3.2#"
	// xadesFamily begins the namespaces of all versions of XAdES.
	xadesFamily = "http://uri.etsi.org/01903/"

	propertiesType = "http://uri.etsi.org/01903#SignedProperties"

	methodC14N      = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
	methodExclusive = "http://www.w3.org/2001/10/xml-exc-c14n#"
	withComments    = "WithComments"

	methodEnveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
	methodXPath     = "http://www.w3.org/TR/1999/REC-xpath-19991116"
)

// maxReferences is how many parts one signature may sign.
const maxReferences = 64

// xmlDigests are the digest algorithms that are known here.
var xmlDigests = map[string]crypto.Hash{
	"http://www.w3.org/2000/09/xmldsig#sha1":        crypto.SHA1,
	"http://www.w3.org/2001/04/xmlenc#sha256":       crypto.SHA256,
	"http://www.w3.org/2001/04/xmldsig-more#sha384": crypto.SHA384,
	"http://www.w3.org/2001/04/xmlenc#sha512":       crypto.SHA512,
}

// xmlMethod is a signature algorithm.
type xmlMethod struct {
	scheme scheme
	hash   crypto.Hash
}

// xmlMethods are the signature algorithms that are known here.
var xmlMethods = map[string]xmlMethod{
	"http://www.w3.org/2000/09/xmldsig#rsa-sha1":          {pkcs1, crypto.SHA1},
	"http://www.w3.org/2001/04/xmldsig-more#rsa-sha256":   {pkcs1, crypto.SHA256},
	"http://www.w3.org/2001/04/xmldsig-more#rsa-sha384":   {pkcs1, crypto.SHA384},
	"http://www.w3.org/2001/04/xmldsig-more#rsa-sha512":   {pkcs1, crypto.SHA512},
	"http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha1":   {ecdsaScheme, crypto.SHA1},
	"http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256": {ecdsaScheme, crypto.SHA256},
	"http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384": {ecdsaScheme, crypto.SHA384},
	"http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512": {ecdsaScheme, crypto.SHA512},
}

// xmlSignature is a signature element, read.
type xmlSignature struct {
	at         int32
	id         string
	info       int32 // SignedInfo
	form       canonicalForm
	method     xmlMethod // without a hash if it is not known here
	references []xmlReference
	value      []byte
	certs      []*x509.Certificate
	objects    []int32
}

// Why a signature element cannot be read. The texts go into a report.
var (
	errXMLShape      = errors.New("the signature element does not have the parts that it must have, in their order")
	errXMLForm       = errors.New("the canonical form of what is signed is not known here")
	errXMLReferences = errors.New("the signature refers to too many parts")
)

// signatures finds all signature elements, also those within others.
func (t *xmlTree) signatures() ([]int32, error) {
	var out []int32
	for i := t.root; int(i) < len(t.nodes); i++ {
		if !t.is(i, dsigSpace, "Signature") {
			continue
		}
		if len(out) == maxSignatures {
			return nil, badXML("there are more than %d signatures", maxSignatures)
		}
		out = append(out, i)
	}
	return out, nil
}

// readSignature reads a signature element (XML Signature, section 4). It is strict: what one reader passes over, another
// may take for the signature.
func (t *xmlTree) readSignature(at int32) (xmlSignature, error) {
	s := xmlSignature{at: at}
	s.id, _ = t.attribute(at, "Id")
	c := t.cursor(at)
	s.info = c.take(dsigSpace, "SignedInfo")
	value := c.take(dsigSpace, "SignatureValue")
	key, hasKey := c.optional(dsigSpace, "KeyInfo")
	for o, ok := c.optional(dsigSpace, "Object"); ok; o, ok = c.optional(dsigSpace, "Object") {
		s.objects = append(s.objects, o)
	}
	if !c.done() {
		return s, errXMLShape
	}
	var err error
	if s.value, err = t.binary(value); err != nil {
		return s, err
	}
	if err := t.readInfo(&s); err != nil {
		return s, err
	}
	if hasKey {
		s.certs, err = t.readCerts(key)
	}
	return s, err
}

func (t *xmlTree) readInfo(s *xmlSignature) error {
	c := t.cursor(s.info)
	form := c.take(dsigSpace, "CanonicalizationMethod")
	method := c.take(dsigSpace, "SignatureMethod")
	for r, ok := c.optional(dsigSpace, "Reference"); ok; r, ok = c.optional(dsigSpace, "Reference") {
		if len(s.references) == maxReferences {
			return errXMLReferences
		}
		ref, err := t.readReference(r)
		if err != nil {
			return err
		}
		s.references = append(s.references, ref)
	}
	if !c.done() || len(s.references) == 0 {
		return errXMLShape
	}
	var ok bool
	if s.form, ok = t.readForm(form); !ok {
		return errXMLForm
	}
	algorithm, _ := t.attribute(method, "Algorithm")
	s.method = xmlMethods[algorithm]
	return nil
}

// readForm reads which canonical form an element asks for by its algorithm.
func (t *xmlTree) readForm(i int32) (f canonicalForm, ok bool) {
	algorithm, _ := t.attribute(i, "Algorithm")
	plain, comments := strings.CutSuffix(algorithm, withComments)
	f.comments = comments
	switch plain {
	case methodC14N:
		return f, !comments && t.childless(i)
	case methodC14N + "#":
		return f, comments && t.childless(i)
	case methodExclusive:
		f.exclusive = true
		return f, t.readInclusive(i, &f)
	}
	return f, false
}

func (t *xmlTree) childless(i int32) bool {
	for range t.elements(i) {
		return false
	}
	return true
}

// maxInclusive is how many prefixes the exclusive form may be told to treat in another way.
const maxInclusive = 32

// readInclusive reads the one parameter of the exclusive form.
func (t *xmlTree) readInclusive(i int32, f *canonicalForm) bool {
	c := t.cursor(i)
	list, ok := c.optional(methodExclusive, "InclusiveNamespaces")
	if !ok {
		return c.done()
	}
	prefixes, ok := t.attribute(list, "PrefixList")
	f.inclusive = strings.Fields(prefixes)
	for k, p := range f.inclusive {
		if p == "#default" {
			f.inclusive[k] = ""
		}
	}
	return ok && c.done() && len(f.inclusive) <= maxInclusive
}

// readCerts reads the certificates in a KeyInfo. What else is there is for finding a key in other ways than by a
// certificate, and not used here.
func (t *xmlTree) readCerts(key int32) ([]*x509.Certificate, error) {
	var out []*x509.Certificate
	count := 0
	for data := range t.elements(key) {
		if !t.is(data, dsigSpace, "X509Data") {
			continue
		}
		for i := range t.elements(data) {
			if !t.is(i, dsigSpace, "X509Certificate") {
				continue
			}
			if count++; count > maxCerts {
				return nil, errCerts
			}
			der, err := t.binary(i)
			if err != nil {
				return nil, err
			}
			if cert, err := x509.ParseCertificate(der); err == nil && usable(cert) {
				out = append(out, cert)
			}
		}
	}
	return out, nil
}
