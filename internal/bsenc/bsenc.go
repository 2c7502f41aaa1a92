// Package bsenc writes and reads BSENC v1: an envelope that holds one document, encrypted with AES-256-GCM under a key that
// comes from a password.
//
//	offset  bytes  content
//	0       8      "BSENC" and three zeros
//	8       1      the version, 1
//	9       12     the nonce, random for each envelope
//	21      N      the ciphertext, as long as the plaintext
//	21+N    16     the tag
//
// The additional data is empty, as the format demands: the tag does not cover the first nine bytes, and a reader compares
// them instead. Every other byte is covered. Plaintext leaves this package only after its tag was checked.
//
// GCM seals in one piece: the whole document is in memory. SealFrom and OpenInPlace get by with one buffer. Since nonces are
// random, one key is good for 2^32 envelopes; then password or salt has to change.
//
// Where password and salt come from, how large a document may be and what an envelope is called is for others to say.
package bsenc

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
)

// Overhead is how many bytes an envelope has more than its plaintext.
const Overhead = head + tagSize

const (
	magic     = "BSENC\x00\x00\x00"
	magicSize = 8
	version   = 1
	nonceSize = 12
	tagSize   = 16
	nonceAt   = magicSize + 1
	head      = nonceAt + nonceSize // what comes before the ciphertext
)

// maxPlaintext is where the block counter of GCM, which has 32 bits, would begin again.
const maxPlaintext = (1<<32 - 2) * 16

// ErrFormat means that something is no BSENC v1 envelope: it is too short, or begins with other bytes.
var ErrFormat = errors.New("not a BSENC v1 envelope")

// ErrDecryption means that an envelope does not open. Which of the reasons it is, nobody can tell.
var ErrDecryption = errors.New("the envelope does not open: its password, salt or iterations are others, or it is damaged")

var errNoKey = errors.New("the key was not derived")

// Seal returns the envelope of plaintext, in memory of its own; plaintext stays as it is.
func Seal(key Key, plaintext []byte) ([]byte, error) {
	if err := key.takes(int64(len(plaintext))); err != nil {
		return nil, err
	}
	return key.seal(make([]byte, 0, len(plaintext)+Overhead), newNonce(), plaintext), nil
}

// SealFrom reads a plaintext of exactly size bytes from r and appends its envelope to dst, as append does: if dst lacks room
// for size+Overhead bytes, it moves to memory that has just that, and otherwise nothing is allocated that grows with size.
// The plaintext is read to where its ciphertext will stand. The room behind dst is overwritten even if SealFrom fails.
func SealFrom(dst []byte, key Key, r io.Reader, size int64) ([]byte, error) {
	if err := key.takes(size); err != nil {
		return nil, err
	}
	dst = grow(dst, int(size)+Overhead)
	begin := len(dst) + head
	plaintext := dst[begin : begin+int(size)]
	if err := readAll(r, plaintext); err != nil {
		return nil, fmt.Errorf("read a plaintext of %d bytes: %w", size, err)
	}
	return key.seal(dst, newNonce(), plaintext), nil
}

// grow makes room for n more bytes, and for no others: slices.Grow may take a quarter more of what can be very much.
func grow(dst []byte, n int) []byte {
	if cap(dst)-len(dst) >= n {
		return dst
	}
	return append(make([]byte, 0, len(dst)+n), dst...)
}

// readAll fills p from r, which has to end there: a document that was cut is not the document.
func readAll(r io.Reader, p []byte) error {
	if _, err := io.ReadFull(r, p); err == io.EOF {
		return io.ErrUnexpectedEOF // to a caller, io.EOF would be a good end
	} else if err != nil {
		return err
	}
	var more [1]byte
	switch _, err := io.ReadFull(r, more[:]); err {
	case io.EOF:
		return nil
	case nil:
		return errors.New("it goes on after its end")
	default:
		return err
	}
}

// Open returns the plaintext of an envelope, in memory of its own; the envelope stays as it is. It returns ErrFormat or
// ErrDecryption for what does not open.
func Open(key Key, envelope []byte) ([]byte, error) {
	nonce, sealed, err := split(envelope)
	if err != nil {
		return nil, err
	}
	return key.open(nil, nonce, sealed)
}

// OpenInPlace is Open without further memory: the plaintext takes the place of the ciphertext. An envelope that does not
// open is lost, unless ErrFormat was the reason.
func OpenInPlace(key Key, envelope []byte) ([]byte, error) {
	nonce, sealed, err := split(envelope)
	if err != nil {
		return nil, err
	}
	return key.open(sealed[:0], nonce, sealed)
}

// split takes an envelope apart; sealed is the ciphertext with its tag.
func split(envelope []byte) (nonce, sealed []byte, err error) {
	switch {
	case len(envelope) < Overhead:
		return nil, nil, fmt.Errorf("%w: %d bytes are fewer than %d", ErrFormat, len(envelope), Overhead)
	case string(envelope[:magicSize]) != magic:
		return nil, nil, fmt.Errorf("%w: it begins with other bytes", ErrFormat)
	case envelope[magicSize] != version:
		return nil, nil, fmt.Errorf("%w: its version is %d", ErrFormat, envelope[magicSize])
	}
	return envelope[nonceAt:head], envelope[head:], nil
}

// takes says why a plaintext of so many bytes cannot be sealed, if it cannot.
func (k Key) takes(size int64) error {
	switch {
	case k.aead == nil:
		return errNoKey
	case size < 0 || size > min(maxPlaintext, math.MaxInt-Overhead):
		return fmt.Errorf("a plaintext of %d bytes does not fit into an envelope", size)
	}
	return nil
}

// seal appends an envelope to dst. The plaintext may lie exactly where the ciphertext will.
func (k Key) seal(dst []byte, nonce [nonceSize]byte, plaintext []byte) []byte {
	dst = append(dst, magic...)
	dst = append(dst, version)
	dst = append(dst, nonce[:]...)
	return k.aead.Seal(dst, nonce[:], plaintext, nil)
}

func (k Key) open(dst, nonce, sealed []byte) ([]byte, error) {
	if k.aead == nil {
		return nil, errNoKey
	}
	plaintext, err := k.aead.Open(dst, nonce, sealed, nil)
	if err != nil {
		return nil, ErrDecryption // the cause says no more than that
	}
	return plaintext, nil
}

// newNonce never fails: without randomness the program ends.
func newNonce() (nonce [nonceSize]byte) {
	rand.Read(nonce[:])
	return nonce
}
