package verify

import (
	"bytes"
	"errors"
	"strconv"

	"bulksigner/internal/fault"
)

// Limits of cross-reference sections.
const (
	maxSections    = 1024     // one revision adds one or two
	maxSubsections = 1 << 16  // all sections together
	maxNumber      = 1 << 31  // object numbers
	tail           = 16 << 10 // how far before the end of the file the last startxref may be
)

// section is one cross-reference section: a table, or a stream.
type section struct {
	trailer dict
	parts   []subsection
	data    []byte   // entries of a stream; nil for a table, whose entries stay in the file
	widths  [3]int64 // of a stream's fields

	names int64 // what the startxref after it says
	end   int64 // right after the end-of-file marker that follows; 0 if none does
}

// subsection is a run of entries for consecutive object numbers.
type subsection struct {
	first, count int64
	at           int64 // of the first entry, in the file or in data
	width        int64 // of a table's entry, line end included
}

// entry says where an object is.
type entry struct {
	kind   int64 // 0 free, 1 in the file, 2 in an object stream
	offset int64 // in the file; or the number of the object stream
	index  int64 // in the object stream
}

const (
	entryFree = iota
	entryInFile
	entryInStream
)

// lastSection finds where the newest section begins. It is the one place where text is searched for.
func (p *pdf) lastSection() (int64, error) {
	buf := make([]byte, min(tail, p.size))
	base := p.size - int64(len(buf))
	if err := readAt(p.file, buf, base); err != nil {
		return 0, err
	}
	i := bytes.LastIndex(buf, []byte("startxref"))
	if i < 0 {
		return 0, malformed("there is no startxref near the end of the file")
	}
	l, err := p.lexerAt(base + int64(i))
	if err != nil {
		return 0, err
	}
	at, _, err := l.startxref(p)
	return at, err
}

// startxref reads the keyword, the number and the end-of-file marker, and returns the number and where the marker ends.
// The end is 0 if there is no marker: an old file may lack it, but then no signature can end there.
func (l *lexer) startxref(p *pdf) (at, end int64, err error) {
	t, err := l.token()
	if err != nil || t.kind != tokKeyword || t.text != "startxref" {
		return 0, 0, orMalformed(err, "there is no startxref after a trailer")
	}
	if t, err = l.token(); err != nil || t.kind != tokInt {
		return 0, 0, orMalformed(err, "startxref has no number")
	}
	marker := []byte("%%EOF")
	for i := int64(0); i < 16; i++ { // white space comes before the marker, which to a lexer is a comment
		at := l.pos() + i
		if at+int64(len(marker)) > p.size {
			break
		}
		buf := make([]byte, len(marker))
		if err := readAt(p.file, buf, at); err != nil {
			return 0, 0, err
		}
		if bytes.Equal(buf, marker) {
			return t.num, at + int64(len(marker)), nil
		}
		if !isSpace(buf[0]) {
			break
		}
	}
	return t.num, 0, nil
}

func orMalformed(err error, detail string) error {
	if err != nil {
		return err
	}
	return malformed("%s", detail)
}

// readSections follows the chain from the newest section to the oldest.
func (p *pdf) readSections(at int64) error {
	seen := make(map[int64]bool)
	for more := true; more; {
		if seen[at] || len(p.sections) >= maxSections {
			return malformed("the cross-reference sections run in a circle, or there are more than %d", maxSections)
		}
		seen[at] = true
		s, err := p.section(at)
		if err != nil {
			return err
		}
		if len(seen) == 1 {
			p.trailer = s.trailer
		}
		// The stream beside a table holds the objects that the table calls free, so it is asked first.
		if hidden, ok := s.trailer.get("XRefStm").(int64); ok && s.data == nil {
			h, err := p.section(hidden)
			if err != nil {
				return err
			}
			h.end = 0
			p.sections = append(p.sections, h)
		}
		p.sections = append(p.sections, s)
		if at, more = s.trailer.get("Prev").(int64); !more && s.trailer.get("Prev") != nil {
			return malformed("Prev is not a number")
		}
		more = more && at != 0 // where the header is: some writers say so that nothing comes before
	}
	p.starts = seen
	return nil
}

func (p *pdf) section(at int64) (*section, error) {
	l, err := p.lexerAt(at)
	if err != nil {
		return nil, err
	}
	t, err := l.token()
	if err != nil {
		return nil, err
	}
	s := new(section)
	if t.kind == tokKeyword && t.text == "xref" {
		l, err = p.table(l, s)
	} else {
		l, err = p.xrefStream(at, s)
	}
	if err != nil {
		return nil, err
	}
	if p.parts += len(s.parts); p.parts > maxSubsections {
		return nil, malformed("there are more than %d cross-reference subsections", maxSubsections)
	}
	// What follows a section matters only for knowing where revisions end, so it need not be right: in a linearized
	// file it is a startxref that names nothing.
	s.names, s.end, err = l.startxref(p)
	return s, forgive(err)
}

// forgive takes back an error about the file, but none about reading it.
func forgive(err error) error {
	if errors.Is(err, fault.PDFMalformed) {
		return nil
	}
	return err
}

// A table's entry: 18 bytes and a line end, which should have two but has one with some writers, and three with others.
const (
	entryText = 18
	entryMost = entryText + 3
)

// table reads the headers of a classic table and its trailer. The entries are read when an object is looked for, so
// that a table of millions costs nothing.
func (p *pdf) table(l *lexer, s *section) (*lexer, error) {
	for {
		t, err := l.token()
		if err != nil {
			return nil, err
		}
		if t.kind == tokKeyword && t.text == "trailer" {
			return l, l.trailer(s)
		}
		part, err := l.subsection(t)
		if err != nil {
			return nil, err
		}
		if part.width, err = p.entryWidth(part); err != nil {
			return nil, err
		}
		if part.count > (p.size-part.at)/part.width {
			return nil, malformed("a cross-reference table goes beyond the end of the file")
		}
		if s.parts = append(s.parts, part); len(s.parts) > maxSubsections {
			return nil, malformed("there are more than %d cross-reference subsections", maxSubsections)
		}
		if l, err = p.lexerAt(part.at + part.count*part.width); err != nil {
			return nil, err
		}
	}
}

// subsection reads the rest of a header, up to its first entry or, if it has none, to what comes next.
func (l *lexer) subsection(first token) (subsection, error) {
	count, err := l.token()
	if err != nil {
		return subsection{}, err
	}
	s := subsection{first: first.num, count: count.num}
	if first.kind != tokInt || count.kind != tokInt || !s.valid() {
		return subsection{}, malformed("a cross-reference table has a bad header")
	}
	if _, err := l.skip(); err != nil {
		return subsection{}, early(err)
	}
	l.back()
	s.at = l.pos()
	return s, nil
}

// entryWidth measures the first entry of a subsection.
func (p *pdf) entryWidth(s subsection) (int64, error) {
	if s.count == 0 {
		return entryMost, nil
	}
	buf := make([]byte, min(entryMost, max(p.size-s.at, 0)))
	if err := readAt(p.file, buf, s.at); err != nil {
		return 0, err
	}
	width := int64(entryText)
	for width < int64(len(buf)) && isSpace(buf[width]) {
		width++
	}
	return width, nil
}

func (l *lexer) trailer(s *section) error {
	t, err := l.token()
	if err != nil {
		return err
	}
	v, err := l.value(t, 0)
	if err != nil {
		return err
	}
	var ok bool
	if s.trailer, ok = v.(dict); !ok {
		return malformed("a trailer is not a dictionary")
	}
	return nil
}

func (s subsection) valid() bool {
	return s.first >= 0 && s.count >= 0 && s.first < maxNumber && s.count < maxNumber
}

// find looks an object up in one section.
func (p *pdf) find(s *section, num int64) (entry, bool, error) {
	for _, part := range s.parts {
		i := num - part.first
		if i < 0 || i >= part.count {
			continue
		}
		if s.data != nil {
			return s.streamEntry(part.at, i), true, nil
		}
		e, err := p.tableEntry(part.at + i*part.width)
		return e, true, err
	}
	return entry{}, false, nil
}

func (p *pdf) tableEntry(at int64) (entry, error) {
	buf := make([]byte, entryText)
	if err := readAt(p.file, buf, at); err != nil {
		return entry{}, err
	}
	offset, err := strconv.ParseUint(string(buf[:10]), 10, 63)
	if err != nil || buf[10] != ' ' || buf[16] != ' ' || buf[17] != 'n' && buf[17] != 'f' {
		return entry{}, malformed("a cross-reference table has a bad entry")
	}
	if buf[17] == 'f' {
		return entry{kind: entryFree}, nil
	}
	return entry{kind: entryInFile, offset: int64(offset)}, nil
}
