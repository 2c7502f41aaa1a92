package console_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func catalogue(t *testing.T, tag string) map[string]string {
	t.Helper()
	b, err := os.ReadFile("locale/" + tag + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string]string
	if err := json.Unmarshal(b, &texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

var verb = regexp.MustCompile(`%[sdv]`)

func TestBothCataloguesSayTheSame(t *testing.T) {
	t.Parallel()
	en, pt := catalogue(t, "en-US"), catalogue(t, "pt-BR")
	for _, key := range slices.Sorted(maps.Keys(en)) {
		switch {
		case pt[key] == "":
			t.Errorf("%s is not in Portuguese", key)
		case strings.TrimSpace(en[key]) == "":
			t.Errorf("%s is empty", key)
		case !slices.Equal(verb.FindAllString(en[key], -1), verb.FindAllString(pt[key], -1)):
			t.Errorf("%s has other values: %q and %q", key, en[key], pt[key])
		}
	}
	for key := range pt {
		if en[key] == "" {
			t.Errorf("%s is not in English", key)
		}
	}
}

// used finds the keys that templates and code name: all texts in quotes that look like one.
func used(t *testing.T) map[string]bool {
	t.Helper()
	quoted := regexp.MustCompile(`"([a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*)+)"`)
	keys := map[string]bool{}
	for _, pattern := range []string{"template/*.html", "*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range quoted.FindAllStringSubmatch(string(b), -1) {
				keys[m[1]] = true
			}
		}
	}
	return keys
}

func TestTheCataloguesHaveWhatPagesSay(t *testing.T) {
	t.Parallel()
	en, keys := catalogue(t, "en-US"), used(t)
	files, err := filepath.Glob("template/*.html")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("there are no templates")
	}
	called := regexp.MustCompile(`\.(T|N) "([^"]+)"`)
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range called.FindAllStringSubmatch(string(b), -1) {
			key := m[2]
			if m[1] == "N" {
				key += ".many"
			}
			if en[key] == "" {
				t.Errorf("%s says %s, which no catalogue has", file, key)
			}
		}
	}
	for key := range en {
		base := strings.TrimSuffix(strings.TrimSuffix(key, ".one"), ".many")
		area, _, _ := strings.Cut(key, ".")
		if !keys[key] && !keys[base] && !composed[area] {
			t.Errorf("nothing says %s", key)
		}
	}
}

// composed are the areas whose keys code puts together from values.
var composed = map[string]bool{"field": true, "hint": true, "option": true, "question": true}

func TestTheLanguageIsChosen(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, cookie, accept, want string }{
		{"English where nobody asks", "", "", "Sign in"},
		{"the browser's", "", "pt-PT, en;q=0.5", "Entrar"},
		{"English for others", "", "fr", "Sign in"},
		{"the visitor's choice first", "en-US", "pt-BR", "Sign in"},
		{"not a language that there is none of", "../pt-BR", "pt-BR", "Entrar"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			if tt.cookie != "" {
				s.cookies["language"] = tt.cookie
			}
			s.header["Accept-Language"] = tt.accept
			s.shows(s.get("/login"), http.StatusOK, "<h1>"+tt.want+"</h1>")
		})
	}
}

func TestALanguageIsKept(t *testing.T) {
	t.Parallel()
	s := listed(signedIn(t))
	w := s.post("/preferences", url.Values{"language": {"pt-BR"}, "to": {"/jobs"}})
	if w.Header().Get("Location") != "/jobs" {
		t.Errorf("leads to %s", w.Header().Get("Location"))
	}
	s.shows(s.get("/jobs"), http.StatusOK, `<html lang="pt-BR">`, "<h1>Trabalhos</h1>")
	s.post("/preferences", url.Values{"theme": {"dark"}, "to": {"https://elsewhere.example"}})
	s.shows(s.get("/jobs"), http.StatusOK, `data-theme="dark"`)
}
