package console

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"bulksigner/internal/fault"
	"bulksigner/internal/fault/guide"
)

//go:embed template
var templates embed.FS

// view is what a template sees. Data is the page's own.
type view struct {
	*locale
	Path    string // of this page, with its query
	Section string // the first segment of the path: which entry of the menu is the current one
	Theme   string // light, dark, or "" for the system's
	Version string
	Notice  string // what was just done
	In      bool   // somebody has signed in
	Data    any
}

const (
	themeCookie  = "theme"
	noticeCookie = "__Host-notice"
)

func (v *visit) view(data any) view {
	out := view{
		locale: v.loc, Path: cmp.Or(v.back, v.r.URL.RequestURI()), Version: v.s.Version, Data: data, In: v.api.handler != nil,
		Section: strings.SplitN(strings.TrimPrefix(v.r.URL.Path, "/"), "/", 2)[0], Notice: takeNotice(v.w, v.r),
	}
	if c, err := v.r.Cookie(themeCookie); err == nil && (c.Value == "light" || c.Value == "dark") {
		out.Theme = c.Value
	}
	return out
}

// Asset is where a file of static is served.
func (view) Asset(file string) string { return assetPath(file) }

// Guide says what a code means and what to do, or nothing.
func (v view) Guide(code fault.Code) *guide.Entry {
	entry, ok := guide.For(code, v.Tag)
	if !ok {
		return nil
	}
	return &entry
}

// notice has the next page say what was done.
func notice(w http.ResponseWriter, text string) {
	http.SetCookie(w, &http.Cookie{
		Name: noticeCookie, Value: base64.RawURLEncoding.EncodeToString([]byte(text)), Path: "/", MaxAge: 60,
		HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode,
	})
}

// takeNotice returns what the page before had to say, once.
func takeNotice(w http.ResponseWriter, r *http.Request) string {
	c, err := r.Cookie(noticeCookie)
	if err != nil || r.Header.Get("HX-Request") != "" {
		return ""
	}
	http.SetCookie(w, &http.Cookie{
		Name: noticeCookie, Path: "/", MaxAge: -1, HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode,
	})
	b, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return ""
	}
	return string(b)
}

// frame is what every page has: layout.html, which goes around it, and part-*.html, which several use.
var frame = sync.OnceValue(func() *template.Template {
	t := template.New("layout.html").Funcs(template.FuncMap{"dict": dict})
	return template.Must(t.ParseFS(templates, "template/layout.html", "template/part-*.html"))
})

// pages are the templates by the names of their files.
var pages = lazy(func(name string) *template.Template {
	page := template.Must(frame().Clone())
	return template.Must(page.ParseFS(templates, "template/"+name+".html")) // a test shows each
})

// execute writes a page into memory, so that one that fails half-way is not half shown.
func execute(name string, v view) ([]byte, error) {
	var out bytes.Buffer
	err := pages(name).ExecuteTemplate(&out, "layout.html", v)
	return out.Bytes(), err
}

// dict hands several values to a part of a page: names and values in turn.
func dict(pairs ...any) (map[string]any, error) {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("the name of a value is a %T", pairs[i])
		}
		out[name] = pairs[i+1]
	}
	return out, nil
}
