package lacunatest

import (
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// download is GET /api/documents/{id}/content.
func (s *Signer) download(c *call) answer {
	kind := parameters(c.URL.Query())["type"]
	if !downloads[kind] {
		return malformed("The value is not valid for Type.")
	}
	var d *document
	a := s.onDocument(c, func(found *document, _ time.Time) answer {
		d = found
		return allowed(d.status, kind)
	})
	if d == nil || a.status != http.StatusOK {
		return a
	}
	return d.attachment(kind) // without the lock: signatures may have to be made
}

// attachment is a file of the document.
func (d *document) attachment(kind string) answer {
	if kind != "Signatures" {
		return file(d.original.bytes, d.mime, d.fileName)
	}
	signed, err := d.file.bytes()
	if err != nil {
		return answer{status: http.StatusInternalServerError} // it was laid out before, and cannot fail
	}
	mime, name := signedFile(d)
	return file(signed, mime, name)
}

func file(content []byte, contentType, name string) answer {
	return answer{status: http.StatusOK, raw: content, header: http.Header{
		"Content-Type":        {contentType},
		"Content-Disposition": {mime.FormatMediaType("attachment", map[string]string{"filename": name})},
	}}
}

// redirect sends a download to the other host, with a link that needs no key.
func (s *Signer) redirect(c *call) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := parameters(c.URL.Query())["type"]
	return answer{status: http.StatusFound, header: http.Header{"Location": {s.away + "/" + c.doc + "?type=" + url.QueryEscape(kind)}}}
}

// serveAway answers what was redirected.
func (s *Signer) serveAway(w http.ResponseWriter, r *http.Request) {
	c := &call{Request: r, op: Away, doc: strings.ToLower(strings.Trim(r.URL.Path, "/"))}
	row := s.record(c)
	s.mu.Lock()
	s.now()
	d, err := s.find(c.doc)
	s.mu.Unlock()
	a := answer{status: http.StatusNotFound}
	if err == nil {
		a = d.attachment(parameters(r.URL.Query())["type"])
	}
	s.settle(row, c, a, a.status == http.StatusOK)
	a.write(w)
}
