package lacuna_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"bulksigner/internal/lacuna"
)

// hop is a server that records whether the key came to it.
type hop struct {
	*httptest.Server
	keys, bare atomic.Int32
	referers   atomic.Int32
}

func newHop(t testing.TB, secure bool, h http.HandlerFunc) *hop {
	t.Helper()
	p := &hop{}
	counted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != "" {
			p.keys.Add(1)
		} else {
			p.bare.Add(1)
		}
		if r.Referer() != "" {
			p.referers.Add(1)
		}
		h(w, r)
	})
	p.Server = httptest.NewUnstartedServer(counted)
	p.Config.ErrorLog = log.New(io.Discard, "", 0)
	if secure {
		p.StartTLS()
	} else {
		p.Start()
	}
	t.Cleanup(p.Close)
	return p
}

func content(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "content") }

func TestRedirectToAnotherHostGoesWithoutTheKey(t *testing.T) {
	t.Parallel()
	store := newHop(t, false, content)
	signer := newHop(t, false, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, store.URL+"/blob?sig=x", http.StatusFound)
	})
	var got bytes.Buffer
	if err := clientOf(signer.URL).Download(t.Context(), documentID, &got); err != nil || got.String() != "content" {
		t.Errorf("%q, %v", got.String(), err)
	}
	if signer.keys.Load() != 1 || store.keys.Load() != 0 || store.bare.Load() != 1 || store.referers.Load() != 0 {
		t.Errorf("the key came to Signer %d times, to the other host %d times", signer.keys.Load(), store.keys.Load())
	}
}

func TestRedirectWithinTheHostKeepsTheKey(t *testing.T) {
	t.Parallel()
	signer := newHop(t, false, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			http.Redirect(w, r, "/new"+r.URL.Path, http.StatusPermanentRedirect)
			return
		}
		_, _ = io.WriteString(w, `{"id":"`+folderID+`"}`)
	})
	if _, err := clientOf(signer.URL).Folder(t.Context(), folderID); err != nil || signer.keys.Load() != 2 {
		t.Errorf("%v, the key came %d times", err, signer.keys.Load())
	}
}

// Another host cannot make a request with the key by sending the client back.
func TestKeyDoesNotComeBackFromAnotherHost(t *testing.T) {
	t.Parallel()
	var signer *hop
	other := newHop(t, false, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, signer.URL+"/back", http.StatusFound)
	})
	signer = newHop(t, false, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/back" {
			content(w, r)
			return
		}
		http.Redirect(w, r, other.URL, http.StatusFound)
	})
	if err := clientOf(signer.URL).Download(t.Context(), documentID, io.Discard); err != nil {
		t.Fatal(err)
	}
	if signer.keys.Load() != 1 || signer.bare.Load() != 1 || other.keys.Load() != 0 {
		t.Errorf("the key came to Signer %d times, to the other host %d times", signer.keys.Load(), other.keys.Load())
	}
}

func TestRedirectsEnd(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, fmt.Sprint("/", calls.Add(1)), http.StatusFound)
	})
	_, err := c.Folder(t.Context(), folderID)
	if v := judged(t, err); v != (verdict{302, "", true, false}) || calls.Load() != 6 {
		t.Errorf("%+v after %d requests", v, calls.Load())
	}
}

func trusting(s *httptest.Server) func(*lacuna.Options) {
	return func(o *lacuna.Options) { o.Transport = s.Client().Transport.(*http.Transport) }
}

func TestRedirectNeverLeavesTLS(t *testing.T) {
	t.Parallel()
	plain := newHop(t, false, content)
	signer := newHop(t, true, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, plain.URL, http.StatusFound) })
	err := clientOf(signer.URL, trusting(signer.Server)).Download(t.Context(), documentID, io.Discard)
	if v := judged(t, err); v != (verdict{302, "", true, false}) || plain.bare.Load() != 0 {
		t.Errorf("%+v, %d requests in the clear", v, plain.bare.Load())
	}
}

// A read that is sent to an address that is none fails without quoting it.
func TestRedirectToNoAddress(t *testing.T) {
	t.Parallel()
	for _, to := range []string{"http://%zzSECRET", "gopher://SECRET/", "http:///SECRET"} {
		c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		})
		_, err := c.Folder(t.Context(), folderID)
		if v := judged(t, err); v != (verdict{transient: true}) {
			t.Errorf("to %s: %+v, %v", to, v, err)
		}
	}
}

func TestCallsOverTLS(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	protocols := map[string]int{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		protocols[r.Proto]++
		mu.Unlock()
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"id":"`+folderID+`"}`)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	c := clientOf(s.URL, trusting(s))
	for range 2 {
		_, errFolder := c.Folder(t.Context(), folderID)
		_, errUpload := c.Upload(t.Context(), "a", "", section("x"))
		if errFolder != nil || errUpload != nil {
			t.Error(errFolder, errUpload)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(protocols) != 1 || protocols["HTTP/1.1"] != 4 {
		t.Errorf("protocols %v, want HTTP/1.1 alone", protocols)
	}
}

func TestUnknownCertificateIsUnsent(t *testing.T) {
	t.Parallel()
	s := newHop(t, true, content)
	for _, call := range calls {
		err := call.do(t.Context(), clientOf(s.URL))
		if v := judged(t, err); v != (verdict{transient: true, unsent: true}) || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%s: %+v, %v", call.name, v, err)
		}
	}
}
