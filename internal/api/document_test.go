package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
)

var update = flag.Bool("update", false, "write the golden OpenAPI document")

// document is the OpenAPI document as far as tests read it.
type document struct {
	OpenAPI    string
	Info       struct{ Title, Version, Description string }
	Paths      map[string]map[string]operation
	Components struct {
		Schemas         map[string]schema
		SecuritySchemes map[string]struct{ Type, In, Name string }
	}
}

type operation struct {
	OperationID, Summary string
	Security             []map[string][]string
	Parameters           []struct {
		Name, In, Description string
		Required              bool
		Schema                schema
	}
	RequestBody *struct {
		Content map[string]struct{ Schema schema }
	}
	Responses map[string]response
}

// open reports whether an operation needs no key.
func (op operation) open() bool { return len(op.Security) == 1 && len(op.Security[0]) == 0 }

type response struct {
	Description string
	Content     map[string]struct {
		Schema   schema
		Examples map[string]struct{ Value problem }
	}
}

type schema struct {
	Ref                  string `json:"$ref"`
	Type                 any
	Enum                 []any
	Items                *schema
	OneOf                []schema
	Properties           map[string]schema
	Required             []string
	AdditionalProperties any
}

// documentOf reads the document as a client without a key gets it.
func documentOf(t testing.TB, s *service) (document, []byte) {
	t.Helper()
	r := s.send(t, "GET", "/api/openapi.json", "", "X-API-Key", "")
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 200 || r.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("document = %d %s, %v", r.StatusCode, r.Header.Get("Content-Type"), err)
	}
	var d document
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	return d, b
}

// A change of the API shows as a change of this file. Run the tests with -update to accept it.
func TestDocumentIsGolden(t *testing.T) {
	t.Parallel()
	_, b := documentOf(t, newService(t))
	var got bytes.Buffer
	if err := json.Indent(&got, b, "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	golden := filepath.Join("testdata", "openapi.json")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got.String()); d != "" {
		t.Errorf("the document changed (-want +got):\n%s", d)
	}
}

func TestDocumentDescribesEveryRoute(t *testing.T) {
	t.Parallel()
	d, _ := documentOf(t, newService(t))
	got := map[string]string{}
	for path, methods := range d.Paths {
		for method, op := range methods {
			got[strings.ToUpper(method)+" "+path] = op.OperationID
			if op.Summary == "" {
				t.Errorf("%s %s has no summary", method, path)
			}
		}
	}
	want := map[string]string{
		"GET /api/health": "getHealth", "GET /api/openapi.json": "getDocument", "POST /api/files": "postFile",
		"GET /api/jobs": "listJobs", "GET /api/jobs/{id}": "getJob", "GET /api/jobs/{id}/output": "getOutput",
		"POST /api/verify": "verifyFile", "POST /api/jobs/{id}/cancel": "cancelJob", "POST /api/jobs/{id}/retry": "retryJob",
		"GET /api/pipeline/state": "getPipeline", "POST /api/pipeline/pause": "pausePipeline", "POST /api/pipeline/resume": "resumePipeline",
		"GET /api/ready": "getReady", "GET /api/ready/details": "getReadyDetails", "GET /api/metrics": "getMetrics",
		"GET /api/profiles": "listProfiles", "GET /api/profiles/{name}": "getProfile", "POST /api/profiles": "createProfile",
		"PUT /api/profiles/{name}": "replaceProfile", "DELETE /api/profiles/{name}": "deleteProfile", "GET /api/signer/folders": "listSignerFolders",
		"DELETE /api/jobs": "clearJobs", "DELETE /api/jobs/{id}": "deleteJob", "GET /api/folders": "listFolders", "POST /api/rescan": "rescan",
		"GET /api/events": "listEvents", "GET /api/events/types": "listEventTypes", "GET /api/settings": "getSettings", "GET /api/statistics": "getStatistics",
		"GET /api/overview": "getOverview", "GET /api/queues": "listQueues", "POST /api/queues/{queue}/redrive": "redriveQueue",
		"GET /api/certificates": "listCertificates",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	if d.OpenAPI != "3.1.0" || d.Info.Title == "" || d.Info.Version == "" {
		t.Errorf("openapi %s, info %+v", d.OpenAPI, d.Info)
	}
}

func TestDocumentDescribesEveryAnswer(t *testing.T) {
	t.Parallel()
	d, _ := documentOf(t, newService(t))
	for path, methods := range d.Paths {
		for method, op := range methods {
			for status, r := range op.Responses {
				at := method + " " + path + " " + status
				if r.Description == "" {
					t.Errorf("%s has no description", at)
				}
				if n, err := strconv.Atoi(status); (err != nil || n >= 400) && at != "get /api/ready 503" { // which is a report
					checkProblems(t, at, n, r)
				}
			}
			for _, p := range op.Parameters {
				if p.Description == "" {
					t.Errorf("%s %s: parameter %s has no description", method, path, p.Name)
				}
			}
		}
	}
}

// checkProblems holds that the problems of a response are named with codes of that status, each with a meaning.
func checkProblems(t *testing.T, at string, status int, r response) {
	t.Helper()
	c, ok := r.Content["application/problem+json"]
	if !ok || c.Schema.Ref != "#/components/schemas/Problem" || len(c.Examples) == 0 {
		t.Errorf("%s is not described as a problem", at)
	}
	for code, e := range c.Examples {
		if !api.MayAnswer(fault.Code(code), status) || e.Value.Code != code || e.Value.Status != status {
			t.Errorf("%s has the code %s, whose status is another", at, code)
		}
		_, after, found := strings.Cut(r.Description, "`"+code+"`: ")
		if line, _, _ := strings.Cut(after, "\n"); !found || line == "" {
			t.Errorf("%s does not say what %s means", at, code)
		}
	}
}

func TestDocumentSaysWhoMayAsk(t *testing.T) {
	t.Parallel()
	d, _ := documentOf(t, newService(t, func(_ *service, p *api.Parts) { p.Settings.Auth.ApiKeyHeader = "X-Signing-Key" }))
	if s := d.Components.SecuritySchemes["apiKey"]; s.Type != "apiKey" || s.In != "header" || s.Name != "X-Signing-Key" {
		t.Errorf("security scheme = %+v", s)
	}
	for path, methods := range d.Paths {
		for method, op := range methods {
			open := path == "/api/health" || path == "/api/openapi.json" || path == "/api/ready"
			if got := op.open(); got != open {
				t.Errorf("%s %s is open: %v, want %v", method, path, got, open)
			}
		}
	}
}

// conform holds that a value has the shape of a schema, with nothing that the schema does not name.
func (d document) conform(t testing.TB, at string, s schema, v any) {
	t.Helper()
	if s.Ref != "" {
		s = d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
		t.Errorf("%s = %v, want one of %v", at, v, s.Enum)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				t.Errorf("%s has no %s", at, name)
			}
		}
		for name, member := range v {
			if p, ok := s.Properties[name]; ok {
				d.conform(t, at+"."+name, p, member)
			} else if len(s.Properties) > 0 {
				t.Errorf("%s has %s, which is not described", at, name)
			}
		}
	case []any:
		for _, o := range s.OneOf {
			if o.Type == "array" {
				s = o
			}
		}
		for _, item := range v {
			d.conform(t, at+"[]", *s.Items, item)
		}
	case nil:
		if types, ok := s.Type.([]any); !ok || !slices.Contains(types, any("null")) {
			t.Errorf("%s is null, which is not described", at)
		}
	}
}
