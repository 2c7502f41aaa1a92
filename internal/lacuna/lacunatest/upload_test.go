package lacunatest_test

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"testing"

	"bulksigner/internal/lacuna/lacunatest"
)

// postForm uploads a file under any part name.
func postForm(t *testing.T, s *lacunatest.Server, part, fileName, contentType, content string, texts map[string]string) reply {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for k, v := range texts {
		if err := w.WriteField(k, v); err != nil {
			t.Fatal(err)
		}
	}
	if part != "" {
		h := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + part + `"; filename="` + fileName + `"`}, "Content-Type": {contentType}}
		p, err := w.CreatePart(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/api/uploads", &b)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("X-Api-Key", s.Key())
	got, err := exchange(r)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAFileIsTakenUnderAnyPartName(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	texts := map[string]string{"name": "relatório.pdf", "contentType": "application/pdf"}
	for _, part := range []string{"file", "content", "relatorio.pdf"} {
		got := postForm(t, s, part, "x", "application/octet-stream", "%PDF", texts).object(t)
		if got["name"] != "relatório.pdf" || got["contentType"] != "application/pdf" || got["id"] == nil {
			t.Errorf("%s: %v", part, got)
		}
	}
	got := postForm(t, s, "file", "nota.xml", "text/xml", "<a/>", nil).object(t)
	if got["name"] != "nota.xml" || got["contentType"] != "text/xml" {
		t.Errorf("without text parts: %v", got)
	}
}

func TestUploadsAreRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(o *lacunatest.Options) { o.MaxUpload = 10 })
	tests := []struct {
		name string
		got  reply
		want int
	}{
		{"without a file", postForm(t, s, "", "", "", "", map[string]string{"name": "a"}), 400},
		{"without a name", postForm(t, s, "file", "", "text/plain", "a", nil), 400},
		{"too large", postForm(t, s, "file", "a", "text/plain", "12345678901", nil), 413},
		{"not a form", ask(t, s, "POST", "/api/uploads", object{}), 400},
		{"no bytes", ask(t, s, "POST", "/api/uploads/bytes", object{}), 400},
		{"bytes that are no base64", ask(t, s, "POST", "/api/uploads/bytes", object{"bytes": "%"}), 400},
		{"too many bytes", ask(t, s, "POST", "/api/uploads/bytes", object{"bytes": []byte("12345678901")}), 413},
	}
	for _, tt := range tests {
		if tt.got.status != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, tt.got.status, tt.want)
		}
	}
}

func TestAnUploadOfBytesSaysWhatArrived(t *testing.T) {
	t.Parallel()
	got := ask(t, newServer(t), "POST", "/api/uploads/bytes", object{"bytes": []byte("abc")}).object(t)
	sum := md5.Sum([]byte("abc"))
	if got["size"] != 3.0 || got["digest"] != base64.StdEncoding.EncodeToString(sum[:]) {
		t.Errorf("%v", got)
	}
}
