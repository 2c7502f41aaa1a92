package icpbrasil

import (
	"crypto/x509"
	"encoding/asn1"
	"slices"
)

// otherName is an entry of a subject alternative name that crypto/x509 leaves alone.
type otherName struct {
	id   asn1.ObjectIdentifier
	text string
}

// Limits of what is read. A certificate of ICP-Brasil has about 300 bytes of alternative names in at most ten entries,
// the longest of them a company's name.
const (
	maxAltName = 8 << 10
	maxText    = 512
)

var oidAltName = asn1.ObjectIdentifier{2, 5, 29, 17}

// otherNames reads those that are made as the rules say; others, like the login names of some directories, are passed
// over. An extension that is not DER to its end has none.
func otherNames(cert *x509.Certificate) []otherName {
	var all []otherName
	for _, e := range cert.Extensions {
		if !e.Id.Equal(oidAltName) || len(e.Value) > maxAltName {
			continue
		}
		var names []asn1.RawValue
		if rest, err := asn1.Unmarshal(e.Value, &names); err != nil || len(rest) > 0 {
			continue
		}
		for _, n := range names {
			if o, ok := parseOtherName(n); ok {
				all = append(all, o)
			}
		}
	}
	return all
}

// textTags are the types that a text may have. The rules name the first two; the third is met.
var textTags = []int{asn1.TagOctetString, asn1.TagPrintableString, asn1.TagUTF8String}

// parseOtherName reads [0] { OID, [0] EXPLICIT text }, of RFC 5280, section 4.2.1.6.
func parseOtherName(n asn1.RawValue) (o otherName, ok bool) {
	if !isContext0(n) {
		return otherName{}, false
	}
	rest, err := asn1.Unmarshal(n.Bytes, &o.id)
	if err != nil {
		return otherName{}, false
	}
	value, ok := single(rest)
	if !ok || !isContext0(value) {
		return otherName{}, false
	}
	text, ok := single(value.Bytes)
	if !ok || text.Class != asn1.ClassUniversal || text.IsCompound || !slices.Contains(textTags, text.Tag) || len(text.Bytes) > maxText {
		return otherName{}, false
	}
	o.text = string(text.Bytes)
	return o, true
}

func isContext0(v asn1.RawValue) bool {
	return v.Class == asn1.ClassContextSpecific && v.Tag == 0 && v.IsCompound
}

// single reads a value after which nothing follows.
func single(der []byte) (v asn1.RawValue, ok bool) {
	rest, err := asn1.Unmarshal(der, &v)
	return v, err == nil && len(rest) == 0
}
