package console

import (
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
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
		if err := v.render(http.StatusOK, "login", login{To: local(r.URL.Query().Get("to"))}); err != nil {
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
	mux.HandleFunc("GET /logout", s.leading("/"))
}

// signIn gives a session for the API key.
func (v *visit) signIn() error {
	if err := v.readForm(); err != nil {
		return err
	}
	page := login{To: local(v.r.PostForm.Get("to"))}
	v.back = loginFor(page.To)
	if wait := v.attempt(); wait > 0 {
		seconds := int64(max(1, math.Ceil(wait.Seconds())))
		v.w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
		page.Problem = v.loc.T("login.limited", v.loc.Number(seconds))
		return v.render(http.StatusTooManyRequests, "login", page)
	}
	session, ok, err := v.opens(v.r.PostForm.Get("key"))
	if err != nil {
		return err
	}
	if !ok {
		page.Problem = v.loc.T("login.wrong")
		return v.render(http.StatusUnauthorized, "login", page)
	}
	begin(v.w, session, v.s.Now())
	http.Redirect(v.w, v.r, page.To, http.StatusSeeOther)
	return nil
}

// opens reports whether the service has this key, and returns the key of its sessions. The service keeps its key for a
// while: one that it does not know may be newer, so that it looks anew before it says no.
func (v *visit) opens(key string) (session []byte, ok bool, err error) {
	var apiKey string
	for _, again := range []bool{false, true} {
		if apiKey, session, err = v.s.keys(v.r, again); err != nil {
			return nil, false, err
		}
		if same(strings.TrimSpace(apiKey), strings.TrimSpace(key)) { // blanks come with what is copied
			return session, true, nil
		}
	}
	return nil, false, nil
}

// same compares digests, so that the time tells nothing.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// attempt counts an attempt and returns after what time there may be another. While the table cannot count, which somebody
// may have brought about, this environment counts by itself.
func (v *visit) attempt() time.Duration {
	wait, err := v.s.Limiter.Allow(v.r.Context(), loginPolicy, v.s.Client(v.r), loginPermits, loginWindow, v.s.Now())
	if err != nil {
		slog.WarnContext(v.r.Context(), "attempt to sign in counted here alone", "code", fault.CodeOf(err), "err", err)
		return v.s.spare.allow(v.s.Now())
	}
	return wait
}

// spare counts the attempts of everybody in this environment.
type spare struct {
	mu   sync.Mutex
	end  time.Time // of the window
	used int
}

func (s *spare) allow(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !now.Before(s.end) {
		s.end, s.used = now.Add(loginWindow), 0
	}
	if s.used++; s.used <= loginPermits {
		return 0
	}
	return s.end.Sub(now)
}

// addPreferences keeps a visitor's language and theme, which need no session.
func (s *server) addPreferences(mux *http.ServeMux) {
	mux.HandleFunc("POST /preferences", func(w http.ResponseWriter, r *http.Request) {
		v := s.visit(w, r)
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := v.readForm(); err != nil {
			v.fail(err)
			return
		}
		if tag := r.PostForm.Get("language"); slices.Contains(languages, profile.Language(tag)) {
			prefer(w, languageCookie, tag)
		}
		if theme := r.PostForm.Get("theme"); theme == "light" || theme == "dark" || theme == "system" {
			prefer(w, themeCookie, theme)
		}
		http.Redirect(w, r, localOrLogin(r.PostForm.Get("to")), http.StatusSeeOther)
	})
	mux.HandleFunc("GET /preferences", s.leading("/"))
}

// localOrLogin is local for somebody who may be about to sign in.
func localOrLogin(to string) string {
	if u, err := url.Parse(to); err == nil && u.Path == "/login" {
		return loginFor(local(u.Query().Get("to")))
	}
	return local(to)
}

// prefer keeps a choice for a year.
func prefer(w http.ResponseWriter, name, value string) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: 365 * 24 * 60 * 60, HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode,
	})
}
