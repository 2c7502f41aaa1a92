package pades

import (
	"bytes"
	"encoding/hex"
	"unicode/utf16"
	"unicode/utf8"
)

// docEncoding has what PDFDocEncoding puts where Latin-1 has control characters (ISO 32000-1, annex D.3).
var docEncoding = map[byte]rune{
	0x18: '˘', 0x19: 'ˇ', 0x1A: 'ˆ', 0x1B: '˙', 0x1C: '˝', 0x1D: '˛', 0x1E: '˚', 0x1F: '˜',
	0x80: '•', 0x81: '†', 0x82: '‡', 0x83: '…', 0x84: '—', 0x85: '–', 0x86: 'ƒ', 0x87: '⁄',
	0x88: '‹', 0x89: '›', 0x8A: '−', 0x8B: '‰', 0x8C: '„', 0x8D: '“', 0x8E: '”', 0x8F: '‘',
	0x90: '’', 0x91: '‚', 0x92: '™', 0x93: 'ﬁ', 0x94: 'ﬂ', 0x95: 'Ł', 0x96: 'Œ', 0x97: 'Š',
	0x98: 'Ÿ', 0x99: 'Ž', 0x9A: 'ı', 0x9B: 'ł', 0x9C: 'œ', 0x9D: 'š', 0x9E: 'ž', 0xA0: '€',
}

var docBytes = func() map[rune]byte {
	m := make(map[rune]byte, len(docEncoding))
	for b, r := range docEncoding {
		m[r] = b
	}
	return m
}()

// Marks in front of a text that is not in PDFDocEncoding.
var (
	markUTF16BE = []byte{0xFE, 0xFF}
	markUTF16LE = []byte{0xFF, 0xFE} // not in the standard, but readers accept it
	markUTF8    = []byte{0xEF, 0xBB, 0xBF}
)

// encodeText writes a text string: in PDFDocEncoding if that has all its characters, otherwise in UTF-16. Only plain
// ASCII is written as itself, so that nothing has to be escaped.
func encodeText(s string) string {
	b, ok := encodeDoc(s)
	if !ok {
		b = encodeUTF16(s)
	}
	for _, c := range b {
		if c < ' ' || c > '~' || c == '(' || c == ')' || c == '\\' {
			return "<" + hex.EncodeToString(b) + ">"
		}
	}
	return "(" + string(b) + ")"
}

func encodeDoc(s string) ([]byte, bool) {
	var out []byte
	for _, r := range s {
		b, ok := docBytes[r]
		switch {
		case ok:
		case r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= '~' || r > 0xA0 && r <= 0xFF && r != 0xAD:
			b = byte(r)
		default:
			return nil, false
		}
		out = append(out, b)
	}
	// What begins like a mark would be read as one.
	return out, !bytes.HasPrefix(out, markUTF16BE) && !bytes.HasPrefix(out, markUTF16LE) && !bytes.HasPrefix(out, markUTF8)
}

func encodeUTF16(s string) []byte {
	out := bytes.Clone(markUTF16BE)
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, byte(u>>8), byte(u))
	}
	return out
}

// decodeText reads the bytes of a text string.
func decodeText(b []byte) string {
	switch {
	case bytes.HasPrefix(b, markUTF16BE):
		return decodeUTF16(b[2:], 0)
	case bytes.HasPrefix(b, markUTF16LE):
		return decodeUTF16(b[2:], 1)
	case bytes.HasPrefix(b, markUTF8) && utf8.Valid(b[3:]):
		return string(b[3:])
	}
	out := make([]rune, len(b))
	for i, c := range b {
		r, ok := docEncoding[c]
		if !ok {
			r = rune(c)
		}
		out[i] = r
	}
	return string(out)
}

// decodeUTF16 reads pairs of bytes, of which the one at high is the upper. A single last byte is nothing.
func decodeUTF16(b []byte, high int) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(b[2*i+high])<<8 | uint16(b[2*i+1-high])
	}
	return string(utf16.Decode(units))
}
