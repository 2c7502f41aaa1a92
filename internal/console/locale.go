package console

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"bulksigner/internal/profile"
)

//go:embed locale
var catalogues embed.FS

// languageCookie has the language that a visitor chose.
const languageCookie = "language"

// languages are those of the console, by their tags.
var languages = []profile.Language{profile.English, profile.Portuguese}

// locale says things in one language.
type locale struct {
	Tag   string // en-US or pt-BR
	texts map[string]string
}

// locales reads the catalogue of one of the languages.
var locales = lazy(func(language profile.Language) *locale {
	l := &locale{Tag: string(language)}
	b, err := catalogues.ReadFile("locale/" + l.Tag + ".json")
	if err != nil {
		panic(err) // it is embedded
	}
	if err := json.Unmarshal(b, &l.texts); err != nil {
		panic(err) // a test reads it
	}
	return l
})

// localeOf is the language that the visitor chose, or the browser prefers, or English.
func localeOf(r *http.Request) *locale {
	if c, err := r.Cookie(languageCookie); err == nil && slices.Contains(languages, profile.Language(c.Value)) {
		return locales(profile.Language(c.Value))
	}
	return locales(profile.LanguageFor(r.Header.Get("Accept-Language")))
}

// T says what a key stands for. A test holds that every key which is used is there.
func (l *locale) T(key string, args ...any) string {
	text, ok := l.texts[key]
	if !ok {
		return key
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// N says how many there are of something: under key.one, or key.many.
func (l *locale) N(key string, n int64) string {
	if n == 1 {
		return l.T(key+".one", l.Number(n))
	}
	return l.T(key+".many", l.Number(n))
}
