package api_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// lambdaLimit is the most bytes of an answer that Lambda carries.
const lambdaLimit = 6_291_456

// event is what API Gateway sends, as the documentation of payload 2.0 has it.
func event(method, path string, change ...func(*events.APIGatewayV2HTTPRequest)) events.APIGatewayV2HTTPRequest {
	e := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "$default", RawPath: path,
		Headers: map[string]string{
			"accept": "*/*, text/html;q=0.1", "content-length": "0", "host": "a1b2c3d4e5.execute-api.sa-east-1.amazonaws.com",
			"user-agent": "curl/8.5.0", "x-amzn-trace-id": "Root=1-67891233-abcdef012345678912345678", "x-api-key": key,
			"x-forwarded-for": "203.0.113.7", "x-forwarded-port": "443", "x-forwarded-proto": "https",
		},
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			AccountID: "123456789012", APIID: "a1b2c3d4e5", DomainName: "a1b2c3d4e5.execute-api.sa-east-1.amazonaws.com",
			DomainPrefix: "a1b2c3d4e5", RequestID: "JKJaXmPLvHcESHA=", RouteKey: "$default", Stage: "$default", TimeEpoch: 1583348638390,
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: method, Path: path, Protocol: "HTTP/1.1", SourceIP: "203.0.113.7"},
		},
	}
	for _, c := range change {
		c(&e)
	}
	return e
}

// invoke sends an event as Lambda would: through JSON, in both directions.
func (s *service) invoke(t testing.TB, e events.APIGatewayV2HTTPRequest) events.APIGatewayV2HTTPResponse {
	t.Helper()
	in, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return s.invokeJSON(t, in)
}

func (s *service) invokeJSON(t testing.TB, in []byte) events.APIGatewayV2HTTPResponse {
	t.Helper()
	return invoke(t, s.ctx(t), s.Handler, in)
}

// invoke has a handler answer an event.
func invoke(t testing.TB, ctx context.Context, h http.Handler, in []byte) (out events.APIGatewayV2HTTPResponse) {
	t.Helper()
	var e events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(in, &e); err != nil {
		t.Fatal(err)
	}
	r, err := api.Gateway(h)(ctx, e)
	if err != nil {
		t.Fatalf("the function failed: %v", err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > lambdaLimit {
		t.Errorf("the answer has %d bytes, more than Lambda carries", len(b))
	}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// content is the body of an answer as the client gets it.
func content(t testing.TB, r events.APIGatewayV2HTTPResponse) []byte {
	t.Helper()
	if !r.IsBase64Encoded {
		return []byte(r.Body)
	}
	b, err := base64.StdEncoding.DecodeString(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// codeOf is the code of the problem in an answer, or "".
func codeOf(t testing.TB, r events.APIGatewayV2HTTPResponse) fault.Code {
	t.Helper()
	if r.Headers["Content-Type"] != "application/problem+json" {
		return ""
	}
	var p problem
	if err := json.Unmarshal(content(t, r), &p); err != nil {
		t.Fatalf("%v in %q", err, r.Body)
	}
	if p.RequestID == "" || p.Status != r.StatusCode {
		t.Errorf("incomplete problem: %s", r.Body)
	}
	return fault.Code(p.Code)
}

// The events that the project keeps come through as their table says.
func TestGatewayEvents(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file   string
		status int
		code   fault.Code
	}{
		{"http-get-health.json", 200, ""},
		{"http-get-jobs.json", 200, ""},
		{"http-get-stage.json", 404, fault.JobNotFound},
		{"http-get-unauthorized.json", 401, fault.AuthInvalidCredentials},
		{"http-post-json.json", 202, ""},
		{"http-post-multipart.json", 202, ""},
		{"http-post-cancel.json", 404, fault.JobNotFound},
		{"http-post-redrive.json", 200, ""},
		{"http-delete-job.json", 404, fault.JobNotFound},
		{"http-get-jobs-filtered.json", 200, ""},
		{"http-post-json-again.json", 202, ""},
		{"http-put-profile.json", 200, ""},
		{"http-post-profile-refused.json", 422, fault.ProfileInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(filepath.Join("..", "..", "events", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			s := newService(t)
			contracts := s.profiles["contracts"]
			contracts.Certificate = &profile.Certificate{Source: profile.Kms, Kms: &profile.KmsKey{KeyID: "alias/contracts", Certificate: "s3://keys/contracts.pem"}}
			s.profiles["contracts"] = contracts
			s.key = "change-me-0123456789"
			r := s.invokeJSON(t, b)
			if code := codeOf(t, r); r.StatusCode != tt.status || code != tt.code {
				t.Errorf("answer = %d %s, want %d %s: %s", r.StatusCode, code, tt.status, tt.code, r.Body)
			}
			if r.StatusCode == 404 && tt.file == "http-post-cancel.json" && len(s.told) != 1 {
				t.Errorf("told %v, want a cancel", s.told)
			}
			if r.StatusCode == 202 && s.reserved[0].FileName != "Relatório final.pdf" {
				t.Errorf("file name = %q", s.reserved[0].FileName)
			}
		})
	}
}

func TestGatewayPaths(t *testing.T) {
	t.Parallel()
	stage := func(name string) func(*events.APIGatewayV2HTTPRequest) {
		return func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.Stage = name }
	}
	domain := func(name string) func(*events.APIGatewayV2HTTPRequest) {
		return func(e *events.APIGatewayV2HTTPRequest) {
			e.RequestContext.DomainName, e.Headers["host"] = name, name
		}
	}
	noRawPath := func(e *events.APIGatewayV2HTTPRequest) { e.RawPath = "" }
	all := func(c ...func(*events.APIGatewayV2HTTPRequest)) []func(*events.APIGatewayV2HTTPRequest) { return c }
	tests := []struct {
		name, path string
		change     []func(*events.APIGatewayV2HTTPRequest)
		status     int
		code       fault.Code
	}{
		{"default stage", "/api/jobs", nil, 200, ""},
		{"named stage", "/prod/api/jobs", all(stage("prod")), 200, ""},
		{"named stage, behind a domain", "/api/jobs", all(stage("prod"), domain("sign.example.com")), 200, ""},
		{"base path of a domain", "/signing/api/jobs", all(stage("prod"), domain("sign.example.com")), 200, ""},
		{"base path of a domain, of a thing called api", "/signing/api/jobs/api/output", all(domain("sign.example.com")), 404, fault.JobNotFound},
		{"a page of a thing called api, behind a domain", "/profiles/api/jobs", all(domain("sign.example.com")), 404, fault.RouteNotFound},
		{"a page of a thing called api, deeper down", "/system/queues/api/jobs", all(domain("sign.example.com")), 404, fault.RouteNotFound},
		{"two levels of it", "/eu/signing/api/jobs", all(domain("sign.example.com")), 200, ""},
		{"stage called api", "/api/api/jobs", all(stage("api")), 200, ""},
		{"stage called api, behind a domain", "/api/jobs", all(stage("api"), domain("sign.example.com")), 200, ""},
		{"no raw path", "/api/jobs", all(noRawPath), 200, ""},
		{"no stage", "/api/jobs", all(stage("")), 200, ""},
		{"another stage's name", "/dev/api/jobs", all(stage("prod")), 404, fault.RouteNotFound},
		{"a base path without a domain", "/signing/api/jobs", nil, 404, fault.RouteNotFound},
		{"stage as a part of a word", "/prodapi/jobs", all(stage("prod")), 404, fault.RouteNotFound},
		{"stage twice", "/prod/prod/api/jobs", all(stage("prod")), 404, fault.RouteNotFound},
		{"trailing slash", "/api/jobs/", nil, 404, fault.RouteNotFound},
		{"doubled slash", "//api//jobs", nil, 404, fault.RouteNotFound},
		{"a question mark, decoded", "/api/jobs?", nil, 404, fault.RouteNotFound},
		{"a fragment, decoded", "/api/jobs#x", nil, 404, fault.RouteNotFound},
		{"decoded into nonsense", "/api/jobs/%zz", nil, 404, fault.JobNotFound},
		{"decoded into controls", "/api/jobs/\x00\n", nil, 404, fault.JobNotFound},
		{"encoded", "/api/jobs/a%20%2F%C3%A7", nil, 404, fault.JobNotFound},
		{"decoded", "/api/jobs/a ç", nil, 404, fault.JobNotFound},
		{"nothing", "", nil, 404, fault.RouteNotFound},
		{"no slash", "api/jobs", nil, 200, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newService(t).invoke(t, event("GET", tt.path, tt.change...))
			if code := codeOf(t, r); r.StatusCode != tt.status || code != tt.code {
				t.Errorf("answer = %d %s, want %d %s", r.StatusCode, code, tt.status, tt.code)
			}
		})
	}
}

// A page's path reaches the handler as it is under a custom domain, also if a part of it is called api.
func TestGatewayLeavesPages(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/", "/profiles/api", "/profiles/api/delete", "/profiles/api/certificate", "/jobs/api/cancel", "/system/queues/api/redrive", "/login", "/assets/api/x"} {
		var got string
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = r.URL.Path; w.WriteHeader(http.StatusNoContent) })
		e := event("GET", path, func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.DomainName = "sign.example.org" })
		if _, err := api.Gateway(h)(t.Context(), e); err != nil || got != path {
			t.Errorf("%s arrives as %s, %v", path, got, err)
		}
	}
}

func TestGatewayHeaders(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(map[string]string)
		status int
	}{
		{"as API Gateway sends them", func(map[string]string) {}, 200},
		{"as another host may", func(h map[string]string) { delete(h, "x-api-key"); h["X-API-KEY"] = key }, 200},
		{"sent twice", func(h map[string]string) { h["x-api-key"] = key + "," + key }, 401},
		{"sent twice, in two spellings", func(h map[string]string) { h["X-Api-Key"] = key }, 401},
		{"missing", func(h map[string]string) { delete(h, "x-api-key") }, 401},
		{"no headers at all", func(h map[string]string) { clear(h) }, 401},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			r := s.invoke(t, event("GET", "/api/jobs", func(e *events.APIGatewayV2HTTPRequest) { tt.change(e.Headers) }))
			if r.StatusCode != tt.status {
				t.Errorf("status = %d, want %d: %s", r.StatusCode, tt.status, r.Body)
			}
			if r.Headers["X-Content-Type-Options"] != "nosniff" || r.Headers["Cache-Control"] != "no-store" || r.Headers["Strict-Transport-Security"] != "max-age=31536000" {
				t.Errorf("headers = %v", r.Headers)
			}
		})
	}
}

func TestGatewayIdentity(t *testing.T) {
	t.Parallel()
	var p problem
	r := newService(t).invoke(t, event("GET", "/nowhere"))
	if err := json.Unmarshal([]byte(r.Body), &p); err != nil {
		t.Fatal(err)
	}
	if p.RequestID != "JKJaXmPLvHcESHA=" || p.TraceID != "1-67891233-abcdef012345678912345678" {
		t.Errorf("requestId = %q, traceId = %q, want API Gateway's", p.RequestID, p.TraceID)
	}
}

// A PDF with all byte values arrives as it was sent, through the gateway's base64.
func TestGatewayUpload(t *testing.T) {
	t.Parallel()
	want := everyByte(300_000)
	s := newService(t)
	r := s.invoke(t, event("POST", "/prod/api/files", func(e *events.APIGatewayV2HTTPRequest) {
		e.RequestContext.Stage, e.RawQueryString = "prod", "profile=contracts"
		e.Headers["content-type"] = formType
		e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(fileForm("ação, 1.pdf", want))), true
	}))
	a := acceptedIn(t, r.StatusCode, bytes.NewReader(content(t, r)))
	if got := s.put[a.OriginalPath]; sha256.Sum256(got) != sha256.Sum256(want) || a.FileName != "ação, 1.pdf" {
		t.Errorf("%d bytes arrived as %q, want %d bytes unchanged", len(got), a.FileName, len(want))
	}
}

func TestGatewayAnnouncement(t *testing.T) {
	t.Parallel()
	for _, encoded := range []bool{false, true} {
		s := newService(t)
		r := s.invoke(t, event("POST", "/api/files", func(e *events.APIGatewayV2HTTPRequest) {
			e.Headers["content-type"], e.Body = "application/json", `{"fileName":"ação.pdf"}`
			if e.IsBase64Encoded = encoded; encoded {
				e.Body = base64.StdEncoding.EncodeToString([]byte(e.Body))
			}
		}))
		if a := acceptedIn(t, r.StatusCode, bytes.NewReader(content(t, r))); a.FileName != "ação.pdf" || a.Upload == nil {
			t.Errorf("announced as %+v", a)
		}
	}
}

// The largest form that is taken in fits into what Lambda is sent.
func TestGatewayLargestForm(t *testing.T) {
	t.Parallel()
	if n := base64.StdEncoding.EncodedLen(api.MaxForm); n > lambdaLimit-64<<10 {
		t.Errorf("the largest form has %d bytes in base64, which leaves too little of %d", n, lambdaLimit)
	}
}

func TestGatewayOutput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, kind string
		content    []byte
	}{
		{"all byte values", "application/pdf", everyByte(api.MaxInline)},
		{"text that escapes badly", "application/xml", bytes.Repeat([]byte("\x01"), api.MaxInline)},
		{"JSON of a client", "application/json", bytes.Repeat([]byte(`"`), api.MaxInline)},
		{"text", "application/xml", []byte("<a>ç</a>")},
		{"nothing", "application/pdf", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.jobs[id1] = completed()
			s.outputs[completed().Output.Key] = job.Download{Body: io.NopCloser(bytes.NewReader(tt.content)), Size: int64(len(tt.content)), ContentType: tt.kind}
			r := s.invoke(t, event("GET", outputPath))
			if got := content(t, r); r.StatusCode != 200 || !bytes.Equal(got, tt.content) || r.Headers["Content-Type"] != tt.kind {
				t.Errorf("answer = %d %s with %d bytes, want %d", r.StatusCode, r.Headers["Content-Type"], len(got), len(tt.content))
			}
		})
	}
}

func TestGatewayHead(t *testing.T) {
	t.Parallel()
	r := newService(t).invoke(t, event("HEAD", "/api/health"))
	if r.StatusCode != 200 || r.Body != "" || r.IsBase64Encoded {
		t.Errorf("HEAD = %d %q, want 200 without a body", r.StatusCode, r.Body)
	}
}

func TestGatewayRefusesWhatIsNoRequest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*events.APIGatewayV2HTTPRequest)
	}{
		{"base64 that is none", func(e *events.APIGatewayV2HTTPRequest) { e.Body, e.IsBase64Encoded = "!", true }},
		{"a method that is none", func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.HTTP.Method = "GET /" }},
		{"a query with controls", func(e *events.APIGatewayV2HTTPRequest) { e.RawQueryString = "a=\x00" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			r := s.invoke(t, event("GET", "/api/jobs", tt.change))
			if code := codeOf(t, r); r.StatusCode != 400 || code != fault.RequestInvalid {
				t.Errorf("answer = %d %s, want 400 %s", r.StatusCode, code, fault.RequestInvalid)
			}
			if r.Headers["X-Content-Type-Options"] != "nosniff" || len(s.lines.all()) != 1 {
				t.Errorf("headers %v, log %q", r.Headers, s.lines.all())
			}
		})
	}
}

// FuzzGateway holds that an event of any content gets an answer that is not our failure.
func FuzzGateway(f *testing.F) {
	f.Add("GET", "/prod/api/jobs", "status=Failed", "prod", "sign.example.com", "", false)
	f.Add("POST", "/api/files", "profile=contracts", "$default", "a.execute-api.b.amazonaws.com", fileForm("a", []byte("x")), false)
	f.Add("GET", "/%zz?#\x00", "%zz;=", "", "]:x", "!", true)
	s := newService(f)
	f.Fuzz(func(t *testing.T, method, path, query, stage, domain, body string, encoded bool) {
		clear(s.put)
		s.reserved, s.calls, s.expires, s.lines.text = nil, nil, nil, nil
		r := s.invoke(t, event(method, path, func(e *events.APIGatewayV2HTTPRequest) {
			e.RawQueryString, e.RequestContext.Stage, e.RequestContext.DomainName = query, stage, domain
			e.Body, e.IsBase64Encoded = body, encoded
			e.Headers["content-type"] = formType
		}))
		if r.StatusCode < 200 || r.StatusCode >= 500 {
			t.Errorf("answer = %d %s", r.StatusCode, r.Body)
		}
		if strings.Contains(strings.Join(s.lines.text, ""), key) {
			t.Error("the log has the key")
		}
		for name := range maps.Keys(r.Headers) {
			if strings.EqualFold(name, "Set-Cookie") {
				t.Error("an answer sets a cookie")
			}
		}
	})
}
