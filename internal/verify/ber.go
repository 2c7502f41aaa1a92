package verify

import (
	"bytes"
	"encoding/asn1"
	"encoding/binary"
	"io"
)

// Limits of encodings. What stands between the pieces of a content costs nothing to write, so pieces are counted.
const (
	maxBesides  = 17 << 20 // bytes besides the content: revocation lists of many authorities can be there
	maxBERDepth = 32
	maxPieces   = 4 << 20 // one of BER's many small strings; 1 GiB of content in pieces of 256 bytes
)

// Identifier octets and their bits.
const (
	tagOctets      = 0x04
	tagSequence    = 0x30
	tagExplicit0   = 0xA0
	tagExplicit1   = 0xA1
	constructedBit = 0x20
	longTag        = 0x1F
)

// flaw says why a message cannot be read. Other errors of reading are not the message's fault.
type flaw string

func (f flaw) Error() string { return string(f) }

const (
	errEncoding = flaw("the message is not well-formed")
	errSize     = flaw("the message is longer than 17 MiB, even without its content")
	errPieces   = flaw("the content is in too many pieces")
)

// ber reads values out of a file, in DER or in BER with its indefinite lengths and its strings in pieces. It holds a
// window of the file, never a content.
type ber struct {
	file   io.ReaderAt
	size   int64
	window []byte
	base   int64 // where the window begins

	pos    int64
	open   []enclosure
	loose  bool // something is not as DER wants it
	left   int64
	pieces int
	err    error
}

// enclosure is a value whose content is being read.
type enclosure struct {
	end    int64 // the last place where it can end
	marked bool  // an end mark follows
}

// berHeader is the beginning of a value. An indefinite length is negative.
type berHeader struct {
	tag          byte
	size, length int64
}

func newBER(file io.ReaderAt, size int64) *ber {
	return &ber{file: file, size: size, open: []enclosure{{end: size}}, left: maxBesides}
}

// fail keeps the first error. After it nothing is read any more, and there is nothing more.
func (b *ber) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// view returns a part of the file, at most a chunk of it, that is valid until the next call.
func (b *ber) view(from, to int64) []byte {
	to = min(to, b.size, from+chunk)
	if b.err != nil || from >= to {
		return nil
	}
	if from < b.base || to > b.base+int64(len(b.window)) {
		if b.window == nil {
			b.window = make([]byte, min(chunk, b.size))
		}
		b.window, b.base = b.window[:min(int64(cap(b.window)), b.size-from)], from
		if err := readAt(b.file, b.window, from); err != nil {
			b.fail(err)
			return nil
		}
	}
	return b.window[from-b.base : to-b.base]
}

func (b *ber) top() enclosure { return b.open[len(b.open)-1] }

// header reads the beginning of the next value and stays there.
func (b *ber) header() (h berHeader) {
	const longest = 1 + 1 + 8
	end := b.top().end
	v := b.view(b.pos, min(b.pos+longest, end))
	if len(v) < 2 || v[0]&longTag == longTag || v[0] == 0 {
		b.fail(errEncoding)
		return h
	}
	h = berHeader{tag: v[0], size: 2, length: int64(v[1])}
	if n := int(v[1]) - indefinite; n == 0 {
		h.length, b.loose = -1, true
	} else if n > 0 {
		h.longLength(v[2:], n)
		b.loose = b.loose || h.length < 0x80 || v[2] == 0
	}
	if h.length < 0 && (v[1] != indefinite || h.tag&constructedBit == 0) || h.length > end-b.pos-h.size {
		b.fail(errEncoding)
	}
	return h
}

// longLength reads a length of n bytes. What is longer than a file can be is negative.
func (h *berHeader) longLength(v []byte, n int) {
	h.size, h.length = int64(2+n), -1
	if n > len(v) {
		return
	}
	h.length = 0
	for _, x := range v[:n] {
		h.length = h.length<<8 | int64(x)
	}
}

// enter goes into the next value, which must have the tag.
func (b *ber) enter(tag byte) {
	h := b.header()
	if b.err == nil && (h.tag != tag || len(b.open) > maxBERDepth) {
		b.fail(errEncoding)
	}
	if b.pos += h.size; h.length < 0 {
		b.open = append(b.open, enclosure{b.top().end, true})
	} else {
		b.open = append(b.open, enclosure{b.pos + h.length, false})
	}
}

// more reports whether another value follows inside the one that was entered last.
func (b *ber) more() bool {
	t := b.top()
	if b.err != nil || !t.marked {
		return b.err == nil && b.pos < t.end
	}
	v := b.view(b.pos, min(b.pos+2, t.end))
	if len(v) < 2 {
		b.fail(errEncoding)
		return false
	}
	return v[0] != 0 || v[1] != 0
}

// leave goes behind the value that was entered last, of which everything must have been read.
func (b *ber) leave() {
	if b.more() {
		b.fail(errEncoding)
	}
	if b.top().marked {
		b.pos += 2
	}
	b.open = b.open[:len(b.open)-1]
}

// value reads the next value and returns it in DER. All values together are bounded.
func (b *ber) value() []byte {
	h := b.header()
	if b.left -= h.size + max(0, h.length); b.err == nil && b.left < 0 {
		b.fail(errSize)
	}
	switch {
	case b.err != nil:
		return nil
	case h.tag&constructedBit != 0:
		b.left += max(0, h.length) // its parts count
		return b.constructed(h.tag)
	}
	content := make([]byte, h.length)
	if err := readAt(b.file, content, b.pos+h.size); err != nil {
		b.fail(err)
	}
	b.pos += h.size + h.length
	return encode(h.tag, content)
}

// constructed reads a value that consists of others. A string in pieces becomes one.
func (b *ber) constructed(tag byte) []byte {
	inPieces := tag == tagOctets|constructedBit
	b.loose = b.loose || inPieces
	b.enter(tag)
	var content []byte
	for b.more() {
		part := b.value()
		if inPieces {
			part = b.piece(part)
		}
		content = append(content, part...)
	}
	b.leave()
	if inPieces {
		tag = tagOctets
	}
	return encode(tag, content)
}

// piece takes a piece of a string out of its own encoding.
func (b *ber) piece(der []byte) []byte {
	var v asn1.RawValue
	if _, err := asn1.Unmarshal(der, &v); err != nil || der[0] != tagOctets {
		b.fail(errEncoding)
	}
	return v.Bytes
}

// octets goes over the next value, which must be an OCTET STRING, and shows where its pieces are.
func (b *ber) octets(visit func(from, to int64)) {
	h := b.header()
	if b.pieces++; b.pieces > maxPieces {
		b.fail(errPieces)
	}
	switch {
	case b.err != nil:
	case h.tag == tagOctets:
		from := b.pos + h.size
		b.pos = from + h.length
		visit(from, b.pos)
	case h.tag == tagOctets|constructedBit:
		b.loose = true
		b.enter(h.tag)
		for b.more() {
			b.octets(visit)
		}
		b.leave()
	default:
		b.fail(errEncoding)
	}
}

// copy writes a range of the file.
func (b *ber) copy(w io.Writer, from, to int64) {
	for from < to && b.err == nil {
		v := b.view(from, to)
		if _, err := w.Write(v); err != nil {
			b.fail(err)
		}
		from += int64(len(v))
	}
}

// encode writes a value in DER.
func encode(tag byte, parts ...[]byte) []byte {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	out := make([]byte, 0, 2+4+n)
	if out = append(out, tag); n < 0x80 {
		out = append(out, byte(n))
	} else {
		length := bytes.TrimLeft(binary.BigEndian.AppendUint32(nil, uint32(n)), "\x00") // all that is read here is shorter
		out = append(append(out, 0x80|byte(len(length))), length...)
	}
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}
