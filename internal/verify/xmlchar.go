package verify

import (
	"bytes"
	"regexp"
	"unicode/utf8"
)

var xmlDeclaration = regexp.MustCompile(`^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*("[^"<>]*"|'[^'<>]*')` +
	`(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*("[A-Za-z][\w.-]*"|'[A-Za-z][\w.-]*'))?` +
	`(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"yes"|'yes'|"no"|'no'))?[ \t\r\n]*\?>`)

func isXMLSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

func isXMLCharacter(r rune) bool {
	switch {
	case r < ' ':
		return r == '\t' || r == '\n' || r == '\r'
	case r <= 0xD7FF, r >= 0xE000 && r <= 0xFFFD:
		return true
	}
	return r >= 0x10000 && r <= utf8.MaxRune
}

// Characters of names beyond ASCII (XML 1.0, section 2.3).
var (
	nameStarts = [][2]rune{
		{0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x2FF}, {0x370, 0x37D}, {0x37F, 0x1FFF}, {0x200C, 0x200D}, {0x2070, 0x218F},
		{0x2C00, 0x2FEF}, {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF},
	}
	nameMore = [][2]rune{{0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040}}
)

func within(ranges [][2]rune, r rune) bool {
	for _, p := range ranges {
		if r >= p[0] && r <= p[1] {
			return true
		}
	}
	return false
}

// isNameStart leaves the colon out: in names that namespaces apply to it is a separator.
func isNameStart(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r >= utf8.RuneSelf && within(nameStarts, r)
}

func isNameCharacter(r rune) bool {
	return isNameStart(r) || r >= '0' && r <= '9' || r == '-' || r == '.' || r >= utf8.RuneSelf && within(nameMore, r)
}

// ncName measures the name without a colon at the beginning of text. There is none if it is 0.
func ncName(text []byte) int {
	i := 0
	for i < len(text) {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text[i:])
		}
		if i == 0 && !isNameStart(r) || !isNameCharacter(r) {
			break
		}
		i += n
	}
	return i
}

// qName measures a name with or without a prefix and says where the local part begins.
func qName(text []byte) (local, n int) {
	n = ncName(text)
	if n == 0 || n == len(text) || text[n] != ':' {
		return 0, n
	}
	more := ncName(text[n+1:])
	if more == 0 {
		return 0, 0
	}
	return n + 1, n + 1 + more
}

// entities are those that every document has. Others would need a DOCTYPE, which is refused.
var entities = map[string]rune{"lt": '<', "gt": '>', "amp": '&', "apos": '\'', "quot": '"'}

// maxReference is enough for every character, with some zeros in front.
const maxReference = 16

// reference reads the reference at the beginning of text. It is no good if n is 0.
func reference(text []byte) (r rune, n int) {
	end := bytes.IndexByte(text[:min(len(text), maxReference)], ';')
	if end < 2 {
		return 0, 0
	}
	body := text[1:end]
	if body[0] != '#' {
		r, ok := entities[string(body)]
		if !ok {
			return 0, 0
		}
		return r, end + 1
	}
	if r = codePoint(body[1:]); !isXMLCharacter(r) {
		return 0, 0
	}
	return r, end + 1
}

// codePoint reads a number, which is decimal or, after an x, hexadecimal.
func codePoint(digits []byte) rune {
	base := rune(10)
	if len(digits) > 0 && digits[0] == 'x' {
		base, digits = 16, digits[1:]
	}
	var r rune
	for _, d := range digits {
		v, ok := hexDigit(d)
		if !ok || rune(v) >= base || r > utf8.MaxRune {
			return 0
		}
		r = r*base + rune(v)
	}
	return r
}
