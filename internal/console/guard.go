package console

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"bulksigner/internal/fault"
)

// uploadPath is the page that files are handed in on.
const uploadPath = "/upload"

// maxForm is the longest form that a page reads. Files have a limit of their own.
const maxForm = 256 << 10

// guard does for every page what has nothing to do with which one it is.
func (s *server) guard(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.secure(w, r)
		if changes(r.Method) && !ownOrigin(r) {
			http.Error(w, "This form was not sent by a page of this service.", http.StatusForbidden)
			return
		}
		squeezed := squeeze(w, r)
		defer squeezed.finish()
		defer survive(squeezed, r)
		pages.ServeHTTP(squeezed, r)
	})
}

// secure sets what every page says. Scripts, styles and pictures come from this service alone and never stand in a page, so
// that text from outside that got into one could still do nothing.
func (s *server) secure(w http.ResponseWriter, r *http.Request) {
	connect := "'self'"
	if r.URL.Path == uploadPath {
		connect += s.uploadOrigin(r)
	}
	h := w.Header()
	everywhere(h)
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src "+
		connect+"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Vary", "Cookie, Accept-Language, Accept-Encoding")
}

// everywhere is what pages and assets say alike: they are what their type says, come by TLS, and are nobody else's parts.
func everywhere(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Strict-Transport-Security", "max-age=31536000")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// uploadOrigin is where the page with this path may send large files, after a space. Without it, it can send small ones.
func (s *server) uploadOrigin(r *http.Request) string {
	origin, err := s.UploadOrigin(r.Context())
	if err != nil {
		slog.WarnContext(r.Context(), "no address for large files", "code", fault.CodeOf(err), "err", err)
		return ""
	}
	return " " + origin
}

func changes(method string) bool { return method != http.MethodGet && method != http.MethodHead }

// ownOrigin reports whether a page of this service sent the request. Every browser names the origin of a form. What answers
// without TLS is not this service, except on one's own machine.
func ownOrigin(r *http.Request) bool {
	origin, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && origin.Host != "" && strings.EqualFold(origin.Host, hostOf(r)) &&
		(origin.Scheme == "https" || origin.Scheme == "http" && loopback(origin.Hostname()))
}

// hostOf is the host that was asked. Behind API Gateway it is known by its header alone.
func hostOf(r *http.Request) string { return cmp.Or(r.Header.Get("Host"), r.Host) }

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// survive answers for a page that panicked. The value stays out of the log: it can quote the request.
func survive(w http.ResponseWriter, r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	slog.ErrorContext(r.Context(), "page panicked", "type", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
	http.Error(w, "Something went wrong here. The log has it.", http.StatusInternalServerError)
}

// squeezed compresses a page, since API Gateway does not.
type squeezed struct {
	http.ResponseWriter
	accepted bool         // by the browser
	gzip     *gzip.Writer // nil: as it is
}

// compressors are used again: one of them is as large as hundreds of pages.
var compressors = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}

// squeeze decides by the request alone; what is written decides again with its header.
func squeeze(w http.ResponseWriter, r *http.Request) *squeezed {
	return &squeezed{ResponseWriter: w, accepted: takesGzip(r)}
}

// takesGzip reports whether a body may be compressed. "gzip;q=0" says that it may not.
func takesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, params, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			weight, weighed := strings.CutPrefix(strings.ToLower(strings.TrimSpace(params)), "q=")
			q, err := strconv.ParseFloat(weight, 64)
			return !weighed || err == nil && q > 0
		}
	}
	return false
}

// WriteHeader says that the body is compressed, unless it is no page: documents pass as they are.
func (s *squeezed) WriteHeader(status int) {
	if s.accepted && s.gzip == nil && strings.HasPrefix(s.Header().Get("Content-Type"), "text/html") {
		s.Header().Set("Content-Encoding", "gzip")
		s.gzip = compressors.Get().(*gzip.Writer)
		s.gzip.Reset(s.ResponseWriter)
	}
	s.ResponseWriter.WriteHeader(status)
}

// Write writes a part of the body, whose header must have been written.
func (s *squeezed) Write(b []byte) (int, error) {
	if s.gzip != nil {
		return s.gzip.Write(b)
	}
	return s.ResponseWriter.Write(b)
}

// finish ends the body. A connection that is gone is nobody's fault.
func (s *squeezed) finish() {
	if s.gzip != nil {
		_ = s.gzip.Close()
		compressors.Put(s.gzip)
	}
}
