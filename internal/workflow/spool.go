package workflow

import (
	"bytes"
	"crypto"
	"fmt"
	"os"

	"bulksigner/internal/fault"
)

// spool takes in what has an unknown size: in memory at first, and in a temporary file once it is too large for that.
type spool struct {
	w        *Workflow
	limit    int64
	memory   *bytes.Buffer
	file     *os.File // nil while memory serves
	document document
}

// spool opens a spool for at most limit bytes.
func (w *Workflow) spool(limit int64) *spool {
	return &spool{w: w, limit: limit, memory: &bytes.Buffer{}, document: document{digest: crypto.SHA256.New(), close: func() error { return nil }}}
}

// Write implements io.Writer. It returns fault.JobInputTooLarge beyond the limit.
func (s *spool) Write(p []byte) (int, error) {
	if s.document.size+int64(len(p)) > s.limit {
		return 0, fault.New(fault.JobInputTooLarge, "the signed document has more than %d bytes", s.limit)
	}
	if s.file == nil && s.document.size+int64(len(p)) > s.w.InMemory {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	var n int
	var err error
	if s.file != nil {
		n, err = s.file.Write(p)
	} else {
		n, err = s.memory.Write(p)
	}
	s.document.size += int64(n)
	s.document.digest.Write(p[:n]) // a hash never fails
	return n, err
}

// spill moves what is in memory to a file.
func (s *spool) spill() error {
	f, err := s.w.temporary()
	if err != nil {
		return err
	}
	s.file, s.document.close = f, f.Close
	if _, err := f.Write(s.memory.Bytes()); err != nil {
		return fmt.Errorf("write a temporary file: %w", err)
	}
	s.memory = nil
	return nil
}

// done returns the document once all is written.
func (s *spool) done() *document {
	d := &s.document
	if s.file != nil {
		d.ReaderAt = s.file
	} else {
		d.ReaderAt = bytes.NewReader(s.memory.Bytes())
	}
	d.digest.Sum(d.sum[:0])
	return d
}
