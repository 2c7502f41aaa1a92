package host_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"bulksigner/internal/local/host"
)

// call sends a request through a gateway and returns the answer and the event that the function got.
func call(t *testing.T, g host.Gateway, i *invoker, r *http.Request) (*http.Response, string, map[string]any) {
	t.Helper()
	g.Invoker = i
	if g.Routes == nil {
		g.Routes = map[string]string{host.DefaultRoute: "api"}
	}
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	resp := w.Result()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var event map[string]any
	if seen := i.payloads(); len(seen) > 0 {
		if err := json.Unmarshal(seen[0], &event); err != nil {
			t.Fatal(err)
		}
	}
	return resp, string(text), event
}

func TestRequestsBecomeEvents(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodGet, "/api/jobs/a%20b%2Fc%3Fd?status=Failed&status=Queued&x=%2B", nil)
	r.Header.Set("X-API-Key", "secret")
	r.Header.Add("Accept", "text/plain")
	r.Header.Add("Accept", "text/html")
	r.Header.Set("Cookie", "a=1; b=2")
	r.Header.Set("X-Forwarded-For", "198.51.100.9")
	_, _, event := call(t, host.Gateway{}, &invoker{answer: `{"statusCode":204}`}, r)
	want := map[string]any{
		"version": "2.0", "routeKey": "$default",
		"rawPath": "/api/jobs/a b/c", "rawQueryString": "status=Failed&status=Queued&x=%2B",
		"cookies":               []any{"a=1", "b=2"},
		"headers":               map[string]any{"host": "example.com", "x-api-key": "secret", "accept": "text/plain,text/html", "x-forwarded-for": "198.51.100.9, 192.0.2.1", "x-forwarded-proto": "http"},
		"queryStringParameters": map[string]any{"status": "Failed,Queued", "x": "+"},
		"isBase64Encoded":       false,
		"requestContext": map[string]any{
			"accountId": "000000000000", "apiId": "local", "domainName": "example.com", "domainPrefix": "local",
			"http":     map[string]any{"method": "GET", "path": "/api/jobs/a b/c", "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": ""},
			"routeKey": "$default", "stage": "$default",
		},
	}
	varies := cmpopts.IgnoreMapEntries(func(k string, _ any) bool {
		return k == "x-amzn-trace-id" || k == "requestId" || k == "time" || k == "timeEpoch"
	})
	if diff := cmp.Diff(want, event, varies); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
}

func TestANamedStageIsPartOfThePath(t *testing.T) {
	t.Parallel()
	_, _, event := call(t, host.Gateway{Stage: "prod"}, &invoker{answer: `{"statusCode":200}`}, httptest.NewRequest(http.MethodGet, "/api/health", nil))
	if event["rawPath"] != "/prod/api/health" {
		t.Errorf("rawPath = %v, want the stage in it", event["rawPath"])
	}
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	routes := map[string]string{host.DefaultRoute: "api", "POST /hooks/in": "hooks"}
	tests := []struct{ name, method, path, function, route string }{
		{"its own", http.MethodPost, "/hooks/in", "hooks", "POST /hooks/in"},
		{"with a query", http.MethodPost, "/hooks/in?a=b", "hooks", "POST /hooks/in"},
		{"another method", http.MethodGet, "/hooks/in", "api", "$default"},
		{"a slash more", http.MethodPost, "/hooks/in/", "api", "$default"},
		{"a slash twice", http.MethodPost, "//hooks/in", "api", "$default"},
		{"below it", http.MethodPost, "/hooks/in/x", "api", "$default"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			i := &invoker{answer: `{"statusCode":200}`}
			_, _, event := call(t, host.Gateway{Routes: routes}, i, httptest.NewRequest(tt.method, tt.path, nil))
			if got := i.names(); len(got) != 1 || got[0] != tt.function || event["routeKey"] != tt.route {
				t.Errorf("it went to %v by route %v, want %s by %s", got, event["routeKey"], tt.function, tt.route)
			}
		})
	}
}

func TestWithoutARouteNobodyIsAsked(t *testing.T) {
	t.Parallel()
	i := &invoker{answer: `{"statusCode":200}`}
	resp, body, _ := call(t, host.Gateway{Routes: map[string]string{"GET /a": "a"}}, i, httptest.NewRequest(http.MethodGet, "/b", nil))
	if resp.StatusCode != http.StatusNotFound || len(i.names()) != 0 {
		t.Errorf("got %d %s and %v was asked, want 404 and nobody", resp.StatusCode, body, i.names())
	}
}

func TestWhichBodiesAreBase64(t *testing.T) {
	t.Parallel()
	tests := []struct {
		kind, body string
		encoded    bool
		want       string
	}{
		{"application/json", `{"a":1}`, false, `{"a":1}`},
		{"application/problem+json; charset=utf-8", `{}`, false, `{}`},
		{"text/plain", "olá", false, "olá"},
		{"text/plain", "\xff", true, "/w=="},
		{"multipart/form-data; boundary=x", "--x--", true, "LS14LS0="},
		{"application/pdf", "%PDF", true, "JVBERg=="},
		{"", "{}", true, "e30="},
	}
	for _, tt := range tests {
		t.Run(tt.kind, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(tt.body))
			r.Header.Set("Content-Type", tt.kind)
			_, _, event := call(t, host.Gateway{}, &invoker{answer: `{"statusCode":200}`}, r)
			if event["isBase64Encoded"] != tt.encoded || event["body"] != tt.want {
				t.Errorf("got %v, %v, want %v, %q", event["isBase64Encoded"], event["body"], tt.encoded, tt.want)
			}
		})
	}
}

func TestAnswersBecomeResponses(t *testing.T) {
	t.Parallel()
	tooLarge := &host.FunctionError{Function: "api", Payload: []byte(`{"errorType":"Function.ResponseSizeTooLarge"}`)}
	tests := []struct {
		name, answer string
		err          error
		status       int
		body         string
		header       http.Header
	}{
		{"text", `{"statusCode":201,"headers":{"content-type":"text/plain","x-n":1},"body":"olá"}`, nil, 201, "olá",
			http.Header{"Content-Type": {"text/plain"}, "X-N": {"1"}}},
		{"base64", `{"statusCode":200,"headers":{"content-type":"application/pdf"},"body":"JVBERg==","isBase64Encoded":true}`, nil, 200, "%PDF",
			http.Header{"Content-Type": {"application/pdf"}}},
		{"cookies", `{"statusCode":200,"cookies":["a=1","b=2"]}`, nil, 200, "", http.Header{"Set-Cookie": {"a=1", "b=2"}}},
		{"a redirection", `{"statusCode":303,"headers":{"location":"http://x/y"}}`, nil, 303, "", http.Header{"Location": {"http://x/y"}}},
		{"JSON without a status", `{"ok":true}`, nil, 200, `{"ok":true}`, http.Header{"Content-Type": {"application/json"}}},
		{"a string without a status", `"ok"`, nil, 200, `ok`, http.Header{"Content-Type": {"application/json"}}},
		{"a status that is none", `{"statusCode":42}`, nil, 500, "{\"message\":\"Internal Server Error\"}\n", nil},
		{"broken base64", `{"statusCode":200,"body":"?","isBase64Encoded":true}`, nil, 500, "{\"message\":\"Internal Server Error\"}\n", nil},
		{"no JSON", `?`, nil, 500, "{\"message\":\"Internal Server Error\"}\n", nil},
		{"a function that failed", ``, &host.FunctionError{Function: "api", Payload: []byte(`{}`)}, 500, "{\"message\":\"Internal Server Error\"}\n", nil},
		{"an answer that was too large", ``, tooLarge, 502, "{\"message\":\"Bad Gateway\"}\n", nil},
		{"an event that is too large", ``, host.ErrTooLarge, 413, "{\"message\":\"Request Entity Too Large\"}\n", nil},
		{"nobody there", ``, errors.New("connection refused"), 503, "{\"message\":\"Service Unavailable\"}\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			resp, body, _ := call(t, host.Gateway{}, &invoker{answer: tt.answer, err: tt.err}, httptest.NewRequest(http.MethodGet, "/", nil))
			if resp.StatusCode != tt.status || body != tt.body {
				t.Errorf("got %d %q, want %d %q", resp.StatusCode, body, tt.status, tt.body)
			}
			for name, values := range tt.header {
				if diff := cmp.Diff(values, resp.Header[name]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func TestABodyOverTenMegabytesIsRefused(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", 10<<20+1)))
	resp, _, event := call(t, host.Gateway{}, &invoker{}, r)
	if resp.StatusCode != http.StatusRequestEntityTooLarge || event != nil {
		t.Errorf("got %d and event %v, want 413 and none", resp.StatusCode, event)
	}
}
