package emulator_test

import (
	"net/http"
	"testing"

	"bulksigner/internal/local/emulator"
)

// TestPagesMaySendFiles asks as a browser does before it sends a file to a link.
func TestPagesMaySendFiles(t *testing.T) {
	t.Parallel()
	c, bucket := newBucket(t)
	if err := emulator.AllowUploads(t.Context(), c, bucket); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, method, headers string
		allowed               bool
	}{
		{"a file", "PUT", "content-type,if-none-match", true},
		{"no other header", "PUT", "x-amz-acl", false},
		{"no other method", "DELETE", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, local.URL+"/"+bucket+"/uploads/x.pdf", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Origin", "http://127.0.0.1:8080")
			r.Header.Set("Access-Control-Request-Method", tt.method)
			r.Header.Set("Access-Control-Request-Headers", tt.headers)
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if got := resp.Header.Get("Access-Control-Allow-Origin"); (got != "" && resp.StatusCode == http.StatusOK) != tt.allowed {
				t.Errorf("answers %d and allows %q", resp.StatusCode, got)
			}
		})
	}
}
