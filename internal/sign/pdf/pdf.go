// Package pdf reads the structure of a PDF file and writes a section to be appended to it.
//
// It reads only what it is asked for, in blocks and with limits, so that neither memory nor time follows the size of the
// file. Values stay the bytes they are in the file: changing a dictionary replaces the one value meant and keeps all
// other bytes. It repairs nothing: a file whose structure is damaged is refused with fault.PDFMalformed. What the
// objects mean, and what may be done to them, is left to pades.
package pdf

import (
	"io"

	"bulksigner/internal/fault"
)

// File is the structure of a PDF file. It must not be used concurrently.
type File struct {
	src       *source
	window    []byte // reused by scan
	startXRef int64
	sections  []section // newest first
	free      int       // the first object number that no section mentions
	streams   []objectStream
	nested    int // how deep resolving is, to end cycles
}

// Open reads the header and the chain of cross-reference sections. It returns fault.PDFNotAPDF, fault.PDFMalformed or
// fault.PDFEncrypted; an error without a code is the reader's.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f := &File{src: &source{r: r, size: size}}
	if err := f.checkHeader(); err != nil {
		return nil, err
	}
	start, err := f.findStart()
	if err != nil {
		return nil, err
	}
	if err := f.loadSections(start); err != nil {
		return nil, err
	}
	for i := range f.sections {
		// An older section counts too: what it describes is encrypted even if a careless update left the key out.
		if !f.sections[i].trailer.Get("Encrypt").IsNull() {
			return nil, fault.New(fault.PDFEncrypted, "the document is encrypted")
		}
	}
	return f, nil
}

// Trailer is the dictionary of the newest cross-reference section.
func (f *File) Trailer() Dict { return f.sections[0].trailer }

// Root returns the Catalog and its reference.
func (f *File) Root() (Dict, Ref, error) {
	v, ref, err := f.Resolve(f.Trailer().Get("Root"))
	if err != nil {
		return Dict{}, Ref{}, err
	}
	if v.IsNull() || ref == (Ref{}) {
		return Dict{}, Ref{}, malformed("there is no document catalog")
	}
	d, err := v.Dict()
	return d, ref, err
}

// malformed says, in words that a client may read, what is wrong with a file.
func malformed(format string, args ...any) error {
	return fault.New(fault.PDFMalformed, format, args...)
}
