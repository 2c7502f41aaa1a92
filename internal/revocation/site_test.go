package revocation_test

import (
	"bytes"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/revocation"
)

// Addresses that a canned answers for.
const (
	listURL      = "http://lcr1.teste.invalid/ac-emissora.crl"
	otherListURL = "http://lcr2.teste.invalid/ac-emissora.crl"
	responderURL = "http://ocsp.teste.invalid/"
)

// canned is a transport that answers with what stands under an address, or with 404.
type canned map[string][]byte

// RoundTrip answers.
func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body, ok := c[r.URL.String()]
	status := http.StatusOK
	if !ok {
		status = http.StatusNotFound
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: -1, Request: r}, nil
}

// checker makes a Checker that knows nothing but what is canned, at the time of the tests.
func (c canned) checker() *revocation.Checker { return through(c, revocation.Options{}) }

func through(t http.RoundTripper, o revocation.Options) *revocation.Checker {
	o.AllowPrivate = true
	return revocation.New(&http.Client{Transport: t}, func() time.Time { return now }, o)
}

// checkState compares a state; that there is none has its code and, in the cause, the reason why.
func checkState(t *testing.T, got revocation.Status, err error, want revocation.State, why string) {
	t.Helper()
	if got.State != want {
		t.Errorf("state %s (%v), want %s", got.State, err, want)
	}
	switch {
	case want != revocation.Unknown:
		if err != nil {
			t.Error(err)
		}
	case !errors.Is(err, fault.RevocationUnavailable):
		t.Errorf("error %v, want %s", err, fault.RevocationUnavailable)
	case !strings.Contains(err.Error(), why):
		t.Errorf("error %v, want one about %q", err, why)
	}
}

// site serves lists and answers, and counts what it was asked for.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]http.HandlerFunc
	calls map[string]int
}

func newSite(t testing.TB) *site {
	s := &site{pages: map[string]http.HandlerFunc{}, calls: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// newTLSSite serves with TLS, under a certificate that only its own client trusts.
func newTLSSite(t testing.TB) *site {
	s := &site{pages: map[string]http.HandlerFunc{}, calls: map[string]int{}}
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that do not trust it are part of the test
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP answers with the page of the path, or with 404.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.calls[r.URL.Path]++
	page := s.pages[r.URL.Path]
	s.mu.Unlock()
	if page == nil {
		http.NotFound(w, r)
		return
	}
	page(w, r)
}

func (s *site) serve(path string, page http.HandlerFunc) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = page
	return s.URL + path
}

// put serves a body under a path and returns its address.
func (s *site) put(path string, body []byte) string {
	return s.serve(path, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(body) // the client hangs up where a body is too long
	})
}

func (s *site) asked(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[path]
}

// newChecker makes a Checker that may ask this machine, at the time of the tests.
func newChecker(o revocation.Options) *revocation.Checker {
	o.AllowPrivate = true
	return revocation.New(nil, func() time.Time { return now }, o)
}
