package bsenc_test

import (
	"bytes"
	"testing"

	"bulksigner/internal/bsenc"
)

var sizes = map[string]int{"100kB": 100_000, "100MiB": 100 << 20}

// BenchmarkSeal is what a document costs beside its signature.
func BenchmarkSeal(b *testing.B) {
	for name, size := range sizes {
		b.Run(name, func(b *testing.B) {
			key, plaintext := testKey(b), make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := bsenc.Seal(key, plaintext); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSealFrom seals into the same buffer again and again.
func BenchmarkSealFrom(b *testing.B) {
	for name, size := range sizes {
		b.Run(name, func(b *testing.B) {
			key, r := testKey(b), bytes.NewReader(make([]byte, size))
			buffer := make([]byte, 0, size+bsenc.Overhead)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				r.Seek(0, 0)
				if _, err := bsenc.SealFrom(buffer, key, r, int64(size)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen is what a reader pays, with memory of its own for the plaintext.
func BenchmarkOpen(b *testing.B) {
	for name, size := range sizes {
		b.Run(name, func(b *testing.B) {
			key, envelope := testKey(b), seal(b, string(make([]byte, size)))
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := bsenc.Open(key, envelope); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDeriveKey is what a cold start pays.
func BenchmarkDeriveKey(b *testing.B) {
	for b.Loop() {
		if _, err := bsenc.DeriveKey(password, []byte(salt), bsenc.DefaultIterations); err != nil {
			b.Fatal(err)
		}
	}
}
