package verify

import (
	"bytes"
	"fmt"
	"io"

	"bulksigner/internal/fault"
)

// pdf reads the objects of a file as its cross-reference sections name them. It repairs nothing: a reader that guesses
// can be made to guess something else than the reader that people use.
type pdf struct {
	file io.ReaderAt
	size int64
	work budget

	trailer  dict           // the newest, which counts
	sections []*section     // newest first
	starts   map[int64]bool // where they begin
	parts    int            // subsections in all of them
	streams  map[int64]*objectStream
}

// objectStream is a decoded object stream. All of them together are bounded by the reader's work.
type objectStream struct {
	data    []byte
	numbers []int64
	offsets []int64
}

// headerWindow is how far into the file its first line may begin.
const headerWindow = 1024

func openPDF(file io.ReaderAt, size int64) (*pdf, error) {
	p := &pdf{file: file, size: size, work: budget{maxWork}, streams: make(map[int64]*objectStream)}
	head := make([]byte, max(0, min(headerWindow, size)))
	if err := readAt(p.file, head, 0); err != nil {
		return nil, err
	}
	if !bytes.Contains(head, []byte("%PDF-")) {
		return nil, fault.New(fault.PDFNotAPDF, "the file does not begin like a PDF")
	}
	at, err := p.lastSection()
	if err != nil {
		return nil, err
	}
	if err := p.readSections(at); err != nil {
		return nil, err
	}
	if p.trailer.get("Encrypt") != nil {
		return nil, fault.New(fault.PDFEncrypted, "the file is encrypted")
	}
	return p, nil
}

func (p *pdf) lookup(num int64) (entry, error) {
	if err := p.work.take(1 + int64(p.parts)/4); err != nil {
		return entry{}, err
	}
	for _, s := range p.sections {
		e, ok, err := p.find(s, num)
		if ok || err != nil {
			return e, err
		}
	}
	return entry{}, nil // an object that is not there is null
}

// maxHops is how many references may lead to each other.
const maxHops = 16

// resolve follows references to a value. depth counts what is being resolved already.
func (p *pdf) resolve(o object, depth int) (object, error) {
	for ; ; depth++ {
		r, ok := o.(ref)
		if !ok {
			return o, nil
		}
		if depth > maxHops {
			return nil, malformed("references lead to each other")
		}
		var err error
		if o, err = p.load(r.num, depth); err != nil {
			return nil, err
		}
	}
}

func (p *pdf) load(num int64, depth int) (object, error) {
	e, err := p.lookup(num)
	if err != nil {
		return nil, err
	}
	switch e.kind {
	case entryFree:
		return nil, nil
	case entryInFile:
		o, err := p.loadAt(e.offset, num)
		return o.value, err
	case entryInStream:
		return p.loadFrom(e, num, depth)
	}
	return nil, nil // a kind of the future is null
}

func (p *pdf) loadAt(offset, num int64) (indirect, error) {
	l, err := p.lexerAt(offset)
	if err != nil {
		return indirect{}, err
	}
	return l.indirect(num)
}

// loadFrom reads an object out of an object stream.
func (p *pdf) loadFrom(e entry, num int64, depth int) (object, error) {
	s, err := p.objectStream(e.offset, depth+1)
	if err != nil {
		return nil, err
	}
	if e.index < 0 || e.index >= int64(len(s.numbers)) || s.numbers[e.index] != num {
		return nil, malformed("object %d is not in its object stream", num)
	}
	l := p.lexerOf(s.data[s.offsets[e.index]:])
	t, err := l.token()
	if err != nil {
		return nil, err
	}
	return l.value(t, 0)
}

func (p *pdf) objectStream(num int64, depth int) (*objectStream, error) {
	if s, ok := p.streams[num]; ok {
		return s, nil
	}
	if depth > maxHops {
		return nil, malformed("object streams lead to each other")
	}
	e, err := p.lookup(num)
	if err != nil {
		return nil, err
	}
	if e.kind != entryInFile {
		return nil, malformed("object stream %d is not in the file", num)
	}
	o, err := p.loadAt(e.offset, num)
	if err != nil {
		return nil, err
	}
	data, _, err := p.streamData(o, depth)
	if err != nil {
		return nil, err
	}
	s, err := p.index(o, data)
	if err != nil {
		return nil, fmt.Errorf("object stream %d: %w", num, err)
	}
	p.streams[num] = s
	return s, nil
}

// index reads the pairs of numbers and places at the beginning of an object stream.
func (p *pdf) index(o indirect, data []byte) (*objectStream, error) {
	d, _ := o.value.(dict)
	n, first := number(d, "N", -1), number(d, "First", -1)
	if n < 0 || n > maxItems || first < 0 || first > int64(len(data)) {
		return nil, malformed("its header is out of bounds")
	}
	s, l := &objectStream{data: data}, p.lexerOf(data[:first])
	for range n {
		num, err := l.token()
		if err != nil {
			return nil, err
		}
		at, err := l.token()
		if err != nil {
			return nil, err
		}
		if num.kind != tokInt || at.kind != tokInt || at.num < 0 || at.num > int64(len(data))-first {
			return nil, malformed("its header has a bad pair")
		}
		s.numbers, s.offsets = append(s.numbers, num.num), append(s.offsets, first+at.num)
	}
	return s, nil
}

// integer resolves a value that must be an integer.
func (p *pdf) integer(o object, depth int) (int64, error) {
	v, err := p.resolve(o, depth+1)
	if err != nil {
		return 0, err
	}
	n, ok := v.(int64)
	if !ok {
		return 0, malformed("a number is missing")
	}
	return n, nil
}

// endsRevision reports whether a revision ends at the offset: right after an end-of-file marker whose startxref names
// a section of the chain, or after the white space that follows it.
func (p *pdf) endsRevision(offset int64) (bool, error) {
	for _, s := range p.sections {
		gap := offset - s.end
		if s.end == 0 || !p.starts[s.names] || gap < 0 || gap > maxPadding {
			continue
		}
		buf := make([]byte, gap)
		if err := readAt(p.file, buf, s.end); err != nil {
			return false, err
		}
		if len(bytes.TrimLeft(buf, " \t\r\n\f\x00")) == 0 {
			return true, nil
		}
	}
	return false, nil
}

// maxPadding is how much white space after a marker is taken to belong to it.
const maxPadding = 1024
