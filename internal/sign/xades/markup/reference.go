package markup

import (
	"strings"
)

// predefined are the entities that need no declaration. There are no others without a document type.
var predefined = map[string]string{"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'"}

// reference reads a reference behind its & and returns what it stands for.
func (l *lexer) reference() (string, error) {
	s, err := l.until(";", "a reference")
	if err != nil {
		return "", err
	}
	if number, ok := strings.CutPrefix(s, "#"); ok {
		return l.character(number)
	}
	text, ok := predefined[s]
	if !ok {
		return "", l.malformed("an entity is not declared")
	}
	return text, nil
}

// character reads the number of a character reference: 10 or xA.
func (l *lexer) character(number string) (string, error) {
	base, digits := rune(10), number
	if hex, ok := strings.CutPrefix(number, "x"); ok {
		base, digits = 16, hex
	}
	var r rune
	for _, c := range []byte(digits) {
		d := digit(c)
		// No character has more than 21 bits: what is beyond need not be known more exactly.
		if r = min(r*base+d, 1<<21); d >= base {
			return "", l.malformed("a character reference is no number")
		}
	}
	if digits == "" || !isChar(r) {
		return "", l.malformed("a character reference stands for no character")
	}
	return string(r), nil
}

// digit returns the value of a hexadecimal digit, or more than any digit has.
func digit(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10
	}
	return 99
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// normalLines makes all line ends the same, as a parser must before anything else.
func normalLines(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return lineEnds.Replace(s)
}

var blanks = strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ", "\t", " ")

// value reads an attribute's value with its quotes, and normalizes it: white space that was written becomes blanks,
// white space that was referred to stays.
func (l *lexer) value() (string, error) {
	from := l.pos + 1
	raw, err := l.quoted("the value of an attribute")
	if err != nil {
		return "", err
	}
	if strings.IndexByte(raw, '<') >= 0 {
		return "", l.malformed("the value of an attribute has a < in it")
	}
	if !strings.ContainsAny(raw, "&\r\n\t") {
		return raw, nil
	}
	inner := lexer{text: l.text[:from+len(raw)], pos: from}
	return inner.normalized()
}

// normalized reads up to the end of the text.
func (l *lexer) normalized() (string, error) {
	var out strings.Builder
	for l.pos < len(l.text) {
		n := strings.IndexByte(l.rest(), '&')
		if n < 0 {
			n = len(l.rest())
		}
		out.WriteString(blanks.Replace(l.rest()[:n]))
		l.pos += n
		if !l.accept("&") {
			continue
		}
		s, err := l.reference()
		if err != nil {
			return "", err
		}
		out.WriteString(s)
	}
	return out.String(), nil
}
