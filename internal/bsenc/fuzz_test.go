package bsenc_test

import (
	"bytes"
	"errors"
	"testing"

	"bulksigner/internal/bsenc"
)

// Whatever opens is, to the byte, what its plaintext is sealed as, and all else has one of two reasons.
func FuzzOpen(f *testing.F) {
	f.Add(seal(f, ""))
	f.Add(seal(f, "a document"))
	f.Add(seal(f, "a document")[:bsenc.Overhead])
	f.Add([]byte("BSENC\x00\x00\x00\x01"))
	f.Add([]byte("BSENC\x00\x00\x00\x02 and more than thirty-seven bytes"))
	f.Add([]byte{})
	key := testKey(f)
	f.Fuzz(func(t *testing.T, envelope []byte) {
		got, err := bsenc.Open(key, envelope)
		inPlace, again := bsenc.OpenInPlace(key, bytes.Clone(envelope))
		if !bytes.Equal(got, inPlace) || (err == nil) != (again == nil) {
			t.Fatalf("Open = %x, %v; OpenInPlace = %x, %v", got, err, inPlace, again)
		}
		if err == nil {
			if want := bsenc.SealWith(key, [bsenc.NonceSize]byte(envelope[9:21]), got); !bytes.Equal(envelope, want) {
				t.Fatalf("%x opens, and is not %x", envelope, want)
			}
		} else if errors.Is(err, bsenc.ErrFormat) == errors.Is(err, bsenc.ErrDecryption) {
			t.Fatalf("Open = %v, want one of the two reasons", err)
		}
	})
}

// Whatever is sealed opens as itself, and does not open once a byte is another.
func FuzzSeal(f *testing.F) {
	f.Add([]byte{}, uint(0), byte(1))
	f.Add([]byte("a document"), uint(9), byte(128))
	f.Add(bytes.Repeat([]byte("block of sixteen"), 9), uint(160), byte(255))
	key := testKey(f)
	f.Fuzz(func(t *testing.T, plaintext []byte, at uint, change byte) {
		envelope, err := bsenc.SealFrom(nil, key, bytes.NewReader(plaintext), int64(len(plaintext)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := bsenc.Open(key, envelope); err != nil || !bytes.Equal(got, plaintext) {
			t.Fatalf("opened as %x, %v, want %x", got, err, plaintext)
		}
		envelope[at%uint(len(envelope))] ^= change
		if _, err := bsenc.Open(key, envelope); (err == nil) != (change == 0) {
			t.Fatalf("Open = %v with byte %d changed by %#x", err, at%uint(len(envelope)), change)
		}
	})
}
