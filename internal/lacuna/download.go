package lacuna

import (
	"context"
	"io"
	"net/http"
)

const opDownload = "download the document"

// Download writes the signed bytes of a concluded document to w. What w has after an error is worth nothing. An error of w
// comes back as it is.
func (c *Client) Download(ctx context.Context, documentID string, w io.Writer) error {
	asked := guid(documentID)
	if asked == "" {
		return impossible(opDownload, errGUID)
	}
	q := question{op: opDownload, path: "/api/documents/" + asked + "/content?type=Signatures", accept: "*/*"}
	if err := c.admit(ctx, q); err != nil {
		return err
	}
	ctx, watch, end := c.transfer(ctx)
	defer end()
	response, err := c.exchange(ctx, q)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	watch.rest()
	return save(ctx, w, response, watch)
}

// save copies an answer to w.
func save(ctx context.Context, w io.Writer, r *http.Response, watch *watch) error {
	if mimeType(r.Header.Get("Content-Type")) == "text/html" {
		return foreign(opDownload, errHTML)
	}
	out := &sink{w: w}
	n, err := io.Copy(out, watched{r.Body, watch})
	switch {
	case out.err != nil:
		return out.err
	case err != nil:
		return broken(ctx, opDownload, err)
	case n == 0:
		return foreign(opDownload, errEmpty)
	}
	return nil
}

// sink tells an error of the writer from one of the reader.
type sink struct {
	w   io.Writer
	err error
}

// Write implements io.Writer.
func (s *sink) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	s.err = err
	return n, err
}
