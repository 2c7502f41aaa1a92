package console

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bulksigner/internal/fault"
)

// visit is one request of somebody who has signed in.
type visit struct {
	w   http.ResponseWriter
	r   *http.Request
	s   *server
	api client
	loc *locale
}

// errNoPage says that there is no such page.
var errNoPage = fault.New(fault.RouteNotFound, "there is no such page")

// page lets a request through to a page if it has a session; otherwise somebody has to sign in first, and comes back.
func (s *server) page(show func(v *visit) error) http.HandlerFunc { return s.taking(maxForm, show) }

// taking is page for one whose form may have so many bytes.
func (s *server) taking(limit int64, show func(v *visit) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := s.visit(w, r)
		apiKey, in, err := s.signedIn(w, r)
		switch {
		case err != nil:
			v.fail(err)
			return
		case !in:
			v.mustSignIn()
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		v.api = client{handler: s.API, header: s.KeyHeader, key: apiKey, language: v.loc.Tag, r: r}
		if err := show(v); err != nil {
			v.fail(err)
		}
	}
}

func (s *server) visit(w http.ResponseWriter, r *http.Request) *visit {
	return &visit{w: w, r: r, s: s, loc: localeOf(r)}
}

// signedIn reports whether a request has a session, which begins anew with it, and returns the key that it stands for.
func (s *server) signedIn(w http.ResponseWriter, r *http.Request) (apiKey string, in bool, err error) {
	apiKey, key, err := s.keys(r)
	if err != nil {
		return "", false, err
	}
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return "", false, nil // no cookie, no session
	}
	until, ok := openSession(key, cookie.Value, s.Now())
	if ok && until.Sub(s.Now()) < sessionLives-renewAfter {
		begin(w, key, s.Now())
	}
	return apiKey, ok, nil
}

// keys returns the API key and the key of its sessions.
func (s *server) keys(r *http.Request) (apiKey string, session []byte, err error) {
	apiKey, err = s.Key(r.Context())
	if err != nil {
		return "", nil, fmt.Errorf("read the API key: %w", err)
	}
	if strings.TrimSpace(apiKey) == "" {
		return "", nil, fault.New(fault.AuthMisconfigured, "the service has no API key; set Auth:ApiKey")
	}
	session, err = sessionKey(apiKey)
	return apiKey, session, err
}

// mustSignIn leads to the sign-in page and from there back. A part of a page that refreshes itself cannot be led: it
// is told to load the whole page.
func (v *visit) mustSignIn() {
	to := "/login"
	if v.r.Method == http.MethodGet {
		to += "?to=" + url.QueryEscape(v.r.URL.RequestURI())
	}
	if v.r.Header.Get("HX-Request") != "" || v.forScript() {
		v.w.Header().Set("HX-Redirect", "/login")
		v.w.WriteHeader(http.StatusUnauthorized)
		return
	}
	http.Redirect(v.w, v.r, to, http.StatusSeeOther)
}

// render writes a page.
func (v *visit) render(status int, name string, data any) error {
	page, err := execute(name, v.view(data))
	if err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Content-Language", v.loc.Tag)
	v.w.WriteHeader(status)
	v.write(page)
	return nil
}

// write sends a body. An error is about a connection that is gone: nobody is there to be told.
func (v *visit) write(body []byte) { _, _ = v.w.Write(body) }

// done leads on after a form: the browser then shows to, which says what was done.
func (v *visit) done(to, message string, args ...any) error {
	notice(v.w, v.loc.T(message, args...))
	http.Redirect(v.w, v.r, to, http.StatusSeeOther)
	return nil
}

// fail shows what went wrong, with what it means and what to do.
func (v *visit) fail(err error) {
	p := problemOf(err)
	if p.Status >= http.StatusInternalServerError {
		slog.ErrorContext(v.r.Context(), "page failed", "path", v.r.Pattern, "code", p.Code, "err", err)
	}
	if err := v.render(p.Status, "error", p); err != nil {
		http.Error(v.w, "Something went wrong here. The log has it.", http.StatusInternalServerError)
	}
}

// problemOf is what the API answered, or what went wrong before.
func problemOf(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	p := &problem{Status: http.StatusInternalServerError, Code: fault.CodeOf(err)}
	if p.Code == fault.RouteNotFound {
		p.Status = http.StatusNotFound
	}
	return p
}

// local is to if it is a path of this service, and the first page otherwise: nobody is led elsewhere by a link to here.
func local(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(to, "/") ||
		strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") || strings.HasPrefix(to, "/login") {
		return "/"
	}
	return to
}

// now is the time of the visit.
func (v *visit) now() time.Time { return v.s.Now() }
