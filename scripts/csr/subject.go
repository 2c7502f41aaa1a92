package main

import (
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// attribute is a part that a name may have, and the most characters that X.520 lets it have.
type attribute struct {
	id   asn1.ObjectIdentifier
	most int
}

var attributes = map[string]attribute{
	"CN":           {asn1.ObjectIdentifier{2, 5, 4, 3}, 64},
	"SERIALNUMBER": {asn1.ObjectIdentifier{2, 5, 4, 5}, 64},
	"C":            {asn1.ObjectIdentifier{2, 5, 4, 6}, 2},
	"L":            {asn1.ObjectIdentifier{2, 5, 4, 7}, 128},
	"ST":           {asn1.ObjectIdentifier{2, 5, 4, 8}, 128},
	"O":            {asn1.ObjectIdentifier{2, 5, 4, 10}, 64},
	"OU":           {asn1.ObjectIdentifier{2, 5, 4, 11}, 64},
}

// maxSubject bounds a name, in bytes as it is written.
const maxSubject = 2 << 10

// parseSubject encodes a name that is written as in RFC 4514: the part that is written first comes last. Each part is a set
// of its own, as authorities write them. An error names a part by its place, and never quotes it.
func parseSubject(s string) ([]byte, error) {
	if len(s) > maxSubject || !utf8.ValidString(s) {
		return nil, fmt.Errorf("the subject is longer than %d bytes, or not UTF-8", maxSubject)
	}
	var name pkix.RDNSequence
	names := 0
	for i, part := range split(s) {
		a, err := parsePart(part)
		if err != nil {
			return nil, fmt.Errorf("part %d of the subject %w", i+1, err)
		}
		if a.Type.Equal(attributes["CN"].id) {
			names++
		}
		name = append(name, pkix.RelativeDistinguishedNameSET{a})
	}
	if names != 1 {
		return nil, fmt.Errorf("the subject has %d common names (CN), want one", names)
	}
	slices.Reverse(name)
	return asn1.Marshal(name)
}

// split cuts at commas that no backslash stands before.
func split(s string) (parts []string) {
	begin, escaped := 0, false
	for i, r := range s {
		if r == ',' && !escaped {
			parts = append(parts, s[begin:i])
			begin = i + 1
		}
		escaped = r == '\\' && !escaped
	}
	return append(parts, s[begin:])
}

func parsePart(part string) (a pkix.AttributeTypeAndValue, err error) {
	kind, text, ok := strings.Cut(part, "=")
	if !ok {
		return a, errors.New(`has no "="; a comma inside of a value is written \,`)
	}
	known, ok := attributes[strings.ToUpper(strings.TrimSpace(kind))]
	if !ok {
		return a, errors.New("is of a kind that is none of CN, SERIALNUMBER, OU, O, L, ST and C")
	}
	value, err := unescape(text)
	switch n := utf8.RuneCountInString(value); {
	case err != nil:
		return a, err
	case n == 0 || n > known.most:
		return a, fmt.Errorf("has %d characters, want 1 to %d", n, known.most)
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		return a, errors.New("has control characters, or is not UTF-8")
	case known.most == 2 && !isCountry(value):
		return a, errors.New("is no country: want two letters, like BR")
	}
	return pkix.AttributeTypeAndValue{Type: known.id, Value: value}, nil
}

func isCountry(s string) bool {
	return len(s) == 2 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// special are the characters that have a meaning unless a backslash stands before them. Two more may have one.
const special = `"+,;<>\`

// unescape takes the backslashes out of a value, and the spaces around it that none stands before.
func unescape(text string) (string, error) {
	text = strings.TrimLeft(text, " ")
	if strings.HasPrefix(text, "#") { // what follows would be hexadecimal digits of an encoded value
		return "", errors.New("begins with # without a backslash before it")
	}
	var b strings.Builder
	kept := 0 // bytes of the value up to the last that is not a plain space
	for text != "" {
		plain, rest, ok := strings.Cut(text, `\`)
		if strings.ContainsAny(plain, special) {
			return "", errors.New(`has one of " + ; < > without a backslash before it`)
		}
		b.WriteString(plain)
		if trimmed := strings.TrimRight(plain, " "); trimmed != "" {
			kept = b.Len() - (len(plain) - len(trimmed))
		}
		if !ok {
			break
		}
		c, n := escape(rest)
		if n == 0 {
			return "", errors.New("has a backslash before what needs none")
		}
		b.WriteString(c)
		kept, text = b.Len(), rest[n:]
	}
	return b.String()[:kept], nil
}

// escape reads what stands after a backslash: a character, or the two hexadecimal digits of a byte. It returns how many bytes
// that took, 0 for anything else.
func escape(rest string) (string, int) {
	if rest != "" && strings.Contains(special+" #=", rest[:1]) {
		return rest[:1], 1
	}
	if len(rest) >= 2 {
		if b, err := hex.DecodeString(rest[:2]); err == nil {
			return string(b), 2
		}
	}
	return "", 0
}
