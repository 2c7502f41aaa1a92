package console_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func TestPagesAllowNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	s := listed(signedIn(t))
	for _, path := range []string{"/login", "/jobs", "/nowhere"} {
		h := s.get(path).Header()
		policy := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'", "connect-src 'self';"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the policy %s lacks %s", path, policy, want)
			}
		}
		if strings.Contains(policy, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", path, h)
		}
	}
}

func TestPagesHaveNothingInline(t *testing.T) {
	t.Parallel()
	s := listed(signedIn(t))
	inline := regexp.MustCompile(`(?i)<script(?:\s[^>]*)?>[^<]|<style|\sstyle=|\son[a-z]+=|javascript:`)
	for _, path := range []string{"/login", "/jobs", "/nowhere"} {
		if m := inline.FindString(s.get(path).Body.String()); m != "" {
			t.Errorf("%s has %q", path, m)
		}
	}
}

func TestPagesAreCompressed(t *testing.T) {
	t.Parallel()
	s := listed(signedIn(t))
	s.header["Accept-Encoding"] = "gzip, br"
	w := s.get("/jobs")
	if w.Header().Get("Content-Encoding") != "gzip" {
		t.Fatalf("header %v", w.Header())
	}
	z, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(z)
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(page)), "</html>") {
		t.Errorf("%v, %s", err, page)
	}
}

func TestAssetsMayBeKept(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	page := s.get("/login").Body.String()
	found := regexp.MustCompile(`/assets/[^"]+`).FindAllString(page, -1)
	if len(found) != 4 {
		t.Fatalf("assets %v", found)
	}
	for _, asset := range found {
		w := s.get(asset)
		if h := w.Header(); w.Code != http.StatusOK || !strings.Contains(h.Get("Cache-Control"), "immutable") || h.Get("Content-Type") == "" {
			t.Errorf("%s: %d %v", asset, w.Code, h)
		}
	}
	if w := s.get("/assets/console.css"); w.Code != http.StatusNotFound {
		t.Errorf("without a hash: %d", w.Code)
	}
}

// A first visit loads the page and its assets, compressed.
func TestTheFirstLoadIsSmall(t *testing.T) {
	t.Parallel()
	s := listed(signedIn(t))
	s.header["Accept-Encoding"] = "gzip"
	plain := listed(signedIn(t)).get("/jobs").Body.String()
	size := s.get("/jobs").Body.Len()
	for _, asset := range regexp.MustCompile(`/assets/[^"]+`).FindAllString(plain, -1) {
		size += s.get(asset).Body.Len()
	}
	if size > 100_000 {
		t.Errorf("the first load has %d bytes", size)
	}
}

func TestPathsAreTakenToTheLetter(t *testing.T) {
	t.Parallel()
	s := listed(signedIn(t))
	for _, path := range []string{"/jobs/", "//jobs", "/x/../jobs", "/nowhere"} {
		r := httptest.NewRequest(http.MethodGet, "https://console.example/", nil)
		r.URL.Path = path
		if w := s.do(r); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "https://console.example/", nil)
	r.URL.Path = "/api//jobs"
	if w := s.do(r); w.Code != http.StatusUnauthorized {
		t.Errorf("a path of the API is answered by %d", w.Code)
	}
}
