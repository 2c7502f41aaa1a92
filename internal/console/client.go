package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"bulksigner/internal/fault"
)

// client asks the REST API for the visitor: in the same process, with the same key, in the visitor's language. The context
// has the address that requests are counted for.
type client struct {
	handler     http.Handler
	header, key string
	language    string
	r           *http.Request
}

// get asks a route and reads its answer into answer.
func (c client) get(path string, answer any) error { return c.send(http.MethodGet, path, nil, answer) }

// send sends a JSON body, or none if it is nil, and reads the answer into answer unless that is nil.
func (c client) send(method, path string, body, answer any) error {
	_, err := c.exchange(method, path, nil, body, answer)
	return err
}

// exchange is send with headers, and returns those of the answer.
func (c client) exchange(method, path string, headers map[string]string, body, answer any) (http.Header, error) {
	var content io.Reader
	all := map[string]string{}
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("encode a request: %w", err)
		}
		content, all["Content-Type"] = bytes.NewReader(b), "application/json"
	}
	for name, value := range headers {
		all[name] = value
	}
	w, err := c.ask(method, path, all, content)
	if err != nil {
		return nil, err
	}
	return w.header, w.read(answer)
}

// ask sends a request and keeps its answer as it is.
func (c client) ask(method, path string, headers map[string]string, content io.Reader) (*recorder, error) {
	r, err := http.NewRequestWithContext(c.r.Context(), method, path, content)
	if err != nil {
		return nil, &problem{Status: http.StatusBadRequest, Code: fault.RequestInvalid, Detail: "the path or the query is not well-formed"}
	}
	r.RemoteAddr = c.r.RemoteAddr
	r.Header.Set(c.header, c.key)
	r.Header.Set("Accept-Language", c.language)
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	c.handler.ServeHTTP(w, r)
	return w, nil
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header, WriteHeader and Write make a recorder an http.ResponseWriter.
func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }

// read reads the answer, or returns the problem that it is.
func (w *recorder) read(answer any) error {
	if w.status >= http.StatusBadRequest {
		return w.problem()
	}
	if answer == nil || w.body.Len() == 0 {
		return nil
	}
	if err := json.Unmarshal(w.body.Bytes(), answer); err != nil {
		return fmt.Errorf("read the API's answer: %w", err)
	}
	return nil
}

// problem reads the answer as a problem. What is none still has its status.
func (w *recorder) problem() *problem {
	p := &problem{}
	if err := json.Unmarshal(w.body.Bytes(), p); err != nil {
		p = &problem{Detail: http.StatusText(w.status)}
	}
	p.Status, p.retryAfter = w.status, w.header.Get("Retry-After")
	return p
}
