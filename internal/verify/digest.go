package verify

import (
	"crypto"
	_ "crypto/sha1" // digests of old signatures, so that it shows whether they were broken
	_ "crypto/sha256"
	_ "crypto/sha512"
	"errors"
	"fmt"
	"hash"
	"io"
)

// Why a digest is not known. These are no errors of reading: a check says them.
var (
	errNoContent = errors.New("it is not known what was signed")
	errTooMuch   = errors.New("the signed parts of this file add up to too much")
)

// Limits of hashing.
const (
	chunk = 64 << 10 // the only buffer

	// Signatures that follow each other share what lies before them, which is hashed once. So real files cost little
	// more than their size; a file made to cost a multiple for every signature does not get it.
	maxPasses   = 8
	hashMinimum = 64 << 20 // small files may cost this in any case
)

// digester hashes signed ranges of one file.
type digester struct {
	file   io.ReaderAt
	buf    []byte
	left   int64
	shared map[crypto.Hash]*prefix
}

// prefix is the state of a hash after the first bytes of the file.
type prefix struct {
	state hash.Cloner
	pos   int64
}

func newDigester(file io.ReaderAt, size int64) *digester {
	return &digester{
		file: file, buf: make([]byte, chunk), left: max(hashMinimum, maxPasses*size), shared: make(map[crypto.Hash]*prefix),
	}
}

// sum hashes the file without the span's gap, up to its end.
func (d *digester) sum(h crypto.Hash, s span) ([]byte, error) {
	state, err := d.upTo(h, s.from)
	if err != nil {
		return nil, err
	}
	if err := d.feed(state, s.to, s.end); err != nil {
		return nil, err
	}
	return state.Sum(nil), nil
}

// upTo returns a hash of the first bytes of the file, beginning where an earlier signature's gap began.
func (d *digester) upTo(h crypto.Hash, from int64) (hash.Hash, error) {
	p := d.shared[h]
	if p == nil || p.pos > from {
		state, ok := h.New().(hash.Cloner)
		if !ok {
			return nil, fmt.Errorf("the state of %s cannot be copied", h)
		}
		p = &prefix{state: state}
	}
	if err := d.feed(p.state, p.pos, from); err != nil {
		return nil, err
	}
	p.pos, d.shared[h] = from, p
	return p.state.Clone()
}

// feed hashes one range.
func (d *digester) feed(h hash.Hash, from, to int64) error {
	if d.left -= to - from; d.left < 0 {
		return errTooMuch
	}
	for from < to {
		b := d.buf[:min(int64(len(d.buf)), to-from)]
		if err := readAt(d.file, b, from); err != nil {
			return err
		}
		h.Write(b)
		from += int64(len(b))
	}
	return nil
}
