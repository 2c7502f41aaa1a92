package workflow

import (
	"bytes"
	"context"
	"crypto"
	_ "crypto/sha512" // the other digest of AD-RB
	"fmt"
	"hash"
	"io"
	"log/slog"
	"os"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// document is an input that was fetched: its bytes, hashed on their way in.
type document struct {
	io.ReaderAt
	size   int64
	digest hash.Hash // in the algorithm of the signature
	sum    [32]byte  // SHA-256
	close  func() error
}

// fetch reads an object version once.
func (w *Workflow) fetch(ctx context.Context, o job.Object, h crypto.Hash) (*document, error) {
	d := &document{size: o.Size, digest: h.New()}
	sum := crypto.SHA256.New()
	hashes := io.Writer(d.digest)
	if h != crypto.SHA256 {
		hashes = io.MultiWriter(d.digest, sum)
	}
	to, err := w.store(d)
	if err != nil {
		return nil, err
	}
	count := &counter{w: io.MultiWriter(to, hashes), left: o.Size}
	if err := w.Inputs.Fetch(ctx, o, count); err != nil {
		return nil, closing(d, fmt.Errorf("fetch the input: %w", err))
	}
	if count.left != 0 {
		return nil, closing(d, fmt.Errorf("the input ended %d bytes early", count.left))
	}
	if b, ok := to.(*bytes.Buffer); ok {
		d.ReaderAt = bytes.NewReader(b.Bytes())
	}
	if h == crypto.SHA256 {
		d.digest.Sum(d.sum[:0])
	} else {
		sum.Sum(d.sum[:0])
	}
	return d, nil
}

// store opens the place for the document's bytes: memory, or a temporary file for a large one.
func (w *Workflow) store(d *document) (io.Writer, error) {
	if d.size <= w.InMemory {
		d.close = func() error { return nil }
		return bytes.NewBuffer(make([]byte, 0, d.size)), nil
	}
	f, err := w.temporary()
	if err != nil {
		return nil, err
	}
	d.ReaderAt, d.close = f, f.Close
	return f, nil
}

// temporary opens a file without a name, which goes with the process, however that ends.
func (w *Workflow) temporary() (*os.File, error) {
	f, err := os.CreateTemp(w.Temporary, "document-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, fmt.Errorf("unlink the temporary file: %w", err)
	}
	return f, nil
}

func closing(d *document, err error) error {
	if cerr := d.close(); cerr != nil {
		return fmt.Errorf("%w (and close: %w)", err, cerr)
	}
	return err
}

// release closes the document. What cannot be closed is said and harms nothing: the file has no name.
func (d *document) release(ctx context.Context) {
	if err := d.close(); err != nil {
		slog.WarnContext(ctx, "document not closed", "err", err)
	}
}

// counter refuses more bytes than were announced.
type counter struct {
	w    io.Writer
	left int64
}

func (c *counter) Write(p []byte) (int, error) {
	if int64(len(p)) > c.left {
		return 0, fault.New(fault.Internal, "the input is longer than announced")
	}
	n, err := c.w.Write(p)
	c.left -= int64(n)
	return n, err
}

// joined reads the original and what was appended as one file.
type joined struct {
	head io.ReaderAt
	size int64
	tail []byte
}

// whole is a section of all of b.
func whole(b []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b)))
}

func (j joined) section() *io.SectionReader {
	return io.NewSectionReader(j, 0, j.size+int64(len(j.tail)))
}

// ReadAt implements io.ReaderAt.
func (j joined) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, os.ErrInvalid
	}
	n := 0
	if off < j.size {
		var err error
		want := min(int64(len(p)), j.size-off)
		if n, err = j.head.ReadAt(p[:want], off); int64(n) < want {
			return n, err
		}
	}
	if n == len(p) {
		return n, nil
	}
	if at := off + int64(n) - j.size; at < int64(len(j.tail)) {
		n += copy(p[n:], j.tail[at:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
