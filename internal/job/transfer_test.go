package job_test

import (
	"mime"
	"testing"

	"bulksigner/internal/job"
)

func TestAttachment(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, want, read string
	}{
		{"a plain name", "a.pdf", `attachment; filename="a.pdf"; filename*=UTF-8''a.pdf`, "a.pdf"},
		{"the last element counts", "2026/03/a.pdf", `attachment; filename="a.pdf"; filename*=UTF-8''a.pdf`, "a.pdf"},
		{"accents", "ação nº 1.pdf", `attachment; filename="a__o n_ 1.pdf"; filename*=UTF-8''a%C3%A7%C3%A3o%20n%C2%BA%201.pdf`, "ação nº 1.pdf"},
		{"nothing ends the header", "a\"\r\nX: 1;%20'.pdf", `attachment; filename="a___X: 1;_20'.pdf"; filename*=UTF-8''a%22%0D%0AX%3A%201%3B%2520%27.pdf`, "a\"\r\nX: 1;%20'.pdf"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := job.Attachment(tt.file)
			if got != tt.want {
				t.Errorf("Attachment = %s, want %s", got, tt.want)
			}
			_, params, err := mime.ParseMediaType(got)
			if err != nil || params["filename"] != tt.read {
				t.Errorf("read back: %q, %v; want %q", params["filename"], err, tt.read)
			}
		})
	}
}
