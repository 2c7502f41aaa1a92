package pdf

import (
	"errors"
	"fmt"
	"io"
)

const (
	blockSize = 32 << 10 // one request where the reader is a remote object, and enough for most structures
	maxBlocks = 32       // 1 MiB of memory
)

// source reads a file through a small cache of blocks.
type source struct {
	r      io.ReaderAt
	size   int64
	blocks []block
	clock  int
	work   int64
	failed error // the reader's first error, which is not the file's fault
}

type block struct {
	at   int64
	data []byte
	used int
}

// ReadAt makes a source an io.ReaderAt of its own.
func (s *source) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		if off+int64(n) >= s.size {
			return n, io.EOF
		}
		data, err := s.from(off + int64(n))
		if err != nil {
			return n, err
		}
		n += copy(p[n:], data)
	}
	return n, nil
}

// from returns the cached bytes from an offset to the end of its block.
func (s *source) from(off int64) ([]byte, error) {
	at := off - off%blockSize
	s.clock++
	for i := range s.blocks {
		if s.blocks[i].at == at {
			s.blocks[i].used = s.clock
			return s.blocks[i].data[off-at:], nil
		}
	}
	b, err := s.load(at)
	if err != nil {
		return nil, err
	}
	return b.data[off-at:], nil
}

// load reads a block into the place of the one that was not used for the longest time.
func (s *source) load(at int64) (*block, error) {
	b := s.place()
	n := int(min(blockSize, s.size-at))
	if cap(b.data) < n {
		b.data = make([]byte, n)
	}
	b.at, b.data, b.used = -1, b.data[:n], s.clock // not to be found, should reading fail
	got, err := s.r.ReadAt(b.data, at)
	if got < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		s.failed = fmt.Errorf("read document at %d: %w", at, err)
		return nil, s.failed
	}
	b.at = at
	return b, nil
}

func (s *source) place() *block {
	if len(s.blocks) < maxBlocks {
		s.blocks = append(s.blocks, block{})
		return &s.blocks[len(s.blocks)-1]
	}
	oldest := 0
	for i := range s.blocks {
		if s.blocks[i].used < s.blocks[oldest].used {
			oldest = i
		}
	}
	return &s.blocks[oldest]
}

// read fills p from an offset that must leave enough bytes.
func (s *source) read(p []byte, off int64) error {
	if off < 0 || off > s.size-int64(len(p)) {
		return malformed("an offset points outside of the file")
	}
	_, err := s.ReadAt(p, off)
	return err
}

// perObject is what finding an object costs, in bytes looked at.
const perObject = 100

// spend counts bytes looked at.
func (s *source) spend(n int) error {
	if s.work += int64(n); s.work > maxWork {
		return malformed("the structure is too large to be read")
	}
	return nil
}

// scan lets read parse the text at an offset. What read needs is not known before, so it begins again with a wider
// window for as long as it finds that the text ends too early. The text is only good until read returns.
func (f *File) scan(off int64, read func(*scanner) error) error {
	if off < 0 || off >= f.src.size {
		return malformed("an offset points outside of the file")
	}
	for width := int64(1 << 10); ; width *= 4 {
		n := min(width, maxObject, f.src.size-off)
		if int64(cap(f.window)) < n {
			f.window = make([]byte, n)
		}
		text := f.window[:n]
		if err := f.src.read(text, off); err != nil {
			return err
		}
		s := &scanner{text: text, whole: off+n == f.src.size}
		err := read(s)
		if spent := f.src.spend(perObject + s.pos); spent != nil {
			return spent
		}
		if !errors.Is(err, errMore) {
			return err
		}
		if n == maxObject {
			return malformed("an object is larger than %d bytes", maxObject)
		}
	}
}
