package cades_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"bulksigner/internal/sign/cades"
)

var (
	oidData   = []byte("\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07\x01")
	oidSigned = []byte("\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02")
	oidToken  = []byte("\x06\x0B\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x01\x04")
	oidSHA256 = []byte("\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01")
)

// tlv is an element of known length.
func tlv(tag byte, contents ...[]byte) []byte {
	b := bytes.Join(contents, nil)
	switch n := len(b); {
	case n < 1<<7:
		return append([]byte{tag, byte(n)}, b...)
	case n < 1<<16:
		return append([]byte{tag, 0x82, byte(n >> 8), byte(n)}, b...)
	default:
		return append([]byte{tag, 0x84, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, b...)
	}
}

// open is an element that ends with two zeros.
func open(tag byte, contents ...[]byte) []byte {
	return slices.Concat([]byte{tag, 0x80}, bytes.Join(contents, nil), []byte{0, 0})
}

// chunked cuts content into pieces of the sizes that next gives.
func chunked(content []byte, next func() int) [][]byte {
	var out [][]byte
	for len(content) > 0 {
		n := min(next(), len(content))
		out = append(out, tlv(0x04, content[:n]))
		content = content[n:]
	}
	return out
}

// inBER is a message without signatures whose content has the given shape, with no length known.
func inBER(content []byte) []byte {
	return open(0x30, oidSigned, open(0xA0, open(0x30, []byte{2, 1, 1}, open(0x31, open(0x30, oidSHA256)),
		open(0x30, oidData, open(0xA0, content)), open(0xA0), open(0x31))))
}

// berShapes are ways to write the same content.
func berShapes(content []byte) map[string][]byte {
	even := func(n int) [][]byte { return chunked(content, func() int { return n }) }
	random := rand.New(rand.NewPCG(1, 2))
	uneven := chunked(content, func() int { return random.IntN(2000) }) // some are empty
	var nested []byte
	for i, c := range even(777) {
		if i%3 == 0 {
			nested = open(0x24, nested, open(0x24, c), []byte{4, 0})
		} else {
			nested = slices.Concat(nested, tlv(0x24, c), []byte{0x24, 0})
		}
		if i > 20 {
			nested = slices.Concat(nested, tlv(0x04, content[(i+1)*777:]))
			break
		}
	}
	return map[string][]byte{
		"one piece":     tlv(0x04, content),
		"long length":   slices.Concat([]byte{4, 0x88, 0, 0, 0, 0, 0, byte(len(content) >> 16), byte(len(content) >> 8), byte(len(content))}, content),
		"one in pieces": open(0x24, tlv(0x04, content)),
		"even":          open(0x24, even(1000)...),
		"known length":  tlv(0x24, even(4096)...),
		"tiny":          open(0x24, even(3)...),
		"uneven":        open(0x24, uneven...),
		"nested":        open(0x24, nested),
		"much nothing":  open(0x24, tlv(0x04, content[:50_000]), bytes.Repeat([]byte{4, 0, 0x24, 0}, 50_000), tlv(0x04, content[50_000:])),
	}
}

func TestBER(t *testing.T) {
	t.Parallel()
	content := noise(150_000)
	onePiece := map[string]bool{"one piece": true, "long length": true, "one in pieces": true}
	for name, shape := range berShapes(content) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			message := inBER(shape)
			d, err := cades.PrepareCoSign(bytes.NewReader(message), int64(len(message)), options(t, world.ECDSA))
			if err != nil {
				t.Fatal(err)
			}
			if at, ok := d.Place(); ok != onePiece[name] || ok && !bytes.HasPrefix(message[at:], content) {
				t.Errorf("Place = %d, %v, want %v", at, ok, onePiece[name])
			}
			sameBytes(t, d.Content(), content)
			signed := mustCoSign(t, message, world.ECDSA, nil)
			read(t, signed)
			judge(t, signed, content, "DER")
		})
	}
}

// sameBytes reads from all over the place.
func sameBytes(t *testing.T, r *io.SectionReader, want []byte) {
	t.Helper()
	if got := all(t, r); !bytes.Equal(got, want) {
		t.Fatalf("read in one go: %d bytes that are not the %d wanted", len(got), len(want))
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		from := random.IntN(len(want))
		n := min(random.IntN(70_000), len(want)-from)
		got := make([]byte, n)
		if _, err := r.ReadAt(got, int64(from)); err != nil && err != io.EOF || !bytes.Equal(got, want[from:from+n]) {
			t.Fatalf("%d bytes from %d: %v, or other bytes", n, from, err)
		}
	}
	if n, err := r.ReadAt(make([]byte, 10), int64(len(want)-3)); n != 3 || err != io.EOF {
		t.Errorf("at the end: %d bytes, %v, want 3 and EOF", n, err)
	}
}

// TestEarlierBER keeps a signature and a certificate that are in BER themselves.
func TestEarlierBER(t *testing.T) {
	t.Parallel()
	signature := open(0x30, []byte{2, 1, 1}, open(0x30, open(0x31, []byte{5, 0})), []byte{0x24, 0x80, 4, 1, 7, 0, 0})
	certificate := open(0x30, open(0x30, []byte{5, 0}))
	message := parts{certificates: [][]byte{certificate}, signers: [][]byte{signature}}.message([]byte("content"))
	signed := mustCoSign(t, message, world.RSA, nil)
	if !bytes.Contains(signed, signature) || !bytes.Contains(signed, certificate) {
		t.Error("what was in BER is not kept as it was")
	}
	again := mustCoSign(t, signed, world.ECDSA, nil)
	if !bytes.Contains(again, signature) || !bytes.Contains(again, certificate) {
		t.Error("what was in BER is not kept the second time")
	}
}
