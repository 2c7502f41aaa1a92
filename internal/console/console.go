// Package console is the operators' pages: what happened, what waits, what is wrong, and the few actions that change it.
//
// A page never does what a route does not: everything that it shows, and everything that it does, it asks of the REST API
// in the same process, with the key that its operator signed in with. So that the rules stand in one place, a page knows
// shapes and words of the API and no more.
//
// It promises that a page is readable without JavaScript; that no page takes a script, a style or a frame from elsewhere
// or from within itself; that nobody sees more than the sign-in page without the key; that what changes something came
// from a form of its own; and that templates cost nothing until the first page is asked for.
package console

import (
	"context"
	"net/http"
	"path"
	"strings"
	"time"
)

// Parts are what the console works with.
type Parts struct {
	API       http.Handler // the REST API
	KeyHeader string       // in which it expects its key

	// Key returns the API key, which is what operators sign in with. An empty key lets nobody in. Again says that somebody came
	// with another key, so that one which was kept must be read anew.
	Key func(ctx context.Context, again bool) (string, error)
	// Limiter counts attempts to sign in.
	Limiter Limiter
	// Client is the address that a request is counted for.
	Client func(r *http.Request) string
	// UploadOrigin is where files that are too large for the API go, "https://host", since pages may send nothing elsewhere.
	UploadOrigin func(ctx context.Context) (string, error)

	Version string           // of the service
	Now     func() time.Time // time.Now if it is nil
}

// Limiter counts requests.
type Limiter interface {
	// Allow counts a request of a client in the policy's window that now is in. It returns 0 if there is a permit left for
	// it, or after what time the client may ask again.
	Allow(ctx context.Context, policy, client string, permits int, window time.Duration, now time.Time) (retryAfter time.Duration, err error)
}

type server struct {
	Parts
	spare spare // counts attempts to sign in while Limiter cannot
}

// New makes the handler of all pages and of their assets. What is under /api/ it leaves to the API.
func New(p Parts) http.Handler {
	if p.Now == nil {
		p.Now = time.Now
	}
	s := &server{Parts: p}
	pages := http.NewServeMux()
	s.addLogin(pages)
	s.addPreferences(pages)
	s.addOverview(pages)
	s.addJobs(pages)
	s.addInput(pages)
	s.addEvents(pages)
	s.addProfiles(pages)
	s.addUpload(pages)
	s.addVerify(pages)
	s.addSystem(pages)
	nowhere := s.page(func(*visit) error { return errNoPage })
	pages.HandleFunc("/", nowhere)
	return apart{api: p.API, assets: http.HandlerFunc(serveAsset), pages: s.guard(pages), nowhere: s.guard(nowhere)}
}

// apart tells pages from what has rules of its own. A path is taken to the letter: the mux would lead one with a slash too
// many to another, and lose the name of a stage before it.
type apart struct{ api, assets, pages, nowhere http.Handler }

// ServeHTTP serves one request.
func (a apart) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := r.URL.Path
	switch {
	case p == "/api" || strings.HasPrefix(p, "/api/"):
		a.api.ServeHTTP(w, r)
	case strings.HasPrefix(p, assetRoot):
		a.assets.ServeHTTP(w, r)
	case p == "" || path.Clean(p) != p:
		a.nowhere.ServeHTTP(w, r)
	default:
		a.pages.ServeHTTP(w, r)
	}
}
