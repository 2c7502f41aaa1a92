package cades

import (
	"encoding/base64"
	"io"
)

// The text around and in a message in PEM.
const (
	pemBegin = "-----BEGIN PKCS7-----\n"
	pemEnd   = "-----END PKCS7-----\n"

	pemColumns   = 64
	pemLine      = pemColumns + 1
	pemLineBytes = pemColumns / 4 * 3
)

// PEM returns a message as text, in lines of 64 letters under the label PKCS7. The text is made as it is read, in any
// order, and takes no memory.
func PEM(message *io.SectionReader) *io.SectionReader {
	letters := (message.Size() + 2) / 3 * 4
	t := pemText{message: message, body: letters + (letters+pemColumns-1)/pemColumns}
	return io.NewSectionReader(t, 0, int64(len(pemBegin))+t.body+int64(len(pemEnd)))
}

type pemText struct {
	message *io.SectionReader
	body    int64 // size of the lines between the first and the last
}

// ReadAt implements io.ReaderAt, but for places before the text: a section reader asks for none.
func (t pemText) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		got, err := t.some(p[n:], off+int64(n))
		if n += got; err != nil {
			return n, err
		}
	}
	return n, nil
}

// some reads at least one byte.
func (t pemText) some(p []byte, off int64) (int, error) {
	if off < int64(len(pemBegin)) {
		return copy(p, pemBegin[off:]), nil
	}
	if off -= int64(len(pemBegin)); off < t.body {
		return t.lines(p, off)
	}
	if off -= t.body; off < int64(len(pemEnd)) {
		return copy(p, pemEnd[off:]), nil
	}
	return 0, io.EOF
}

// lines encodes a run of lines, of which the first may be wanted from its middle on.
func (t pemText) lines(p []byte, off int64) (int, error) {
	const most = 512
	line, column := off/pemLine, off%pemLine
	wanted := min(most, (int64(len(p))+column+pemLine-1)/pemLine)
	source := make([]byte, min(wanted*pemLineBytes, t.message.Size()-line*pemLineBytes))
	if n, err := t.message.ReadAt(source, line*pemLineBytes); n < len(source) {
		return 0, err
	}
	text := make([]byte, 0, wanted*pemLine)
	for len(source) > 0 {
		n := min(pemLineBytes, len(source))
		text = append(base64.StdEncoding.AppendEncode(text, source[:n]), '\n')
		source = source[n:]
	}
	return copy(p, text[column:]), nil
}
