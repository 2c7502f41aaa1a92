package markup

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"bulksigner/internal/fault"
)

// encoding is how the characters of a document became bytes.
type encoding struct {
	mark  string    // the byte-order mark in front
	order byteOrder // of UTF-16, nil for UTF-8
	names []string  // that the document may call it
}

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// encodings that are known by their marks. Without a mark a document is in UTF-8.
var (
	plain    = encoding{names: []string{"UTF-8"}}
	withMark = []encoding{
		{mark: "\xEF\xBB\xBF", names: []string{"UTF-8"}},
		{mark: "\xFF\xFE", order: binary.LittleEndian, names: []string{"UTF-16", "UTF-16LE"}},
		{mark: "\xFE\xFF", order: binary.BigEndian, names: []string{"UTF-16", "UTF-16BE"}},
	}
)

// Source is a document as text, which remembers the bytes that it came from.
type Source struct {
	Text     string // without byte-order mark
	encoding encoding
}

// Decode reads the bytes of a document in UTF-8, or in UTF-16 with a byte-order mark. It returns
// fault.XMLEncodingUnsupported for what is visibly neither and fault.XMLMalformed for text that is damaged.
func Decode(doc []byte) (Source, error) {
	for _, foreign := range []string{"\xFF\xFE\x00\x00", "\x00\x00\xFE\xFF", "<\x00", "\x00<", "\x00\x00\x00<", "\x4C\x6F\xA7\x94"} {
		if bytes.HasPrefix(doc, []byte(foreign)) {
			return Source{}, fault.New(fault.XMLEncodingUnsupported, "the document is neither in UTF-8 nor in UTF-16 with a byte-order mark")
		}
	}
	enc := plain
	for _, e := range withMark {
		if bytes.HasPrefix(doc, []byte(e.mark)) {
			enc = e
		}
	}
	body := doc[len(enc.mark):]
	if enc.order == nil {
		return Source{Text: string(body), encoding: enc}, nil
	}
	text, err := decodeUTF16(body, enc.order)
	return Source{Text: text, encoding: enc}, err
}

// Encode returns the bytes of a text that comes in parts, in the encoding of the source and with its mark. The source's own
// Text gives the bytes that were decoded.
func (s Source) Encode(parts ...string) []byte {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	if s.encoding.order != nil {
		size *= 2
	}
	out := make([]byte, 0, len(s.encoding.mark)+size)
	out = append(out, s.encoding.mark...)
	for _, p := range parts {
		out = s.encoding.append(out, p)
	}
	return out
}

func (e encoding) append(out []byte, text string) []byte {
	if e.order == nil {
		return append(out, text...)
	}
	var pair [2]uint16
	for _, r := range text {
		for _, u := range utf16.AppendRune(pair[:0], r) {
			out = e.order.AppendUint16(out, u)
		}
	}
	return out
}

func decodeUTF16(b []byte, order byteOrder) (string, error) {
	if len(b)%2 != 0 {
		return "", fault.New(fault.XMLMalformed, "the document in UTF-16 has an odd number of bytes")
	}
	var out strings.Builder
	out.Grow(len(b) / 2)
	for i := 0; i < len(b); i += 2 {
		r := rune(order.Uint16(b[i:]))
		if utf16.IsSurrogate(r) {
			i += 2
			if i == len(b) {
				return "", errSurrogate
			}
			if r = utf16.DecodeRune(r, rune(order.Uint16(b[i:]))); r == utf8.RuneError {
				return "", errSurrogate
			}
		}
		out.WriteRune(r)
	}
	return out.String(), nil
}

var errSurrogate = fault.New(fault.XMLMalformed, "the document in UTF-16 has half a character")
