package pdf

import (
	"bytes"

	"bulksigner/internal/fault"
)

const (
	headerMark = "%PDF-"
	startMark  = "startxref"
	markRoom   = 80 // bytes in which a mark and its number must be
)

// checkHeader wants the header at the very start: all offsets count from it, and readers disagree on what is meant when
// something stands before it.
func (f *File) checkHeader() error {
	if f.src.size > maxSize {
		return fault.New(fault.JobInputTooLarge, "a PDF has at most %d bytes", int64(maxSize))
	}
	head := make([]byte, min(f.src.size, 1024)) // as far as readers look for a header
	if err := f.src.read(head, 0); err != nil {
		return err
	}
	switch at := bytes.Index(head, []byte(headerMark)); {
	case len(head) == 0:
		return fault.New(fault.PDFNotAPDF, "the file is empty")
	case at < 0:
		return fault.New(fault.PDFNotAPDF, "the file does not begin like a PDF")
	case at > 0:
		return malformed("there are %d bytes before the header", at)
	}
	if v := head[len(headerMark):]; len(v) < 3 || v[0] != '1' && v[0] != '2' || v[1] != '.' || !isDigits(v[2:3]) {
		return malformed("the header has no known version of PDF")
	}
	return nil
}

// findStart returns the last start offset of the file. Whatever follows it is padding.
func (f *File) findStart() (int64, error) {
	end, limit := f.src.size, max(0, f.src.size-maxTail)
	for step := int64(1 << 10); end > limit; step = blockSize {
		from := max(limit, end-step)
		chunk := make([]byte, min(f.src.size, end+markRoom)-from)
		if err := f.src.read(chunk, from); err != nil {
			return 0, err
		}
		if start, ok := lastStart(chunk); ok {
			return start, nil
		}
		end = from
	}
	return 0, malformed("there is no start offset near the end of the file")
}

// lastStart finds the last mark that a number follows.
func lastStart(chunk []byte) (int64, bool) {
	for {
		at := bytes.LastIndex(chunk, []byte(startMark))
		if at < 0 {
			return 0, false
		}
		end := min(len(chunk), at+markRoom)
		s := scanner{text: chunk[:end], pos: at + len(startMark), whole: true}
		if n, err := s.integer(); err == nil {
			return n, true
		}
		chunk = chunk[:at]
	}
}
