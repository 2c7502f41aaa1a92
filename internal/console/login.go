package console

import (
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// Attempts to sign in that one address has. Those that succeed count too: the count comes before the comparison.
const (
	loginPolicy  = "Login"
	loginPermits = 10
	loginWindow  = time.Minute
)

// login is the sign-in page.
type login struct {
	To      string // where it leads
	Problem string // what was wrong, or ""
}

func (s *server) addLogin(mux *http.ServeMux) {
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		v := s.visit(w, r)
		if err := v.render(http.StatusOK, "login", login{To: local(r.FormValue("to"))}); err != nil {
			v.fail(err)
		}
	})
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		v := s.visit(w, r)
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := v.signIn(); err != nil {
			v.fail(err)
		}
	})
	mux.HandleFunc("POST /logout", func(w http.ResponseWriter, r *http.Request) {
		end(w)
		http.Redirect(w, r, "/login", http.StatusSeeOther)
	})
}

// signIn gives a session for the API key. Digests are compared, so that the time tells nothing.
func (v *visit) signIn() error {
	page := login{To: local(v.r.PostFormValue("to"))}
	if wait := v.attempt(); wait > 0 {
		seconds := int64(max(1, math.Ceil(wait.Seconds())))
		v.w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
		page.Problem = v.loc.T("login.limited", v.loc.Number(seconds))
		return v.render(http.StatusTooManyRequests, "login", page)
	}
	apiKey, session, err := v.s.keys(v.r)
	if err != nil {
		return err
	}
	want, got := sha256.Sum256([]byte(apiKey)), sha256.Sum256([]byte(v.r.PostFormValue("key")))
	if subtle.ConstantTimeCompare(want[:], got[:]) != 1 {
		page.Problem = v.loc.T("login.wrong")
		return v.render(http.StatusUnauthorized, "login", page)
	}
	begin(v.w, session, v.s.Now())
	http.Redirect(v.w, v.r, page.To, http.StatusSeeOther)
	return nil
}

// attempt counts an attempt and returns after what time there may be another. A table that cannot count lets it pass: keys
// are long enough, and the pages themselves could show nothing then.
func (v *visit) attempt() time.Duration {
	wait, err := v.s.Limiter.Allow(v.r.Context(), loginPolicy, v.s.Client(v.r), loginPermits, loginWindow, v.s.Now())
	if err != nil {
		slog.WarnContext(v.r.Context(), "attempt to sign in not counted", "code", fault.CodeOf(err), "err", err)
		return 0
	}
	return wait
}

// addPreferences keeps a visitor's language and theme, which need no session.
func (s *server) addPreferences(mux *http.ServeMux) {
	mux.HandleFunc("POST /preferences", func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if tag := r.PostFormValue("language"); slices.Contains(languages, profile.Language(tag)) {
			prefer(w, languageCookie, tag)
		}
		if theme := r.PostFormValue("theme"); theme == "light" || theme == "dark" || theme == "system" {
			prefer(w, themeCookie, theme)
		}
		to := r.PostFormValue("to")
		if to != "/login" {
			to = local(to)
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
	})
}

// prefer keeps a choice for a year.
func prefer(w http.ResponseWriter, name, value string) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: 365 * 24 * 60 * 60, HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode,
	})
}
