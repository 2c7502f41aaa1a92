package library

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"io"
	"os"
	"time"

	"bulksigner/scripts/bench/identity"
)

// remembered answers at once what the key answered to the same digest before, so that what is left is a signer's own
// work. That it comes again is no chance: our signatures of a document are all alike, and those that claim the time of
// the clock are so for a second.
type remembered struct {
	crypto.Signer
	digest, signature []byte
}

// Remembered returns an identity whose key does its work only when it is asked something new.
func Remembered(id identity.Identity) identity.Identity {
	id.Key = &remembered{Signer: id.Key}
	return id
}

// Sign implements crypto.Signer.
func (r *remembered) Sign(random io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	if !bytes.Equal(r.digest, digest) {
		signature, err := r.Signer.Sign(random, digest, opts)
		if err != nil {
			return nil, err
		}
		r.digest, r.signature = bytes.Clone(digest), signature
	}
	return bytes.Clone(r.signature), nil
}

// KeyAlone asks the key and does nothing else: nobody who signs with it can be faster.
func KeyAlone(id identity.Identity) func(ctx context.Context, times int) (time.Duration, error) {
	digest := make([]byte, crypto.SHA256.Size())
	return func(ctx context.Context, times int) (time.Duration, error) {
		start := time.Now()
		for range times {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			if _, err := id.Key.Sign(rand.Reader, digest, crypto.SHA256); err != nil {
				return 0, err
			}
		}
		return time.Since(start), nil
	}
}

// Pass hashes a file and writes it again, which no signer can do without.
func Pass(_ identity.Identity, from, to string) error {
	return between(from, to, func(in, out *os.File, _ int64) error {
		_, err := io.Copy(io.MultiWriter(out, crypto.SHA256.New()), in)
		return err
	})
}
