package markup

import (
	"unicode/utf8"

	"bulksigner/internal/fault"
)

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// isChar reports whether XML 1.0 allows a character at all. Surrogates cannot come here.
func isChar(r rune) bool {
	return r >= ' ' && r < 0xD800 || r == '\t' || r == '\n' || r == '\r' || r > 0xDFFF && r < 0xFFFE || r > 0xFFFF && r <= utf8.MaxRune
}

// checkCharacters refuses a text with anything in it that XML does not allow.
func checkCharacters(text string) error {
	for i := 0; i < len(text); {
		if c := text[i]; c >= ' ' && c < utf8.RuneSelf || isSpace(c) {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 {
			return fault.New(fault.XMLMalformed, "the text is not valid UTF-8, in line %d", line(text[:i]))
		}
		if !isChar(r) {
			return fault.New(fault.XMLMalformed, "the character U+%04X is not allowed, in line %d", r, line(text[:i]))
		}
		i += n
	}
	return nil
}

// ranges of characters that may begin a name, and those that may only continue it (XML 1.0, fifth edition, 2.3). The
// colon is missing on purpose: with namespaces it is not part of a name.
var (
	nameStart = [][2]rune{
		{0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x2FF}, {0x370, 0x37D}, {0x37F, 0x1FFF}, {0x200C, 0x200D}, {0x2070, 0x218F},
		{0x2C00, 0x2FEF}, {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF},
	}
	nameMore = [][2]rune{{0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040}}
)

func isNameStart(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r >= utf8.RuneSelf && within(nameStart, r)
}

func isNameChar(r rune) bool {
	return isNameStart(r) || r >= '0' && r <= '9' || r == '-' || r == '.' || r >= utf8.RuneSelf && within(nameMore, r)
}

func within(ranges [][2]rune, r rune) bool {
	for _, x := range ranges {
		if r >= x[0] && r <= x[1] {
			return true
		}
	}
	return false
}

// IsName reports whether s is a name without colon, as an identifier must be.
func IsName(s string) bool {
	for i, r := range s {
		if !isNameChar(r) || i == 0 && !isNameStart(r) {
			return false
		}
	}
	return s != ""
}
