package lacuna_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/lacuna"
)

// form reads the parts of an upload: what each says of itself, and its content.
func form(t testing.TB, r *http.Request) (parts []string, contents []string) {
	t.Helper()
	reader, err := r.MultipartReader()
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	for {
		p, err := reader.NextRawPart()
		if err == io.EOF {
			return parts, contents
		}
		if err != nil {
			t.Error(err)
			return parts, contents
		}
		b, _ := io.ReadAll(p)
		parts = append(parts, p.Header.Get("Content-Disposition")+" "+p.Header.Get("Content-Type"))
		contents = append(contents, string(b))
	}
}

func TestUpload(t *testing.T) {
	t.Parallel()
	every := make([]byte, 1<<16)
	for i := range every {
		every[i] = byte(i)
	}
	tests := []struct {
		name, file, kind, content string
		shown, disposition, typed string
	}{
		{"plain", "a.pdf", "application/pdf", "x", "a.pdf", `filename="a.pdf"`, "application/pdf"},
		{"empty", "a.pdf", "application/pdf", "", "a.pdf", `filename="a.pdf"`, "application/pdf"},
		{"every byte", "a.pdf", "application/pdf", string(every), "a.pdf", `filename="a.pdf"`, "application/pdf"},
		{"accents", "Contrato – ação nº 1.pdf", "application/pdf", "x", "Contrato – ação nº 1.pdf", `filename="Contrato – ação nº 1.pdf"`, "application/pdf"},
		{"quotes and line ends", "a\"b\\c\r\nX-Evil: 1.pdf", "text/plain; charset=UTF-8", "x", `a"b\cX-Evil: 1.pdf`, `filename="a\"b\\cX-Evil: 1.pdf"`, "text/plain; charset=UTF-8"},
		{"no type", "a.bin", "", "x", "a.bin", `filename="a.bin"`, "application/octet-stream"},
		{"a type with line ends", "a.bin", "a/b\r\nX-Evil: 1", "x", "a.bin", `filename="a.bin"`, "application/octet-stream"},
		{"no name", " ", "application/pdf", "x", "document", `filename="document"`, "application/pdf"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := serving(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/api/uploads" || r.Method != http.MethodPost || r.ContentLength <= 0 || r.Header.Get("X-Api-Key") != apiKey {
					t.Errorf("%s %s of %d bytes", r.Method, r.URL.Path, r.ContentLength)
				}
				parts, contents := form(t, r)
				wantParts := []string{`form-data; name="name" `, `form-data; name="contentType" `, `form-data; name="file"; ` + tt.disposition + " " + tt.typed}
				if got, want := strings.Join(parts, "\n"), strings.Join(wantParts, "\n"); got != want {
					t.Errorf("parts\n%s\nwant\n%s", got, want)
				}
				if len(contents) != 3 || contents[0] != tt.shown || contents[1] != tt.typed || contents[2] != tt.content {
					t.Errorf("contents %.80q", contents)
				}
				_, _ = io.WriteString(w, `{"id":"UP-1","name":null,"contentType":"x"}`)
			})
			// The section begins and ends inside of a longer file.
			r := io.NewSectionReader(strings.NewReader("<"+tt.content+">"), 1, int64(len(tt.content)))
			if id, err := c.Upload(t.Context(), tt.file, tt.kind, r); err != nil || id != "UP-1" {
				t.Errorf("Upload = %q, %v", id, err)
			}
		})
	}
}

// An upload is a form as other readers of forms see it.
func TestUploadIsReadByOthers(t *testing.T) {
	t.Parallel()
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		f, h, err := r.FormFile("file")
		if err != nil {
			t.Error(err)
			return
		}
		b, _ := io.ReadAll(f)
		if h.Filename != `ação "1".pdf` || string(b) != "content" || r.FormValue("name") != h.Filename {
			t.Errorf("%q: %q", h.Filename, b)
		}
		_, _ = io.WriteString(w, `{"id":"UP-1"}`)
	})
	if _, err := c.Upload(t.Context(), `ação "1".pdf`, "application/pdf", section("content")); err != nil {
		t.Error(err)
	}
}

// badFile fails after some bytes, and knows when it is read.
type badFile struct {
	good int64
	err  error
	open atomic.Bool
	t    testing.TB
}

func (f *badFile) ReadAt(p []byte, off int64) (int, error) {
	if !f.open.Load() {
		f.t.Error("the file is read after the upload returned")
	}
	if off >= f.good {
		return 0, f.err
	}
	n := min(int64(len(p)), f.good-off)
	return int(n), nil
}

func TestUploadReportsErrorsOfTheFile(t *testing.T) {
	t.Parallel()
	broken := fault.New(fault.JobInputMissing, "gone")
	for _, tt := range []struct{ err, want error }{{broken, fault.JobInputMissing}, {io.EOF, io.ErrUnexpectedEOF}} {
		c := serving(t, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
		f := &badFile{good: 100_000, err: tt.err, t: t}
		f.open.Store(true)
		_, err := c.Upload(t.Context(), "a.pdf", "application/pdf", io.NewSectionReader(f, 0, 200_000))
		f.open.Store(false)
		if !errors.Is(err, tt.want) || errors.Is(err, fault.SignerUnreachable) {
			t.Errorf("Upload of a file that ends in %v = %v", tt.err, err)
		}
	}
}

// A server that answers before it has read everything leaves nobody who still reads the file.
func TestUploadDoesNotReadAfterItsEnd(t *testing.T) {
	t.Parallel()
	for _, do := range []func(w http.ResponseWriter){
		func(w http.ResponseWriter) { w.WriteHeader(http.StatusRequestEntityTooLarge) },
		func(w http.ResponseWriter) { panic(http.ErrAbortHandler) },
	} {
		var requests atomic.Int32
		c := serving(t, func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			_, _ = io.CopyN(io.Discard, r.Body, 1000)
			do(w)
		})
		f := &badFile{good: 64 << 20, t: t}
		f.open.Store(true)
		_, err := c.Upload(t.Context(), "a.pdf", "application/pdf", io.NewSectionReader(f, 0, f.good))
		f.open.Store(false)
		if v := judged(t, err); v.unsent || requests.Load() != 1 {
			t.Errorf("%+v after %d requests", v, requests.Load())
		}
	}
}

// The same bytes are sent again when the key has changed.
func TestUploadBeginsAnew(t *testing.T) {
	t.Parallel()
	var bodies [][]byte
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		_, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		p, err := multipart.NewReader(r.Body, parameters["boundary"]).ReadForm(1 << 20)
		if err != nil {
			t.Error(err)
			return
		}
		f, _ := p.File["file"][0].Open()
		b, _ := io.ReadAll(f)
		bodies = append(bodies, b)
		if r.Header.Get("X-Api-Key") != "new|key" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, `{"id":"UP-1"}`)
	}, func(o *lacuna.Options) {
		o.Key = func(_ context.Context, again bool) (string, error) {
			if again {
				return "new|key", nil
			}
			return apiKey, nil
		}
	})
	content := section(strings.Repeat("content", 10_000))
	if _, err := content.Seek(5, io.SeekStart); err != nil { // where others left it does not matter
		t.Fatal(err)
	}
	id, err := c.Upload(t.Context(), "a.pdf", "application/pdf", content)
	if err != nil || id != "UP-1" || len(bodies) != 2 || !bytes.Equal(bodies[0], bodies[1]) || len(bodies[0]) != 70_000 {
		t.Errorf("%q, %v, %d bodies", id, err, len(bodies))
	}
}
