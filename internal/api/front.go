package api

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path"
	"regexp"
	"runtime/debug"

	"bulksigner/internal/fault"
)

// guard does for every request what has nothing to do with its route: it names the request, sets the headers that every
// answer has, and answers where a handler panics.
func guard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(identified(r))
		defer survive(w, r)
		secure(w.Header())
		r.Header.Del("Accept") // everything has one representation
		if r.Body != nil {
			r.Body = body{r.Body}
		}
		h.ServeHTTP(w, r)
	})
}

// front stands before the routes, and answers as a problem where net/http would answer as text.
type front struct{ mux *http.ServeMux }

// ServeHTTP serves one request. Whatever it is, the answer is one of ours.
func (f front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := f.unroutable(w, r); err != nil {
		write(w, r, err)
		return
	}
	f.mux.ServeHTTP(w, r)
}

// unroutable says why no route takes the request. The mux would redirect to a cleaned path; the redirect would lack the
// stage and turn some methods into others, so that a path is taken as it is or not at all.
func (f front) unroutable(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Path == "" || r.URL.Path[0] != '/' || path.Clean(r.URL.Path) != r.URL.Path {
		return fault.New(fault.RouteNotFound, "there is no such path")
	}
	h, pattern := f.mux.Handler(r)
	if pattern != "" {
		return nil
	}
	miss := probe{header: http.Header{}}
	h.ServeHTTP(&miss, r)
	if miss.status != http.StatusMethodNotAllowed {
		return fault.New(fault.RouteNotFound, "there is no such path")
	}
	allow := miss.header.Get("Allow")
	w.Header().Set("Allow", allow)
	return fault.New(fault.MethodNotAllowed, "this path allows %s", allow)
}

// probe is where the mux says what it misses.
type probe struct {
	header http.Header
	status int
}

// Header, WriteHeader and Write make a probe an http.ResponseWriter.
func (p *probe) Header() http.Header         { return p.header }
func (p *probe) WriteHeader(status int)      { p.status = status }
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }

// secure sets what every answer says: nothing of it is to be kept, guessed at, shown as a page or asked for without TLS.
func secure(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Strict-Transport-Security", "max-age=31536000")
	h.Set("X-Content-Type-Options", "nosniff")
}

// survive answers for a handler that panicked. The value stays out of the log: it can quote the request.
func survive(w http.ResponseWriter, r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v)
	}
	write(w, r, fmt.Errorf("panic of type %T", v))
	slog.ErrorContext(r.Context(), "stack of the panic", "request", identityOf(r.Context()).request, "stack", string(debug.Stack()))
}

// body tells a request that breaks off from a failure of ours.
type body struct{ io.ReadCloser }

// Read reads on.
func (b body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		return n, fault.Wrap(fault.RequestInvalid, err, "the body ends early")
	}
	return n, err
}

// identity names a request in answers and logs, and knows the address that it came from.
type identity struct{ request, trace, client string }

type identityKey struct{}

// fromGateway gives a request the id that the platform knows it by, and the address that the platform saw.
func fromGateway(ctx context.Context, id, client string) context.Context {
	return context.WithValue(ctx, identityKey{}, identity{request: id, client: client})
}

func identityOf(ctx context.Context) identity {
	id, _ := ctx.Value(identityKey{}).(identity)
	return id
}

// rootForm is the trace id in an X-Amzn-Trace-Id header. A client can send one too, hence the strictness.
var rootForm = regexp.MustCompile(`(?:^|;)Root=(1-[0-9a-f]{8}-[0-9a-f]{24})(?:;|$)`)

// identified completes the request's identity.
func identified(r *http.Request) context.Context {
	id := identityOf(r.Context())
	if id.request == "" {
		id.request = rand.Text()
	}
	id.trace = id.request
	if m := rootForm.FindStringSubmatch(r.Header.Get("X-Amzn-Trace-Id")); m != nil {
		id.trace = m[1]
	}
	return context.WithValue(r.Context(), identityKey{}, id)
}
