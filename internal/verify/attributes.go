package verify

import (
	"bytes"
	"encoding/asn1"
	"errors"
	"slices"
	"strings"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cms"
)

// attribute is an attribute with its encoding.
type attribute struct {
	cms.Attribute
	raw []byte
}

type attributes []attribute

var errAttributes = errors.New("the attributes of the message cannot be read, or are too many")

func parseAttributes(set asn1.RawValue) (attributes, error) {
	var out attributes
	for rest := set.Bytes; len(rest) > 0; {
		var a attribute
		after, err := asn1.Unmarshal(rest, &a.Attribute)
		if err != nil || len(out) == maxAttributes {
			return nil, errAttributes
		}
		a.raw, rest = rest[:len(rest)-len(after)], after
		out = append(out, a)
	}
	return out, nil
}

// has reports whether there is an attribute of the type.
func (a attributes) has(oid asn1.ObjectIdentifier) bool {
	return slices.ContainsFunc(a, func(x attribute) bool { return x.Type.Equal(oid) })
}

// one returns the value of the attribute of the type, if there is exactly one with exactly one value.
func (a attributes) one(oid asn1.ObjectIdentifier) (v asn1.RawValue, ok bool) {
	for _, x := range a {
		if !x.Type.Equal(oid) {
			continue
		}
		if ok || len(x.Values) != 1 {
			return asn1.RawValue{}, false
		}
		v, ok = x.Values[0], true
	}
	return v, ok
}

// sorted returns the content of the set in the order of DER.
func (a attributes) sorted() []byte {
	raw := make([][]byte, len(a))
	for i, x := range a {
		raw[i] = x.raw
	}
	slices.SortFunc(raw, bytes.Compare)
	return bytes.Join(raw, nil)
}

// withoutAttributes is the finding about attributes of a signature that has none: plain CMS may do without.
func (s *subject) withoutAttributes() finding {
	if s.strict || s.attributed {
		return fail("there are no signed attributes")
	}
	return skipped("there are no signed attributes; the content itself is signed")
}

func (s *subject) derOrder() finding {
	if len(s.signed) == 0 {
		return s.withoutAttributes()
	}
	for i := range s.signed {
		if s.signed[:i].has(s.signed[i].Type) {
			return fail("a signed attribute is there twice")
		}
		if i > 0 && bytes.Compare(s.signed[i-1].raw, s.signed[i].raw) > 0 {
			return fail("the signed attributes are not sorted")
		}
	}
	return pass("")
}

func (s *subject) contentType() finding {
	if len(s.signed) == 0 {
		return s.withoutAttributes()
	}
	v, ok := s.signed.one(cms.OIDContentType)
	if !ok {
		return fail("there is not exactly one content type")
	}
	var oid asn1.ObjectIdentifier
	if rest, err := asn1.Unmarshal(v.FullBytes, &oid); err != nil || len(rest) > 0 {
		return fail("the content type cannot be read")
	}
	// A PDF is plain data; a message may say of its content that it is something else.
	if !oid.Equal(s.message.data.EncapContentInfo.ContentType) || s.detached && !oid.Equal(cms.OIDData) {
		return fail("the signed content type is not that of the content")
	}
	return pass("")
}

func (s *subject) messageDigest() finding {
	if s.digest == nil {
		return unknown(s.reason)
	}
	if len(s.signed) == 0 {
		return s.withoutAttributes()
	}
	v, ok := s.signed.one(cms.OIDMessageDigest)
	if !ok {
		return fail("there is not exactly one message digest")
	}
	var signed []byte
	if rest, err := asn1.Unmarshal(v.FullBytes, &signed); err != nil || len(rest) > 0 {
		return fail("the message digest cannot be read")
	}
	if !bytes.Equal(signed, s.digest) {
		return fail("the content is not what was signed")
	}
	return pass("")
}

// forbidden are the attributes that PAdES AD-RB does not allow, with the words for them.
var forbidden = []struct {
	oid  asn1.ObjectIdentifier
	name string
}{
	{cms.OIDSigningTime, "signingTime"},
	{cms.OIDSigningCertificate, "signingCertificate of version 1"},
	{cms.OIDSignerLocation, "signerLocation"},
	{cms.OIDRevocationArchival, "adbe-revocationInfoArchival"},
}

// forbiddenAttributes looks for what PAdES AD-RB forbids, in the signed and the unsigned attributes and in the
// signature dictionary. The other forms of AD-RB forbid nothing. The report depends on it only if a policy is demanded.
func (s *subject) forbiddenAttributes() finding {
	if s.form != icpbrasil.PAdES || !s.underADRB() {
		return skipped("no policy applies that forbids any")
	}
	var found []string
	for _, f := range forbidden {
		if s.signed.has(f.oid) || s.unsigned.has(f.oid) {
			found = append(found, f.name)
		}
	}
	if slices.ContainsFunc(s.unsigned, func(a attribute) bool { return !a.Type.Equal(cms.OIDTimeStampToken) }) {
		found = append(found, "an unsigned attribute that is not a time-stamp")
	}
	found = append(found, s.forbiddenEntries...)
	f := pass("")
	if len(found) > 0 {
		f = fail("not allowed by the policy: %s", strings.Join(found, ", "))
	}
	f.demanded = s.options.Policy
	return f
}
