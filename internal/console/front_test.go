package console_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What is drawn in a chip, by what it stands for.
var marks = map[string]string{
	"good": "M2.5 8.5l3.5 3.5 7.5-8", "bad": "M3.5 3.5l9 9m0-9l-9 9", "off": "M3 8h10", "wait": "M8 2.5v7m0 3.5v.1",
}

// chip is a chip of a kind, with what is drawn in it and what it says.
func chip(kind, mark, text string) string {
	return `<span class="` + strings.TrimSpace("chip "+kind) + `"><svg class="mark" viewBox="0 0 16 16" aria-hidden="true"><path d="` + marks[mark] + `"/></svg>` + text + `</span>`
}

// TestNothingIsDrawnWithLetters: a sign that is a letter is read aloud.
func TestNothingIsDrawnWithLetters(t *testing.T) {
	t.Parallel()
	signs := regexp.MustCompile(`[✓✗▶❚]|>[!–] \{\{`)
	for name, text := range templates(t) {
		if sign := signs.FindString(text); sign != "" {
			t.Errorf("%s has %q", name, sign)
		}
	}
}

// templates are the texts of all templates.
func templates(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("template/*.html")
	if err != nil || len(files) == 0 {
		t.Fatalf("templates %v, %v", files, err)
	}
	all := map[string]string{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[file] = string(b)
	}
	return all
}

// TestWhatRefreshesHasIDs: the focus comes back after a refresh to what has an id, and so does what was scrolled or opened.
func TestWhatRefreshesHasIDs(t *testing.T) {
	t.Parallel()
	s := stocked(t, 3)
	delete(s.header, "Accept-Encoding")
	s.api.on("GET /api/queues", http.StatusOK, map[string]any{"queues": []any{
		map[string]any{"name": "work", "waiting": 3, "deadLetters": map[string]any{"waiting": 2}},
	}})
	s.api.on("GET /api/ready/details", http.StatusOK, map[string]any{"ready": true, "checks": []any{map[string]any{"name": "table", "ok": true}}})
	s.api.on("GET /api/jobs/"+jobID, http.StatusOK, jobRow(map[string]any{
		"status": "Processing", "parentJobId": otherID, "actions": []string{"cancel", "delete", "retry", "download"},
		"history": []any{map[string]any{"status": "Queued", "message": "Retry of job " + otherID + ", not of job " + jobID + "."}},
	}))
	refreshes := regexp.MustCompile(`(?s)<(?:div|section) id="[a-z]+"[^>]* hx-trigger="(?:slow-)?tick from:body".*</main>`)
	reached := regexp.MustCompile(`<(?:(?:a|button|summary|select|input)[ >]|[a-z]+ [^>]*tabindex)[^>]*>`)
	for _, path := range []string{"/", "/jobs", "/jobs/" + jobID, "/input", "/profiles", "/system/queues", "/system/readiness"} {
		part := refreshes.FindString(s.get(path).Body.String())
		if part == "" {
			t.Errorf("%s does not refresh", path)
		}
		for _, tag := range reached.FindAllString(part, -1) {
			if !strings.Contains(tag, ` id="`) && !strings.Contains(tag, `type="hidden"`) {
				t.Errorf("%s: %s has no id", path, tag)
			}
		}
	}
}

// TestARefusalIsHeard: the title says it first, and what is wrong has the focus.
func TestARefusalIsHeard(t *testing.T) {
	t.Parallel()
	s := uploading(t)
	s.api.refuse("POST /api/files", http.StatusConflict, "file.already-processed", "")
	s.api.refuse("POST /api/verify", http.StatusUnprocessableEntity, "verify.unsupported", "")
	s.api.refuse("GET /api/jobs", http.StatusBadRequest, "validation.filter-invalid", "")
	file := part{"file", "a.pdf", "bytes"}
	ask := func(path string) *http.Request {
		return httptest.NewRequest(http.MethodGet, "https://console.example"+path, nil)
	}
	tests := []struct {
		name    string
		r       *http.Request
		focused string
	}{
		{"a filter", ask("/jobs?from=x"), `id="refusal"`},
		{"an upload", form(t, "/upload", file), `id="file"`},
		{"a file to judge", form(t, "/verify", file), `id="file"`},
	}
	for _, tt := range tests {
		page := s.do(tt.r).Body.String()
		if !strings.Contains(page, "<title>Error: ") {
			t.Errorf("%s: the title does not say that something was refused", tt.name)
		}
		if tag := regexp.MustCompile(`<[^>]* autofocus[^>]*>`).FindString(page); !strings.Contains(tag, tt.focused) {
			t.Errorf("%s: %q has the focus, want %s", tt.name, tag, tt.focused)
		}
	}
	if page := s.get("/upload").Body.String(); strings.Contains(page, "Error:") || strings.Contains(page, "autofocus") {
		t.Error("a page on which nothing was refused says so")
	}
}

// TestAProfileIsNotChosenByTheAlphabet: a file is signed by the profile that takes what names no other, or by one that was chosen.
func TestAProfileIsNotChosenByTheAlphabet(t *testing.T) {
	t.Parallel()
	const choose = `<option value="">Choose…</option>`
	tests := []struct {
		name, query string
		profiles    []string
		want        string // which is chosen, or "" if somebody has to
	}{
		{"several", "", []string{"a", "b"}, ""},
		{"the only one", "", []string{"a"}, "a"},
		{"the default", "", []string{"a", "default", "z"}, "default"},
		{"one after the default", "?profile=z", []string{"a", "default", "z"}, "z"},
		{"one before the default", "?profile=a", []string{"a", "default", "z"}, "a"},
		{"one that is gone", "?profile=gone", []string{"a", "b"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := signedIn(t)
			var all []any
			for _, name := range tt.profiles {
				all = append(all, map[string]any{"name": name, "enabled": true, "method": "Local"})
			}
			s.api.on("GET /api/profiles", http.StatusOK, map[string]any{"profiles": all})
			page := s.get("/upload" + tt.query).Body.String()
			list, _, _ := strings.Cut(page[strings.Index(page, `<select id="profile"`):], "</select>")
			if !strings.Contains(list, "required") || strings.Contains(list, choose) != (tt.want == "") {
				t.Errorf("the list is %s", list)
			}
			chosen := regexp.MustCompile(`<option selected>([a-z]*)`).FindAllStringSubmatch(list, -1)
			if tt.want == "" && len(chosen) > 0 || tt.want != "" && (len(chosen) != 1 || chosen[0][1] != tt.want) {
				t.Errorf("chosen %v, want %q", chosen, tt.want)
			}
		})
	}
}

// TestAFileTooLargeIsToldToPeople: the guide of the code speaks to programs, which have another way.
func TestAFileTooLargeIsToldToPeople(t *testing.T) {
	t.Parallel()
	s := uploading(t)
	for path, want := range map[string]string{"/verify": "may have 4.4 MB together", "/upload": "takes a file of up to 4 MB"} {
		api := map[string]string{"/verify": "/api/verify", "/upload": "/api/files"}[path]
		s.api.refuse("POST "+api, http.StatusRequestEntityTooLarge, "upload.too-large", "")
		w := s.do(form(t, path, part{"file", "a.pdf", "bytes"}))
		s.shows(w, http.StatusRequestEntityTooLarge, "<code>upload.too-large</code>")
		_, told, _ := strings.Cut(w.Body.String(), `id="file-problem"`)
		told, _, _ = strings.Cut(told, "</div>")
		if !strings.Contains(told, want) || strings.Contains(told, "JSON") {
			t.Errorf("%s says %s", path, told)
		}
	}
}
