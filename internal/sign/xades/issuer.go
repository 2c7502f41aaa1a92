package xades

import (
	"crypto/x509"
	"encoding/asn1"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"bulksigner/internal/fault"
)

// keywords are the attributes that RFC 2253 has a name for (section 2.3). All others are written by their numbers: names
// beyond these are read differently from library to library.
var keywords = map[string]string{
	"2.5.4.3": "CN", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.6": "C", "2.5.4.9": "STREET",
	"0.9.2342.19200300.100.1.25": "DC", "0.9.2342.19200300.100.1.1": "UID",
}

type nameAttribute struct {
	Type  asn1.ObjectIdentifier
	Value asn1.RawValue
}

type relativeSET []nameAttribute

// issuerName writes the issuer of a certificate as RFC 2253 says, last part first.
func issuerName(c *x509.Certificate) (string, error) {
	var name []relativeSET
	if _, err := asn1.Unmarshal(c.RawIssuer, &name); err != nil {
		return "", fault.Wrap(fault.CertificateInvalid, err, "the issuer's name in the certificate cannot be read")
	}
	var parts []string
	for _, relative := range slices.Backward(name) {
		var together []string
		for _, a := range relative {
			together = append(together, a.String())
		}
		parts = append(parts, strings.Join(together, "+"))
	}
	return strings.Join(parts, ","), nil
}

// String writes name=value. What has no name, or is no text, is written in hexadecimal.
func (a nameAttribute) String() string {
	keyword, known := keywords[a.Type.String()]
	text, isText := decodeString(a.Value)
	switch {
	case !known:
		return a.Type.String() + "=#" + hex.EncodeToString(a.Value.FullBytes)
	case !isText:
		return keyword + "=#" + hex.EncodeToString(a.Value.FullBytes)
	}
	return keyword + "=" + escapeName(text)
}

// decodeString reads a string of any of the types that names have.
func decodeString(v asn1.RawValue) (string, bool) {
	switch v.Tag {
	case asn1.TagUTF8String, asn1.TagPrintableString, asn1.TagIA5String, asn1.TagNumericString:
		return string(v.Bytes), v.Class == asn1.ClassUniversal && utf8.Valid(v.Bytes)
	case asn1.TagT61String: // Latin-1 is what authorities put there
		runes := make([]rune, len(v.Bytes))
		for i, c := range v.Bytes {
			runes[i] = rune(c)
		}
		return string(runes), true
	case asn1.TagBMPString:
		var units []uint16
		for pair := range slices.Chunk(v.Bytes, 2) {
			units = append(units, uint16(pair[0])<<8|uint16(pair[len(pair)-1]))
		}
		return string(utf16.Decode(units)), len(v.Bytes)%2 == 0
	}
	return "", false
}

// escapeName escapes a value as XML Signature asks, which is RFC 2253 with control characters and blanks at the end in
// hexadecimal: whoever trims text would lose them otherwise.
func escapeName(s string) string {
	var out strings.Builder
	trimmed := strings.TrimRight(s, " ")
	for i, r := range trimmed {
		switch {
		case strings.ContainsRune(`,+"\<>;`, r), i == 0 && (r == '#' || r == ' '):
			out.WriteByte('\\')
			out.WriteRune(r)
		case r < ' ' || r == 0xFFFE || r == 0xFFFF:
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&out, `\%02X`, c)
			}
		default:
			out.WriteRune(r)
		}
	}
	return out.String() + strings.Repeat(`\20`, len(s)-len(trimmed))
}
