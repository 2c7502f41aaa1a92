package lacuna

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"
	"sync"
)

// Upload sends a file, once, and returns the id by which Create knows it. It reads content to its end from the start, and
// not any more after it has returned. An error of content comes back, wrapped, unless the context ended.
func (c *Client) Upload(ctx context.Context, fileName, kind string, content *io.SectionReader) (uploadID string, err error) {
	q := question{op: "upload the file", path: "/api/uploads", limit: maxSmall}
	if err := c.admit(ctx, q); err != nil {
		return "", err
	}
	up, err := envelop(shown(fileName), contentType(kind), content)
	if err != nil {
		return "", unsent(q.op, err)
	}
	q.body = up.open
	inner, watch, end := c.transfer(ctx)
	defer end()
	up.watch = watch
	b, err := c.whole(inner, q)
	end() // which also ends the reading of an answer that came before the whole file was sent
	up.bodies.Wait()
	if failed := up.failed(); failed != nil && ctx.Err() == nil {
		return "", fmt.Errorf("read the file to upload: %w", failed)
	}
	if err != nil {
		return "", err
	}
	uploadID, err = parseUploaded(b)
	if err != nil {
		return "", foreign(q.op, err)
	}
	return uploadID, nil
}

// maxUploadID is far more than a GUID has.
const maxUploadID = 128

// parseUploaded reads the id of an upload.
func parseUploaded(b []byte) (string, error) {
	var m struct{ ID text }
	if err := decode(b, &m); err != nil {
		return "", err
	}
	if m.ID == "" || len(m.ID) > maxUploadID {
		return "", errForm
	}
	return string(m.ID), nil
}

// upload is a multipart envelope around a file. What stands before and after the file is computed, so that the length is
// known and nothing is copied.
type upload struct {
	head, tail  []byte
	content     *io.SectionReader
	contentType string
	watch       *watch
	bodies      sync.WaitGroup // that were opened and are not closed

	mu  sync.Mutex
	err error // of content
}

func envelop(name, kind string, content *io.SectionReader) (*upload, error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	err := errors.Join(w.WriteField("name", name), w.WriteField("contentType", kind))
	_, errPart := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition("file", name)},
		"Content-Type":        {kind},
	})
	head := bytes.Clone(b.Bytes())
	b.Reset()
	err = errors.Join(err, errPart, w.Close())
	return &upload{head: head, tail: b.Bytes(), content: content, contentType: w.FormDataContentType()}, err
}

// open begins the envelope anew. Each body reads the file by itself, from its start.
func (u *upload) open() (payload, error) {
	u.bodies.Add(1)
	size := u.content.Size()
	b := &uploadBody{upload: u, Reader: io.MultiReader(
		bytes.NewReader(u.head),
		&file{u, io.NewSectionReader(u.content, 0, size), size},
		bytes.NewReader(u.tail),
	)}
	return payload{b, int64(len(u.head)) + size + int64(len(u.tail)), u.contentType}, nil
}

func (u *upload) failed() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.err
}

// file reads the file and keeps its error. A file that ends early is one.
type file struct {
	*upload
	r    io.Reader
	left int64
}

// Read implements io.Reader.
func (f *file) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	f.left -= int64(n)
	if err == io.EOF && f.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil && err != io.EOF {
		f.mu.Lock()
		f.err = err
		f.mu.Unlock()
	}
	return n, err
}

// uploadBody is read by net/http, which writes to the network between two reads.
type uploadBody struct {
	*upload
	io.Reader

	use     sync.Mutex
	reading bool
	closed  bool
}

// Read implements io.Reader. Once everything is read, Signer is given the rest of the time for its answer.
func (b *uploadBody) Read(p []byte) (int, error) {
	if !b.begin() {
		return 0, io.ErrClosedPipe
	}
	defer b.finish()
	b.watch.rest()
	n, err := b.Reader.Read(p)
	if err == nil {
		b.watch.wake()
	}
	return n, err
}

// begin reports whether the body may still be read.
func (b *uploadBody) begin() bool {
	b.use.Lock()
	defer b.use.Unlock()
	b.reading = !b.closed
	return b.reading
}

func (b *uploadBody) finish() {
	b.use.Lock()
	defer b.use.Unlock()
	b.reading = false
	if b.closed {
		b.bodies.Done()
	}
}

// Close implements io.Closer. net/http may call it, and more than once, while another of its goroutines reads: the body is
// in use until that has ended.
func (b *uploadBody) Close() error {
	b.use.Lock()
	defer b.use.Unlock()
	if !b.closed && !b.reading {
		b.bodies.Done()
	}
	b.closed = true
	return nil
}
