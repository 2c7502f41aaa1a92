package browser_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// BenchmarkServerTime asks the whole service for each page: the front, the function and the emulated AWS. No browser waits.
func BenchmarkServerTime(b *testing.B) {
	s := opened(b)
	for _, p := range pages {
		if p.then != nil || p.status != 0 || p.out {
			continue
		}
		path := s.place(p.path)
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				s.fetch(b, path)
			}
		})
	}
}

// fetch reads a page as somebody who has signed in.
func (s *stage) fetch(t testing.TB, path string) {
	r, err := http.NewRequest(http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.AddCookie(&http.Cookie{Name: sessionCookie, Value: s.session})
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s is answered %d, %v", path, resp.StatusCode, err)
	}
}

// place is a path with the ids of jobs in it.
func (s *stage) place(path string) string {
	for key, id := range s.ids {
		path = strings.ReplaceAll(path, "{"+key+"}", id)
	}
	return path
}
