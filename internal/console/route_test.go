package console_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"bulksigner/internal/api"
)

// routes are the paths of all pages that take a method, as the code has them.
func routes(t *testing.T, method string) (paths []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`HandleFunc\("` + method + ` (/[^"]*)"`)
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range pattern.FindAllStringSubmatch(string(b), -1) {
			paths = append(paths, m[1])
		}
	}
	if len(paths) < 15 {
		t.Fatalf("%d routes are found", len(paths))
	}
	return paths
}

// named puts a name into a route.
func named(route, name string) string {
	return regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(strings.TrimSuffix(route, "{$}"), name)
}

// A choice of language comes back to the address of the page. One that takes a form leads to where the form is.
func TestEveryFormCanBeComeBackTo(t *testing.T) {
	t.Parallel()
	for _, route := range routes(t, "POST") {
		s := takingFiles(watched(signedIn(t)))
		s.api.on("GET /api/pipeline/state", http.StatusOK, map[string]any{})
		s.api.on("GET /api/profiles/contracts", http.StatusOK, told("contracts", "Local", nil))
		s.api.on("GET /api/settings", http.StatusOK, map[string]any{"settings": []any{}})
		path := named(strings.Replace(route, "/jobs/{id}", "/jobs/"+jobID, 1), "contracts")
		w := s.get(path)
		for range 2 {
			if to := w.Header().Get("Location"); w.Code == http.StatusSeeOther {
				path, w = to, s.get(to)
			}
		}
		if w.Code != http.StatusOK {
			t.Errorf("%s leads to %s, which answers %d", route, path, w.Code)
		}
	}
}

// Behind a domain, API Gateway's paths may begin with a base path, which is told from pages by how pages begin.
func TestPagesArriveUnderADomain(t *testing.T) {
	t.Parallel()
	for _, route := range append(routes(t, "GET"), routes(t, "POST")...) {
		want := named(route, "api")
		var got string
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = r.URL.Path; w.WriteHeader(http.StatusNoContent) })
		e := events.APIGatewayV2HTTPRequest{RawPath: want}
		e.RequestContext.DomainName, e.RequestContext.HTTP.Method = "sign.example.org", http.MethodGet
		if _, err := api.Gateway(h)(t.Context(), e); err != nil || got != want {
			t.Errorf("%s arrives as %s, %v", want, got, err)
		}
	}
}
