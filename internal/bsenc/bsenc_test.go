package bsenc_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"bulksigner/internal/bsenc"
)

// vector is an envelope that another implementation made.
type vector struct {
	Name, Password             string
	Salt                       []byte
	Iterations                 int
	Nonce, Plaintext, Envelope string // in hexadecimal digits
}

func (v vector) key(t *testing.T) bsenc.Key {
	t.Helper()
	key, err := bsenc.DeriveKey(v.Password, v.Salt, v.Iterations)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestVectors holds every byte of the format and of the key's derivation.
func TestVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			key, plaintext, envelope := v.key(t), unhex(t, v.Plaintext), unhex(t, v.Envelope)
			got := bsenc.SealWith(key, [bsenc.NonceSize]byte(unhex(t, v.Nonce)), plaintext)
			if !bytes.Equal(got, envelope) {
				t.Errorf("sealed as\n%x, want\n%x", got, envelope)
			}
			if got, err := bsenc.Open(key, envelope); err != nil || !bytes.Equal(got, plaintext) {
				t.Errorf("opened as %x, %v, want %x", got, err, plaintext)
			}
			if len(envelope) != len(plaintext)+bsenc.Overhead {
				t.Errorf("%d bytes became %d, want %d more", len(plaintext), len(envelope), bsenc.Overhead)
			}
		})
	}
}

func vectors(t *testing.T) (all []vector) {
	t.Helper()
	b, err := os.ReadFile("testdata/vectors.json")
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil || len(all) == 0 {
		t.Fatalf("%d vectors: %v", len(all), err)
	}
	return all
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Parameters of the key that most tests share.
const (
	password   = "a password for tests"
	salt       = "0123456789abcdef"
	iterations = bsenc.MinIterations
)

var derived = sync.OnceValues(func() (bsenc.Key, error) { return bsenc.DeriveKey(password, []byte(salt), iterations) })

func testKey(t testing.TB) bsenc.Key {
	t.Helper()
	key, err := derived()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func seal(t testing.TB, plaintext string) []byte {
	t.Helper()
	envelope, err := bsenc.Seal(testKey(t), []byte(plaintext))
	if err != nil {
		t.Fatal(err)
	}
	return envelope
}

// openers are the ways to open an envelope.
var openers = map[string]func(bsenc.Key, []byte) ([]byte, error){"Open": bsenc.Open, "OpenInPlace": bsenc.OpenInPlace}

func TestWhatDoesNotOpen(t *testing.T) {
	t.Parallel()
	envelope := string(seal(t, "a document"))
	empty := string(seal(t, ""))
	tests := []struct {
		name, envelope string
		want           error
	}{
		{"nothing", "", bsenc.ErrFormat},
		{"the magic alone", envelope[:8], bsenc.ErrFormat},
		{"one byte too short for anything", empty[:len(empty)-1], bsenc.ErrFormat},
		{"the plaintext", "%PDF-1.7\n" + strings.Repeat("a document ", 9), bsenc.ErrFormat},
		{"the magic in lower case", "bsenc" + envelope[5:], bsenc.ErrFormat},
		{"the last zero of the magic changed", envelope[:7] + "\x01" + envelope[8:], bsenc.ErrFormat},
		{"version 0", envelope[:8] + "\x00" + envelope[9:], bsenc.ErrFormat},
		{"version 2", envelope[:8] + "\x02" + envelope[9:], bsenc.ErrFormat},
		{"a byte before it", "\x00" + envelope, bsenc.ErrFormat},
		{"a byte after it", envelope + "\x00", bsenc.ErrDecryption},
		{"its last byte gone", envelope[:len(envelope)-1], bsenc.ErrDecryption},
		{"cut to the shortest length", envelope[:bsenc.Overhead], bsenc.ErrDecryption},
		{"two of them", envelope + envelope, bsenc.ErrDecryption},
		{"the tag of another", envelope[:len(envelope)-16] + empty[len(empty)-16:], bsenc.ErrDecryption},
	}
	for _, tt := range tests {
		for way, open := range openers {
			t.Run(tt.name+", "+way, func(t *testing.T) {
				t.Parallel()
				got, err := open(testKey(t), []byte(tt.envelope))
				if !errors.Is(err, tt.want) || got != nil {
					t.Errorf("opened as %q, %v, want %v", got, err, tt.want)
				}
			})
		}
	}
}

// TestEveryBitCounts changes each bit of an envelope: the first nine bytes are the format, all others are covered by the tag.
func TestEveryBitCounts(t *testing.T) {
	t.Parallel()
	envelope := seal(t, "a document of more than one block")
	for i := range len(envelope) * 8 {
		changed := bytes.Clone(envelope)
		changed[i/8] ^= 1 << (i % 8)
		want := bsenc.ErrDecryption
		if i/8 < 9 {
			want = bsenc.ErrFormat
		}
		for way, open := range openers {
			if got, err := open(testKey(t), bytes.Clone(changed)); !errors.Is(err, want) || got != nil {
				t.Errorf("%s with bit %d of byte %d changed: %q, %v, want %v", way, i%8, i/8, got, err, want)
			}
		}
	}
}

func TestSealLeavesThePlaintext(t *testing.T) {
	t.Parallel()
	plaintext := append(make([]byte, 0, 200), "a document"...) // with room behind it
	envelope, err := bsenc.Seal(testKey(t), plaintext)
	if err != nil || string(plaintext) != "a document" {
		t.Errorf("Seal = %v, and the plaintext is %q", err, plaintext)
	}
	if got, err := bsenc.Open(testKey(t), envelope); err != nil || string(got) != "a document" {
		t.Errorf("Open = %q, %v", got, err)
	}
	if got, err := bsenc.Open(testKey(t), envelope); err != nil || string(got) != "a document" {
		t.Errorf("Open again = %q, %v; the first spoiled the envelope", got, err)
	}
}

func TestNoncesDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		a, b := seal(t, ""), sealFrom(t, nil, "")
		seen[string(a[9:21])], seen[string(b[9:21])] = true, true
	}
	if len(seen) != 200 {
		t.Errorf("200 envelopes have %d nonces", len(seen))
	}
}

func TestOpenInPlaceTakesNoMemory(t *testing.T) {
	t.Parallel()
	envelope := seal(t, "a document")
	got, err := bsenc.OpenInPlace(testKey(t), envelope)
	if err != nil || string(got) != "a document" || &got[0] != &envelope[21] {
		t.Errorf("OpenInPlace = %q, %v, in place: %t", got, err, err == nil && &got[0] == &envelope[21])
	}
}

func sealFrom(t *testing.T, dst []byte, plaintext string) []byte {
	t.Helper()
	// A reader that gives a byte at a time, and its end with the last, as readers may.
	r := iotest.DataErrReader(iotest.OneByteReader(strings.NewReader(plaintext)))
	envelope, err := bsenc.SealFrom(dst, testKey(t), r, int64(len(plaintext)))
	if err != nil {
		t.Fatal(err)
	}
	return envelope
}

func TestSealFromAppends(t *testing.T) {
	t.Parallel()
	for name, dst := range map[string][]byte{
		"to nothing":            nil,
		"without room":          []byte("before"),
		"with room for a part":  append(make([]byte, 0, 6+21), "before"...),
		"with room for all":     append(make([]byte, 0, 6+10+37), "before"...),
		"with more room":        append(make([]byte, 0, 1000), "before"...),
		"with room, to nothing": make([]byte, 0, 1000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := sealFrom(t, dst, "a document")
			if !bytes.HasPrefix(got, dst) {
				t.Fatalf("%q no longer begins with %q", got, dst)
			}
			if p, err := bsenc.Open(testKey(t), got[len(dst):]); err != nil || string(p) != "a document" {
				t.Errorf("Open = %q, %v", p, err)
			}
			if fits := cap(dst) >= len(got); fits && &got[0] != &dst[:1][0] {
				t.Error("it moved, and there was room")
			}
		})
	}
}

// TestSealFromAllocatesOnce is not parallel: it counts what everybody allocates.
func TestSealFromAllocatesOnce(t *testing.T) {
	const size = 1<<20 - 21 // whole pages, as allocations are, but for the tag
	key, r := testKey(t), bytes.NewReader(make([]byte, size))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := bsenc.SealFrom(nil, key, r, size)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; err != nil || got > size*5/4 {
		t.Errorf("SealFrom = %v, and allocated %d bytes for %d", err, got, size)
	}
}

func TestSealFromWantsTheWholePlaintext(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	tests := []struct {
		name string
		r    io.Reader
		size int64
		want error // nil: any
	}{
		{"nothing comes", strings.NewReader(""), 4, io.ErrUnexpectedEOF},
		{"a byte is missing", strings.NewReader("abc"), 4, io.ErrUnexpectedEOF},
		{"a byte too many", strings.NewReader("abcde"), 4, nil},
		{"a byte, where none should be", strings.NewReader("a"), 0, nil},
		{"it breaks within", io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(broken)), 4, broken},
		{"it breaks at its end", io.MultiReader(strings.NewReader("abcd"), iotest.ErrReader(broken)), 4, broken},
		{"less than nothing", strings.NewReader(""), -1, nil},
		{"more than fits", strings.NewReader(""), bsenc.MaxPlaintext + 1, nil},
		{"more than there can be", strings.NewReader(""), 1<<63 - 1, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := bsenc.SealFrom(nil, testKey(t), tt.r, tt.size)
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) || got != nil {
				t.Errorf("SealFrom = %x, %v, want %v", got, err, tt.want)
			}
		})
	}
}

func TestKeyIsForManyAtOnce(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				envelope, err := bsenc.Seal(testKey(t), []byte("a document"))
				if err != nil {
					t.Error(err)
				} else if got, err := bsenc.Open(testKey(t), envelope); err != nil || string(got) != "a document" {
					t.Errorf("Open = %q, %v", got, err)
				}
			}
		})
	}
	all.Wait()
}
