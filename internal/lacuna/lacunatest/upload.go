package lacunatest

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"sync"
)

// upload is a file that waits to become a document.
type upload struct{ file *blob }

// blob is a file. Files that are added again and again are kept once, with what was found out about them.
type blob struct {
	bytes []byte
	sum   func() string // MD5
}

func newBlob(b []byte) *blob {
	return &blob{b, sync.OnceValue(func() string {
		sum := md5.Sum(b)
		return hex.EncodeToString(sum[:])
	})}
}

func (b *blob) md5() string { return b.sum() }

// blob finds the blob of a file that somebody adds.
func (s *Signer) blob(b []byte) *blob {
	if len(b) == 0 {
		return newBlob(b)
	}
	known, ok := s.blobs[&b[0]]
	if !ok || len(known.bytes) != len(b) {
		known = newBlob(b)
		s.blobs[&b[0]] = known
	}
	return known
}

func (s *Signer) keep(file []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now()
	id := newID()
	s.uploads[id] = &upload{newBlob(file)}
	return id
}

// form is a multipart request that was read.
type form struct {
	file              []byte
	name, contentType string
}

// upload is POST /api/uploads.
func (s *Signer) upload(c *call) answer {
	f, err := readForm(c)
	if err != nil {
		return malformed("The form cannot be read.")
	}
	switch {
	case f.file == nil:
		return malformed("The file field is required.")
	case f.name == "":
		return malformed("The file has no name.")
	case int64(len(f.file)) > s.o.MaxUpload:
		return answer{status: http.StatusRequestEntityTooLarge}
	}
	id := s.keep(f.file)
	return success(fileModel{ID: id, Name: text(f.name), ContentType: f.contentType, Location: text("/api/uploads/" + id)})
}

// readForm takes the file part whatever its name, and what the text parts add to it.
func readForm(c *call) (f form, err error) {
	kind, params, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return f, http.ErrNotMultipart
	}
	r := multipart.NewReader(bytes.NewReader(c.body), params["boundary"])
	texts := map[string]string{}
	for {
		p, err := r.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return f, err
		}
		content, err := io.ReadAll(p)
		if err != nil {
			return f, err
		}
		if p.FileName() == "" && isText(p.FormName()) {
			texts[p.FormName()] = string(content)
			continue
		}
		f.file, f.name, f.contentType = content, p.FileName(), p.Header.Get("Content-Type")
	}
	f.name = cmp.Or(texts["name"], f.name)
	f.contentType = cmp.Or(texts["contentType"], f.contentType, "application/octet-stream")
	return f, nil
}

func isText(part string) bool { return part == "name" || part == "contentType" }

// uploadBytes is POST /api/uploads/bytes.
func (s *Signer) uploadBytes(c *call) answer {
	var in struct{ Bytes *[]byte }
	if err := c.decode(&in); err != nil || in.Bytes == nil {
		return malformed("The Bytes field is required.")
	}
	if int64(len(*in.Bytes)) > s.o.MaxUpload {
		return answer{status: http.StatusRequestEntityTooLarge}
	}
	sum := md5.Sum(*in.Bytes)
	return success(bytesModel{ID: text(s.keep(*in.Bytes)), Size: len(*in.Bytes), Digest: text(base64.StdEncoding.EncodeToString(sum[:]))})
}
