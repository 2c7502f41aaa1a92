// Package paper makes the documents that are signed: each of a given size, and the same in every run.
package paper

import (
	"bufio"
	"errors"
	"io"
	"math/rand/v2"
	"os"
)

// Write writes a document to a file.
func Write(path string, document io.WriterTo) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	_, err = document.WriteTo(w)
	return errors.Join(err, w.Flush(), f.Close())
}

// Noise is content without any structure, as compressed content is.
type Noise int64

// WriteTo implements io.WriterTo.
func (n Noise) WriteTo(w io.Writer) (int64, error) { return io.CopyN(w, newNoise(), int64(n)) }

// newNoise is an endless stream, always the same.
func newNoise() io.Reader {
	return rand.NewChaCha8([32]byte([]byte("a document like any other, again")))
}

// counter counts what is written, and keeps the first error.
type counter struct {
	w   io.Writer
	n   int64
	err error
}

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	c.n, c.err = c.n+int64(n), err
	return n, err
}
