package lacunatest

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// Server is a Signer on a port of this machine.
type Server struct {
	*Signer
	URL string

	t testing.TB
}

// NewServer starts a Signer that stops with the test. Each change is applied to zero Options.
func NewServer(t testing.TB, changes ...func(*Options)) *Server {
	t.Helper()
	var o Options
	for _, change := range changes {
		change(&o)
	}
	s := New(o)
	away, here := httptest.NewServer(s.AwayHandler()), httptest.NewServer(s)
	s.SetAway(away.URL)
	t.Cleanup(func() {
		s.Close()
		here.Close()
		away.Close()
	})
	return &Server{Signer: s, URL: here.URL, t: t}
}

// Close ends all waiting, so that a server with the Signer can stop.
func (s *Signer) Close() { s.closing.Do(func() { close(s.stop) }) }

// SetAway says where AwayHandler is reached, for Redirected.
func (s *Signer) SetAway(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = url
}

// AwayHandler is the other host, which serves contents to whoever has the link, and records whether a key came along.
func (s *Signer) AwayHandler() http.Handler { return http.HandlerFunc(s.serveAway) }
