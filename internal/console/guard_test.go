package console_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// everyPage asks for every page that there is, and for one that there is not.
func everyPage(t *testing.T, s *scene) map[string]*httptest.ResponseRecorder {
	t.Helper()
	all := map[string]*httptest.ResponseRecorder{"/nowhere": s.get("/nowhere")}
	for _, route := range routes(t, "GET") {
		path := named(strings.Replace(route, "/jobs/{id}", "/jobs/"+jobID, 1), "contracts")
		all[path] = s.get(path)
	}
	return all
}

func TestPagesSayWhatBrowsersMayDo(t *testing.T) {
	t.Parallel()
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	s := takingFiles(watched(signedIn(t)))
	for path, w := range everyPage(t, s) {
		want := map[string]string{
			"Content-Security-Policy": policy, "Cache-Control": "no-store", "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Strict-Transport-Security": "max-age=31536000",
			"Permissions-Policy": "camera=(), geolocation=(), microphone=()", "Vary": "Cookie, Accept-Language, Accept-Encoding",
		}
		if path == "/upload" {
			want["Content-Security-Policy"] = strings.Replace(policy, "connect-src 'self'", "connect-src 'self' https://uploads.example", 1)
		}
		if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") && w.Code != http.StatusSeeOther {
			want["Content-Language"] = "en-US"
		}
		for name, value := range want {
			if got := w.Header().Get(name); got != value {
				t.Errorf("%s: %s is %q, want %q", path, name, got, value)
			}
		}
	}
}

func TestTemplatesHaveNothingInline(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("template/*.html")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d templates, %v", len(files), err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if m := inline.FindString(string(b)); m != "" {
			t.Errorf("%s has %q", file, m)
		}
		if m := plainTime.FindString(string(b)); m != "" {
			t.Errorf("%s writes a time without its element: %s", file, m)
		}
	}
}

// plainTime finds a time that does not go through its part.
var plainTime = regexp.MustCompile(`\{\{\$?v?\.Time [^}]*\}\}`)

func TestCookiesAreKeptFromOthers(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	s.api.on("DELETE /api/jobs/"+jobID, http.StatusNoContent, "")
	forms := map[string]url.Values{
		"/login": {"key": {apiKey}}, "/preferences": {"theme": {"dark"}, "language": {"pt-BR"}}, "/logout": nil, "/jobs/" + jobID + "/delete": {"status": {"Failed"}},
	}
	for path, form := range forms {
		w := s.post(path, form)
		cookies := w.Result().Cookies()
		if len(cookies) == 0 {
			t.Errorf("%s answers %d and sets none", path, w.Code)
		}
		for _, c := range cookies {
			want := http.SameSiteStrictMode
			if path == "/preferences" {
				want = http.SameSiteLaxMode // a link to here is shown as the visitor likes it
			}
			if !c.HttpOnly || !c.Secure || c.SameSite != want || c.Path != "/" || c.Domain != "" {
				t.Errorf("%s: %s", path, c)
			}
		}
		if path == "/logout" {
			s.post("/login", url.Values{"key": {apiKey}})
		}
	}
}

func TestARefreshLeavesTheNotice(t *testing.T) {
	t.Parallel()
	s := watched(signedIn(t))
	s.api.on("DELETE /api/jobs/"+jobID, http.StatusNoContent, "")
	const said = "The job&#39;s record was deleted."
	s.post("/jobs/"+jobID+"/delete", url.Values{"status": {"Failed"}})
	s.header["HX-Request"] = "true"
	lacks(t, s.get("/jobs"), said)
	delete(s.header, "HX-Request")
	s.shows(s.get("/jobs"), http.StatusOK, said)
	lacks(t, s.get("/jobs"), said)
}

func TestDocumentsPassAsTheyAre(t *testing.T) {
	t.Parallel()
	const document = "<html>a document, not a page</html>"
	s := signedIn(t)
	s.header["Accept-Encoding"] = "gzip"
	s.api.answers = map[string]answer{"GET /api/jobs/" + jobID + "/output": {http.StatusOK, document, http.Header{"Content-Type": {"application/xml"}}}}
	w := s.get("/jobs/" + jobID + "/output")
	if w.Body.String() != document || w.Header().Get("Content-Encoding") != "" {
		t.Errorf("%v %q", w.Header(), w.Body)
	}
}

func TestOnlyWhoTakesGzipGetsIt(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	asset := regexp.MustCompile(`/assets/console[^"]+\.js`).FindString(s.get("/login").Body.String())
	for accepts, want := range map[string]string{
		"": "", "br": "", "gzip": "gzip", "br, GZIP;q=0.5": "gzip", "gzip;q=0": "", "gzip; q=0.000": "", "gzip;q=x": "", "xgzip": "", "gzip;level=1": "gzip",
	} {
		s.header["Accept-Encoding"] = accepts
		for _, path := range []string{"/login", asset} {
			if got := s.get(path).Header().Get("Content-Encoding"); got != want {
				t.Errorf("%s for %q is in %q, want %q", path, accepts, got, want)
			}
		}
	}
}

func TestPagesAreCompressed(t *testing.T) {
	t.Parallel()
	s := listed(signedIn(t))
	s.header["Accept-Encoding"] = "gzip, br"
	w := s.get("/jobs")
	if w.Header().Get("Content-Encoding") != "gzip" {
		t.Fatalf("header %v", w.Header())
	}
	z, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(z)
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(page)), "</html>") {
		t.Errorf("%v, %s", err, page)
	}
}

// assetKinds are what browsers take assets for, and nothing else.
var assetKinds = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

func TestAssetsMayBeKept(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	page := s.get("/login").Body.String()
	found := regexp.MustCompile(`/assets/[^"]+`).FindAllString(page, -1)
	if len(found) != 4 {
		t.Fatalf("assets %v", found)
	}
	for _, asset := range found {
		w := s.get(asset)
		want := map[string]string{
			"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
			"Strict-Transport-Security": "max-age=31536000", "Content-Type": assetKinds[path.Ext(asset)],
		}
		for name, value := range want {
			if got := w.Header().Get(name); got != value || value == "" || w.Code != http.StatusOK {
				t.Errorf("%s answers %d, %s is %q, want %q", asset, w.Code, name, got, value)
			}
		}
	}
	if w := s.get("/assets/console.css"); w.Code != http.StatusNotFound {
		t.Errorf("without a hash: %d", w.Code)
	}
}

func TestPathsAreTakenToTheLetter(t *testing.T) {
	t.Parallel()
	s := listed(signedIn(t))
	for _, path := range []string{"/jobs/", "//jobs", "/x/../jobs", "/nowhere"} {
		r := httptest.NewRequest(http.MethodGet, "https://console.example/", nil)
		r.URL.Path = path
		if w := s.do(r); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "https://console.example/", nil)
	r.URL.Path = "/api//jobs"
	if w := s.do(r); w.Code != http.StatusUnauthorized {
		t.Errorf("a path of the API is answered by %d", w.Code)
	}
}
