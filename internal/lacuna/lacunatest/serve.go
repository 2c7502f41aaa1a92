package lacunatest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const keyHeader = "X-Api-Key"

// call is a request with its body, which is read before anything else happens.
type call struct {
	*http.Request
	op   Op
	doc  string // id of the document that it is about, if there is one
	body []byte
	over bool // the body is larger than what is taken
}

// answer is what a call is answered, in a form in which faults can change it.
type answer struct {
	status int
	json   any // the body, or nil
	raw    []byte
	header http.Header
	drop   bool
	cut    bool
}

func (s *Signer) routes() {
	for pattern, route := range map[string]struct {
		op     Op
		handle func(*call) answer
	}{
		"POST /api/uploads":                                    {Upload, s.upload},
		"POST /api/uploads/bytes":                              {Upload, s.uploadBytes},
		"POST /api/documents":                                  {Create, s.create},
		"GET /api/documents":                                   {List, s.list},
		"GET /api/documents/{id}":                              {Details, s.details},
		"GET /api/documents/{id}/content":                      {Download, s.download},
		"POST /api/documents/{id}/cancellation":                {Cancel, s.cancellation},
		"POST /api/documents/{id}/refusal":                     {Refusal, s.refusal},
		"DELETE /api/documents/{id}":                           {Delete, s.deletion},
		"GET /api/folders":                                     {Folders, s.listFolders},
		"GET /api/folders/{id}":                                {Folder, s.describeFolder},
		"POST /api/documents/{id}/action-url":                  {ActionURL, s.actionURL},
		"POST /api/documents/keys/{key}/signature/certificate": {Start, s.start},
		"POST /api/documents/keys/{key}/signature":             {Complete, s.complete},
		"/": {Unknown, func(*call) answer { return answer{status: http.StatusNotFound} }},
	} {
		s.mux.HandleFunc(pattern, s.serve(route.op, route.handle))
	}
}

// ServeHTTP answers a call.
func (s *Signer) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

func (s *Signer) serve(op Op, handle func(*call) answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &call{Request: r, op: op, doc: s.about(r)}
		if err := c.read(s.o.MaxUpload); err != nil {
			panic(http.ErrAbortHandler) // the client left in the middle of its request
		}
		row, f := s.record(c), s.fault(c)
		a, effect := s.respond(c, handle, f)
		s.settle(row, c, a, effect)
		a.write(w)
	}
}

// about finds the document that a request is about.
func (s *Signer) about(r *http.Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, ok := s.keys[r.PathValue("key")]; ok {
		return d.id
	}
	if d, ok := s.docs[strings.ToLower(r.PathValue("id"))]; ok {
		return d.id
	}
	return ""
}

// maxEnvelope is what a request may have beside its file.
const maxEnvelope = 1 << 20

// read reads the body, up to a limit; base64 makes a file a third larger.
func (c *call) read(maxFile int64) (err error) {
	limit := int64(maxEnvelope)
	if c.op == Upload {
		limit += maxFile + maxFile/2
	}
	c.body, err = io.ReadAll(io.LimitReader(c.Body, limit+1))
	c.over = int64(len(c.body)) > limit
	return err
}

// respond carries a call out, unless a fault is in its way, and says whether it did.
func (s *Signer) respond(c *call, handle func(*call) answer, f Fault) (a answer, effect bool) {
	early := f.Drop || f.Instead != nil || f.Away
	if !f.Late && !s.wait(c.Context(), s.o.Latency+f.Delay) {
		return answer{drop: true}, false
	}
	a = answer{drop: f.Drop, status: http.StatusOK}
	if !early || f.Late {
		a, effect = s.carry(c, handle)
		a = f.alter(a)
		a.drop, a.cut = f.Drop, f.Cut
	}
	if f.Late && !s.wait(c.Context(), s.o.Latency+f.Delay) {
		a.drop = true
	}
	switch {
	case a.drop:
	case f.Away:
		a = s.redirect(c)
	case f.Instead != nil:
		a = answer{status: f.Instead.Status, raw: f.Instead.Body, header: f.Instead.Header}
	}
	return a, effect
}

// carry checks the key and carries a call out.
func (s *Signer) carry(c *call, handle func(*call) answer) (answer, bool) {
	if status := s.admit(c); status != http.StatusOK {
		return answer{status: status}, false
	}
	if c.over {
		return answer{status: http.StatusRequestEntityTooLarge}, false
	}
	a := handle(c)
	return a, a.status == http.StatusOK
}

// admit looks at the API key.
func (s *Signer) admit(c *call) int {
	key := c.Header.Get(keyHeader)
	if key == s.o.Key || c.op == Unknown || !needsKey(c.op) {
		return http.StatusOK
	}
	if slices.Contains(s.o.Foreign, key) {
		return http.StatusForbidden
	}
	return http.StatusUnauthorized
}

// wait reports whether the client is still there afterwards.
func (s *Signer) wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-s.stop:
	}
	return false
}

func (a answer) write(w http.ResponseWriter) {
	if a.drop {
		panic(http.ErrAbortHandler)
	}
	for k, v := range a.header {
		w.Header()[k] = v
	}
	body := a.raw
	if a.json != nil {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		body = encode(a.json)
	}
	if a.cut && a.json != nil {
		body = body[:len(body)/2]
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(a.status)
	if a.cut && a.json == nil {
		_, _ = w.Write(body[:len(body)/2])
		panic(http.ErrAbortHandler) // before the length that was promised
	}
	_, _ = w.Write(body) // a client that left does not care
}

// encode is JSON without escapes for HTML.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // all that is answered can be encoded
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func success(v any) answer { return answer{status: http.StatusOK, json: v} }

// done is the answer of calls that have nothing to say.
func done() answer { return answer{status: http.StatusOK} }

// refuse is a business error.
func refuse(code string) answer {
	return answer{status: http.StatusUnprocessableEntity, json: failure{Code: text(code), Message: text("Refused by the test service: " + code)}}
}

// malformed is the answer to a request that cannot be read.
func malformed(what string) answer {
	return answer{
		status: http.StatusBadRequest, raw: []byte(what + "\r\n"),
		header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}},
	}
}

var errNoJSON = errors.New("the request is not JSON")

// decode reads a JSON request as the service does: unknown fields are accepted.
func (c *call) decode(v any) error {
	if kind := mediaType(c.Header.Get("Content-Type")); kind != "text/json" && kind != "application/json" && !isPlusJSON(kind) {
		return errNoJSON
	}
	return json.Unmarshal(c.body, v)
}

func isPlusJSON(kind string) bool {
	return strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
}

// mediaType is a content type without its parameters.
func mediaType(header string) string {
	kind, _, _ := strings.Cut(header, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}
