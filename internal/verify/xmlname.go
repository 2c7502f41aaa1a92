package verify

import (
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// nameKinds are the short names of the attributes that names consist of (RFC 4514, section 3, and what others write).
var nameKinds = map[string]string{
	"CN": "2.5.4.3", "SURNAME": "2.5.4.4", "SN": "2.5.4.4", "SERIALNUMBER": "2.5.4.5", "C": "2.5.4.6", "L": "2.5.4.7",
	"ST": "2.5.4.8", "S": "2.5.4.8", "STREET": "2.5.4.9", "O": "2.5.4.10", "OU": "2.5.4.11", "T": "2.5.4.12",
	"TITLE": "2.5.4.12", "GIVENNAME": "2.5.4.42", "GN": "2.5.4.42", "ORGANIZATIONIDENTIFIER": "2.5.4.97",
	"DC": "0.9.2342.19200300.100.1.25", "UID": "0.9.2342.19200300.100.1.1",
	"E": "1.2.840.113549.1.9.1", "EMAIL": "1.2.840.113549.1.9.1", "EMAILADDRESS": "1.2.840.113549.1.9.1",
}

// nameOf lists a name's attributes, each with its value as it is compared. The order means nothing: makers differ on
// which end of a name comes first.
func nameOf(n pkix.Name) []string {
	var out []string
	for _, a := range n.Names {
		out = append(out, attributeOf(a.Type.String(), fmt.Sprint(a.Value)))
	}
	slices.Sort(out)
	return out
}

// attributeOf leaves out what does not count in comparing names: case, and how many blanks there are.
func attributeOf(oid, value string) string {
	return oid + "=" + strings.ToLower(strings.Join(strings.Fields(value), " "))
}

// parseName lists the attributes of a name that is written as text (RFC 4514), as nameOf does.
func parseName(text string) ([]string, bool) {
	var out []string
	for text != "" {
		kind, rest, ok := strings.Cut(text, "=")
		if !ok || len(out) == maxAttributes {
			return nil, false
		}
		kind = strings.ToUpper(strings.TrimSpace(kind))
		oid, known := nameKinds[kind]
		if !known {
			if _, ok := parseOID(strings.TrimPrefix(kind, "OID.")); !ok {
				return nil, false
			}
			oid = strings.TrimPrefix(kind, "OID.")
		}
		var value string
		if value, text, ok = nameValue(rest); !ok {
			return nil, false
		}
		out = append(out, attributeOf(oid, value))
	}
	slices.Sort(out)
	return out, len(out) > 0
}

// nameValue reads a value up to what separates it from the next attribute.
func nameValue(text string) (value, rest string, ok bool) {
	text = strings.TrimLeft(text, " ")
	if strings.HasPrefix(text, "#") {
		return encodedValue(text[1:])
	}
	var out []byte
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\':
			b, n := unescape(text[i+1:])
			if n == 0 {
				return "", "", false
			}
			out = append(out, b)
			i += n
		case !quoted && strings.IndexByte(",;+", c) >= 0:
			return string(out), text[i+1:], i+1 < len(text)
		default:
			out = append(out, c)
		}
	}
	return string(out), "", !quoted
}

// unescape reads what follows a backslash: a character that means itself, or two hexadecimal digits.
func unescape(text string) (b byte, n int) {
	if len(text) >= 2 {
		if b, err := hex.DecodeString(text[:2]); err == nil {
			return b[0], 2
		}
	}
	if text == "" {
		return 0, 0
	}
	return text[0], 1
}

// encodedValue reads a value that is written as its encoding in hexadecimal digits.
func encodedValue(text string) (value, rest string, ok bool) {
	digits, more := text, false
	if i := strings.IndexAny(text, ",;+"); i >= 0 {
		digits, rest, more = text[:i], text[i+1:], true
	}
	der, err := hex.DecodeString(strings.TrimSpace(digits))
	if err != nil {
		return "", "", false
	}
	var v any
	if _, err := asn1.Unmarshal(der, &v); err != nil {
		return "", "", false
	}
	return fmt.Sprint(v), rest, more == (rest != "")
}
