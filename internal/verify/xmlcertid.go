package verify

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"slices"
)

// is reports whether this is the certificate that was named, by its digest.
func (id xmlCertID) is(cert *x509.Certificate) bool {
	if id.fault != "" || !id.hash.Available() {
		return false
	}
	h := id.hash.New()
	h.Write(cert.Raw)
	return bytes.Equal(h.Sum(nil), id.value)
}

// signedProperties checks that the properties are signed, and that they are this signature's: the reference to them must
// lead to the very element that is read here, whatever other elements look like it.
func (s *xmlSubject) signedProperties() finding {
	p := s.properties
	switch {
	case p == nil && s.options.Policy:
		return fail("there are no properties, which the policy demands")
	case p == nil:
		return skipped("a plain XML signature, which has no properties")
	case p.fault != "":
		return fail("%s", p.fault)
	}
	var about []xmlReference
	for _, r := range s.signature.references {
		if r.kind == propertiesType {
			about = append(about, r)
		}
	}
	switch {
	case len(about) != 1:
		return fail("there is not exactly one reference to the properties")
	case about[0].apex != p.at || about[0].fault != "":
		return fail("the properties that are signed are not those of this signature")
	case !about[0].match:
		return fail("the properties are not what was signed")
	}
	return pass("")
}

// signingCertificate checks that the signed properties say which certificate is the signature's own.
func (s *xmlSubject) signingCertificate() finding {
	p := s.properties
	switch {
	case p == nil && !s.options.Policy:
		return skipped("the signature does not name its certificate, and a plain XML signature need not")
	case p == nil || p.naming == 0:
		return fail("the signature does not name its certificate")
	case p.naming > 1:
		return fail("the signature names its certificate more than once")
	}
	if i := slices.IndexFunc(p.certs, func(id xmlCertID) bool { return id.fault != "" }); i >= 0 {
		return fail("%s", p.certs[i].fault)
	}
	i := slices.IndexFunc(p.certs, func(id xmlCertID) bool { return id.is(s.cert) })
	if i < 0 {
		return fail("the signature names another certificate, by its hash")
	}
	return s.names(p.certs[i])
}

// names checks what a signature says about its certificate besides the digest.
func (s *xmlSubject) names(id xmlCertID) finding {
	f := s.matches(id.certID, true)
	switch {
	case f.outcome != Passed:
		return f
	case id.serial != nil && id.serial.Cmp(s.cert.SerialNumber) != 0:
		return fail("the signature names another certificate, by its number")
	case id.serial != nil:
		if f = s.issuerNamed(id.name); f.outcome != Passed {
			return f
		}
	}
	if id.hash == crypto.SHA1 {
		if s.options.Policy {
			return fail("the signature names its certificate by a SHA-1 digest, which is too weak")
		}
		f.detail = "by a SHA-1 digest"
	}
	return f
}

// issuerNamed compares the issuer's name in text. The digest has already told which certificate it is, so that a name
// in words that are not known here does no harm.
func (s *xmlSubject) issuerNamed(text string) finding {
	named, ok := parseName(text)
	if !ok {
		return pass("by its hash and its number; the issuer's name is written in a way that is not known here")
	}
	if !slices.Equal(named, nameOf(s.cert.Issuer)) {
		return fail("the signature names another certificate, by its issuer")
	}
	return pass("")
}
