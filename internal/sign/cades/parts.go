package cades

import (
	"bytes"
	"io"
)

// Parts is a signed message around its content.
//
// If the content is inside, the message is Header, content, Trailer, in DER. If it is outside, Header is empty and
// Trailer is all of the message.
type Parts struct{ Header, Trailer []byte }

// Around returns the message with its content, of which size is the size in bytes. Where the content is outside, give
// none: Around(nil, 0).
func (p Parts) Around(content io.ReaderAt, size int64) *io.SectionReader {
	m := message{io.NewSectionReader(bytes.NewReader(p.Header), 0, int64(len(p.Header)))}
	if size > 0 {
		m = append(m, io.NewSectionReader(content, 0, size))
	}
	m = append(m, io.NewSectionReader(bytes.NewReader(p.Trailer), 0, int64(len(p.Trailer))))
	return io.NewSectionReader(m, 0, m.size())
}

// message reads sections one after the other as one file.
type message []*io.SectionReader

func (m message) size() (n int64) {
	for _, s := range m {
		n += s.Size()
	}
	return n
}

// ReadAt implements io.ReaderAt.
func (m message) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for _, s := range m {
		if off >= s.Size() {
			off -= s.Size()
			continue
		}
		want := min(int64(len(p)-n), s.Size()-off)
		got, err := s.ReadAt(p[n:n+int(want)], off)
		n += got
		if int64(got) < want {
			return n, err
		}
		off = 0
		if n == len(p) {
			return n, nil
		}
	}
	return n, io.EOF
}
