package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"bulksigner/internal/local/emulator"
)

// TestSnare: it keeps the first request that is looked for until its sender is gone, and no other.
func TestSnare(t *testing.T) {
	t.Parallel()
	s, seen := &snare{}, 0
	watch := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { seen++; next.ServeHTTP(w, r) })
	}
	served := 0
	h := s.around(watch)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ }))
	ask := func(ctx context.Context, who, method string) {
		r := httptest.NewRequestWithContext(ctx, method, "/b/k", nil)
		r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+emulator.KeyOf(who)+"/20261129/sa-east-1/s3/aws4_request")
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	ask(t.Context(), "sign", "POST")
	caught := s.set("sign", func(r *http.Request) bool { return r.Method == "POST" })
	ask(t.Context(), "sign", "GET")
	ask(t.Context(), "api", "POST")
	gone, leave := context.WithCancel(t.Context())
	leave()
	ask(gone, "sign", "POST")
	<-caught
	ask(t.Context(), "sign", "POST")
	if served != 4 || seen != 5 {
		t.Errorf("%d of %d requests were served, want 4 of 5", served, seen)
	}
}
