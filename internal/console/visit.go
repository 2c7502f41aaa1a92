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
	w    http.ResponseWriter
	r    *http.Request
	s    *server
	api  client
	loc  *locale
	back string // the address of the page that is shown, unless it is the request's own
}

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

// refreshHeader is on requests that a page makes by itself: nobody need be there.
const refreshHeader = "X-Refresh"

// signedIn reports whether a request has a session, and returns the key that it stands for. The session begins anew with
// what somebody asks for; a page that refreshes itself does not keep it.
func (s *server) signedIn(w http.ResponseWriter, r *http.Request) (apiKey string, in bool, err error) {
	apiKey, key, err := s.keys(r, false)
	if err != nil {
		return "", false, err
	}
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return "", false, nil // no cookie, no session
	}
	until, ok := openSession(key, cookie.Value, s.Now())
	if ok && r.Header.Get(refreshHeader) == "" && until.Sub(s.Now()) < sessionLives-renewAfter {
		begin(w, key, s.Now())
	}
	return apiKey, ok, nil
}

// keys returns the API key and the key of its sessions. Again says that somebody came with another one.
func (s *server) keys(r *http.Request, again bool) (apiKey string, session []byte, err error) {
	apiKey, err = s.Key(r.Context(), again)
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
// is told to load the whole page. From an address that takes a form, a page leads on to where the form is.
func (v *visit) mustSignIn() {
	if v.r.Header.Get("HX-Request") != "" || v.forScript() {
		v.w.Header().Set("HX-Redirect", loginFor(v.around()))
		v.w.WriteHeader(http.StatusUnauthorized)
		return
	}
	http.Redirect(v.w, v.r, loginFor(local(v.r.URL.RequestURI())), http.StatusSeeOther)
}

// around is the page in which a part is asked for, or the first one if it is none of this service.
func (v *visit) around() string {
	u, err := url.Parse(v.r.Header.Get("HX-Current-URL"))
	if err != nil || !strings.EqualFold(u.Host, hostOf(v.r)) {
		return "/"
	}
	return local(u.RequestURI())
}

// loginFor is the sign-in page that leads to a page.
func loginFor(to string) string {
	if to == "/" {
		return "/login"
	}
	return "/login?to=" + url.QueryEscape(to)
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

// show writes a page with what was refused on it, if anything was.
func (v *visit) show(refused *problem, name string, data any) error {
	if refused == nil {
		return v.render(http.StatusOK, name, data)
	}
	v.mind(refused)
	return v.render(refused.Status, name, data)
}

// mind hands on when the API may be asked again.
func (v *visit) mind(refused *problem) {
	if refused.retryAfter != "" {
		v.w.Header().Set("Retry-After", refused.retryAfter)
	}
}

// write sends a body. An error is about a connection that is gone: nobody is there to be told.
func (v *visit) write(body []byte) { _, _ = v.w.Write(body) }

// done leads on after a form: the browser then shows to, which says what was done.
func (v *visit) done(to, message string, args ...any) error {
	notice(v.w, v.loc.T(message, args...))
	http.Redirect(v.w, v.r, to, http.StatusSeeOther)
	return nil
}

// fail shows what went wrong, with what it means and what to do. What the API failed at is in the log by then.
func (v *visit) fail(err error) {
	if _, answered := errors.AsType[*problem](err); !answered {
		v.log("page failed", err)
	}
	p := problemOf(err)
	if err := v.show(p, "error", p); err != nil {
		v.log("page not shown", err)
		http.Error(v.w, "Something went wrong here. The log has it.", http.StatusInternalServerError)
	}
}

func (v *visit) log(message string, err error) {
	slog.ErrorContext(v.r.Context(), message, "path", v.r.Pattern, "code", fault.CodeOf(err), "err", err)
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

// leading is a page that leads to another: what has the address of a form alone is asked for when somebody chose a language
// after the form was refused.
func (s *server) leading(to string) http.HandlerFunc {
	return s.page(func(v *visit) error {
		http.Redirect(v.w, v.r, to, http.StatusSeeOther)
		return nil
	})
}

// now is the time of the visit.
func (v *visit) now() time.Time { return v.s.Now() }
