package verify

import (
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// angle reads what begins with <: a dictionary or a hex string.
func (l *lexer) angle() (token, error) {
	start := l.pos() - 1
	b, err := l.within()
	if err != nil {
		return token{}, err
	}
	if b == '<' {
		return token{kind: tokDictOpen}, nil
	}
	var value []byte
	odd := false
	for ; b != '>'; b, err = l.within() {
		if err != nil {
			return token{}, err
		}
		if isSpace(b) {
			continue
		}
		d, ok := hexDigit(b)
		if !ok {
			return token{}, malformed("a hex string contains something else")
		}
		if odd {
			value[len(value)-1] |= d
		} else {
			value = append(value, d<<4)
		}
		odd = !odd
	}
	return l.string(value, true, start), nil
}

func hexDigit(b byte) (byte, bool) {
	switch {
	case '0' <= b && b <= '9':
		return b - '0', true
	case 'a' <= b && b <= 'f':
		return b - 'a' + 10, true
	case 'A' <= b && b <= 'F':
		return b - 'A' + 10, true
	}
	return 0, false
}

// literal reads a string in parentheses, which may hold balanced parentheses.
func (l *lexer) literal() (token, error) {
	start := l.pos() - 1
	var value []byte
	for open := 1; ; {
		b, err := l.within()
		if err != nil {
			return token{}, err
		}
		switch b {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return l.string(value, false, start), nil
			}
		case '\\':
			if value, err = l.escape(value); err != nil {
				return token{}, err
			}
			continue
		}
		value = append(value, b)
	}
}

var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}

// escape reads what follows a backslash.
func (l *lexer) escape(value []byte) ([]byte, error) {
	b, err := l.within()
	if err != nil {
		return nil, err
	}
	if '0' <= b && b <= '7' {
		return l.octal(value, b-'0')
	}
	if b == '\n' {
		return value, nil
	}
	if b == '\r' { // a line end of two characters is one
		b, err := l.within()
		if err == nil && b != '\n' {
			l.back()
		}
		return value, err
	}
	if e, ok := escapes[b]; ok {
		b = e
	}
	return append(value, b), nil
}

// octal reads up to two more digits.
func (l *lexer) octal(value []byte, n byte) ([]byte, error) {
	for range 2 {
		b, err := l.within()
		if err != nil {
			return nil, err
		}
		if b < '0' || b > '7' {
			l.back()
			return append(value, n), nil
		}
		n = n<<3 | (b - '0')
	}
	return append(value, n), nil
}

func (l *lexer) string(value []byte, hex bool, start int64) token {
	s := pdfString{value: value, hex: hex, start: -1, end: -1}
	if l.file {
		s.start, s.end = start, l.pos()
	}
	return token{kind: tokString, str: s}
}

// maxText is how much of a name or a text goes into a report.
const maxText = 256

// text decodes a text string, for people to read.
func (s pdfString) text() string {
	v := s.value
	switch {
	case len(v) >= 2 && v[0] == 0xFE && v[1] == 0xFF:
		units := make([]uint16, 0, len(v)/2)
		for v = v[2:]; len(v) >= 2 && len(units) < maxText; v = v[2:] {
			units = append(units, uint16(v[0])<<8|uint16(v[1]))
		}
		return clip(string(utf16.Decode(units)))
	case len(v) >= 3 && string(v[:3]) == "\xEF\xBB\xBF":
		return clip(string(v[3:]))
	}
	runes := make([]rune, 0, min(len(v), maxText))
	for _, b := range v[:min(len(v), maxText)] {
		runes = append(runes, rune(b)) // PDFDocEncoding, as far as it is Latin-1
	}
	return clip(string(runes))
}

// clip makes valid text of bounded length out of anything, without control characters.
func clip(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F || r == utf8.RuneError {
			return -1
		}
		return r
	}, s[:min(len(s), 4*maxText)])
	for len(s) > maxText {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}

// date reads a PDF date, D:YYYYMMDDHHmmSSOHH'mm', in which all but the year may be missing.
func (s pdfString) date() (time.Time, bool) {
	v := strings.TrimPrefix(s.text(), "D:")
	v = strings.TrimSuffix(strings.ReplaceAll(v, "'", ""), "Z0000")
	for _, layout := range []string{"20060102150405-0700", "20060102150405-07", "20060102150405Z", "20060102150405", "200601021504", "20060102"} {
		if t, err := time.Parse(layout, v); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
