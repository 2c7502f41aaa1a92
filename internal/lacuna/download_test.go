package lacuna_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"bulksigner/internal/fault"
)

func TestDownload(t *testing.T) {
	t.Parallel()
	want := bytes.Repeat([]byte("%PDF \x00\xff"), 100_000)
	for name, h := range map[string]http.HandlerFunc{
		"with its length": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(want) },
		"in chunks": func(w http.ResponseWriter, _ *http.Request) {
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write(want)
		},
		"compressed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(want)
			_ = z.Close()
		},
	} {
		var got bytes.Buffer
		c := serving(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.String() != "/api/documents/"+documentID+"/content?type=Signatures" || r.Header.Get("X-Api-Key") != apiKey || r.Header.Get("Accept") != "*/*" {
				t.Errorf("asked %s with %v", r.URL, r.Header)
			}
			w.Header().Set("Content-Type", "application/pdf")
			h(w, r)
		})
		if err := c.Download(t.Context(), strings.ToUpper(documentID), &got); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: %d bytes, %v", name, got.Len(), err)
		}
	}
}

func TestDownloadThatEndsEarly(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"before its length": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n%PDF",
		"in a chunk":        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n%PDF",
		"after a chunk":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n%PDF\r\n",
		"compressed":        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 12\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x00\x00",
		"at once":           "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		"with a page":       "HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; charset=utf-8\r\nContent-Length: 6\r\n\r\n<html>",
	} {
		var got bytes.Buffer
		err := clientOf(newRawServer(t, write(text)).url).Download(t.Context(), documentID, &got)
		if v := judged(t, err); v != (verdict{200, "", true, false}) {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
		if strings.Contains(got.String(), "html") {
			t.Errorf("%s: %q was written", name, got.String())
		}
	}
}

type fullDisk struct{ err error }

func (d fullDisk) Write(p []byte) (int, error) { return len(p) / 2, d.err }

func TestDownloadReturnsErrorsOfTheWriter(t *testing.T) {
	t.Parallel()
	full := fault.New(fault.UploadTooLarge, "too large")
	for _, tt := range []struct{ err, want error }{{full, full}, {nil, io.ErrShortWrite}} {
		err := answering(t, http.StatusOK, "application/pdf", "content").Download(t.Context(), documentID, fullDisk{tt.err})
		if err != tt.want || errors.Is(err, fault.SignerUnreachable) {
			t.Errorf("Download = %v, want %v", err, tt.want)
		}
	}
}
