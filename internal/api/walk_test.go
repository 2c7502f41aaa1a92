package api_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/settings"
)

// probe is a request that the walk makes of an operation.
type probe struct {
	target, body, kind string
}

// targets are the ways to ask for an operation: good ones, and for each thing that can be sent, bad ones.
func targets(path string, op operation) (list []string) {
	for _, id := range []string{string(id1), string(id2), "00000000-0000-7000-8000-000000000000", "x", "%00", "%F0%9F%98%80", "contracts", "people", "folder", "work"} {
		target := strings.NewReplacer("{id}", id, "{name}", id, "{queue}", id).Replace(path)
		list = append(list, target, target+"?", target+"?nobody=asked", target+"?%zz")
		for _, p := range op.Parameters {
			if p.In != "query" {
				continue
			}
			for _, v := range []string{"", "1", "-1", "x", "%00", "%F0%9F%98%80", "[]", "Completed", "contracts", "in", "Cades", "JobDeleted", "2026-03-04", strings.Repeat("9", 5000)} {
				list = append(list, target+"?"+p.Name+"="+v, target+"?"+p.Name+"="+v+"&"+p.Name+"="+v)
			}
		}
		if !strings.Contains(path, "{") {
			break
		}
	}
	return list
}

// bodies are what is sent to operations that take something.
func bodies(t testing.TB) []probe {
	f := signedFor(t)
	const json = "application/json"
	return []probe{
		{body: fileForm("a.pdf", []byte("x")), kind: formType}, {body: fileForm("a/b", nil), kind: formType}, {body: "--b0undary", kind: formType},
		{body: `{"fileName":"a.pdf"}`, kind: json}, {body: `{"fileName":["a"]}`, kind: json},
		{body: `{"fileName":"a.pdf","profile":{}}`, kind: json}, {body: `"`, kind: json}, {body: `1`, kind: json}, {body: `null`, kind: json}, {body: `[]`, kind: json},
		{body: verifyForm(f.pdf, nil), kind: formType}, {body: verifyForm(f.xml, nil), kind: formType}, {body: verifyForm(f.pdf, f.pdf), kind: formType},
		{body: verifyForm(f.detached, []byte("x")), kind: formType}, {body: verifyForm([]byte("<a><a"), nil), kind: formType},
		{body: `{"reason":"r"}`, kind: json}, {body: `{"reason":"` + strings.Repeat("r", 513) + `"}`}, {body: `{}`}, {body: " "},
		{body: newProfile, kind: json}, {body: strings.Replace(newProfile, `"name":"new",`, "", 1), kind: json},
		{body: `{"name":"new","certificate":{"kms":7,"pfx":{"password":"hunter2"}}}`, kind: json}, {body: `{"certificate":{"cloudHsm":{"slot":1e99}}}`, kind: json},
		{body: `{"name":7,"enabled":"yes","signature":[]}`, kind: json}, {body: `{"approval":{},"certificate":{"pkcs11":{}}}`, kind: json},
		{body: `{"inputFolder":"elsewhere","name":"new"}`, kind: json}, {body: strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000), kind: json},
		{body: strings.Repeat("x", 140_000), kind: json},
		{body: "x", kind: "text/plain"}, {body: "x", kind: ";"}, {body: "\xff\xfe", kind: json},
	}
}

// probes are all targets with a body that may do, and all bodies on targets without a query.
func probes(t testing.TB, path string, op operation) (list []probe) {
	all := bodies(t)
	for _, at := range targets(path, op) {
		if list = append(list, probe{target: at}); op.RequestBody == nil {
			continue
		}
		list = append(list, probe{at, all[0].body, all[0].kind})
		if strings.Contains(at, "?") {
			continue
		}
		for _, b := range all {
			list = append(list, probe{at, b.body, b.kind})
		}
	}
	return list
}

// furnished is a service that has something to tell of everything.
func furnished(t testing.TB) *service {
	s := newService(t)
	s.furnish()
	return s
}

// furnish makes it as it was, whatever was asked of it.
func (s *service) furnish() {
	clear(s.answered)
	clear(s.put)
	s.reserved, s.calls, s.told, s.lines.text = nil, nil, nil, nil
	s.jobs[id1], s.jobs[id2], s.child = completed(), failed(), id2
	maps.Copy(s.profiles, profilesOfAll())
	s.page, s.total = job.Page{Jobs: []job.Job{completed(), failed()}, Cursor: "x"}, 2
	s.events = job.EventPage{Events: []job.Event{{ID: "A", Time: now, Type: job.EventJobDeleted, Message: "m"}}, Cursor: "x"}
	s.timings = []job.Timing{{Job: id1, At: now.Add(-time.Second), Stages: completed().Stages}}
	s.cleared = job.Cleared{Deleted: 7, Before: now, Complete: true}
	s.rescan = job.RescanReport{Folders: []job.RescanFolder{{Name: "in", Scanned: 1, Enqueued: 1, EnqueuedFiles: []string{"a.pdf"}}}, Complete: true}
	s.folders = []job.SignerFolder{{ID: boundID, Name: "Automatic signature"}}
	s.furnishFigures()
	s.outputs[completed().Output.Key] = job.Download{Body: io.NopCloser(strings.NewReader("abc")), Size: 3, ContentType: "application/pdf"}
}

// TestWalk asks for every operation of the document in every way, and holds every answer against the document.
func TestWalk(t *testing.T) {
	t.Parallel()
	d, _ := documentOf(t, newService(t))
	for path, methods := range d.Paths {
		for method, op := range methods {
			t.Run(method+" "+path, func(t *testing.T) {
				t.Parallel()
				if asked := walk(t, d, strings.ToUpper(method), path, op); asked < 12 {
					t.Errorf("only %d requests were made", asked)
				}
			})
		}
	}
}

func walk(t *testing.T, d document, method, path string, op operation) (asked int) {
	s := furnished(t)
	for _, p := range probes(t, path, op) {
		for _, k := range []string{key, "", "wrong"} {
			s.furnish()
			asked++
			r := s.send(t, method, p.target, p.body, "Content-Type", p.kind, "X-API-Key", k, "If-Match", `"3"`, "Idempotency-Key", "walk", "Accept-Language", "pt-BR")
			if r.StatusCode == http.StatusUnauthorized && k == key || r.StatusCode < 400 && k != key && !op.open() {
				t.Errorf("%s with the key %q: %d", p.target, k, r.StatusCode)
			}
			if r.StatusCode >= 500 {
				t.Errorf("%s: %d", p.target, r.StatusCode)
			}
			d.described(t, p.target[:min(len(p.target), 80)]+" "+p.body[:min(len(p.body), 80)], op, r)
		}
	}
	return asked
}

// Every operation can be used, so that the walk is not one past closed doors.
func TestWalkSucceeds(t *testing.T) {
	t.Parallel()
	bodies := map[string]probe{
		"postFile": {body: fileForm("a.pdf", []byte("x")), kind: formType}, "verifyFile": {body: verifyForm(signedFor(t).pdf, nil), kind: formType},
		"createProfile": {body: newProfile}, "replaceProfile": {body: strings.Replace(newProfile, `"name":"new",`, "", 1)},
	}
	ids := map[string]job.ID{"retryJob": id2, "getOutput": id1}
	d, _ := documentOf(t, newService(t))
	for path, methods := range d.Paths {
		for method, op := range methods {
			s := furnished(t)
			s.jobs[id2] = remote()
			id := cmp.Or(ids[op.OperationID], id2)
			b := bodies[op.OperationID]
			target := strings.NewReplacer("{id}", string(id), "{name}", "contracts", "{queue}", "work").Replace(path)
			r := s.send(t, strings.ToUpper(method), target, b.body, "Content-Type", b.kind, "If-Match", `"3"`)
			if r.StatusCode >= 300 {
				t.Errorf("%s %s: %d %s", method, target, r.StatusCode, bodyOf(t, r))
				continue
			}
			d.described(t, method+" "+path, op, r)
		}
	}
}

// A limit is said by every operation that has one, and by no other.
func TestWalkLimited(t *testing.T) {
	t.Parallel()
	d, _ := documentOf(t, newService(t))
	limited := 0
	for path, methods := range d.Paths {
		for method, op := range methods {
			s := newService(t, func(_ *service, p *api.Parts) { p.Settings.RateLimiting = settings.RateLimiting{Enabled: true} })
			s.wait = 1500 * time.Millisecond
			r := s.send(t, strings.ToUpper(method), strings.NewReplacer("{id}", string(id1), "{name}", "contracts", "{queue}", "work").Replace(path), "")
			_, said := op.Responses["429"]
			if got := r.StatusCode == http.StatusTooManyRequests; got != said {
				t.Errorf("%s %s = %d, and the document says that it is limited: %v", method, path, r.StatusCode, said)
			}
			if r.StatusCode == http.StatusTooManyRequests {
				limited++
				if got := r.Header.Get("Retry-After"); got != "2" {
					t.Errorf("%s %s: Retry-After = %q, want 2", method, path, got)
				}
				wantProblem(t, r, 429, fault.RateLimited)
			}
		}
	}
	if limited != 12 {
		t.Errorf("%d operations are limited, want 12", limited)
	}
}

// described holds that an answer is one of those that the document has for the operation.
func (d document) described(t *testing.T, at string, op operation, r *http.Response) {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	want, ok := op.Responses[strconv.Itoa(r.StatusCode)]
	if !ok {
		t.Errorf("%s: status %d %s is not described", at, r.StatusCode, b)
		return
	}
	if len(want.Content) == 0 && len(b) == 0 {
		return
	}
	c, ok := want.Content[r.Header.Get("Content-Type")]
	if _, any := want.Content["*/*"]; !ok && !any {
		t.Errorf("%s: a %s is not described for %d", at, r.Header.Get("Content-Type"), r.StatusCode)
		return
	}
	if !strings.HasSuffix(r.Header.Get("Content-Type"), "json") {
		return
	}
	var v any
	if err := json.NewDecoder(bytes.NewReader(b)).Decode(&v); err != nil {
		t.Errorf("%s: %v in %s", at, err, b)
		return
	}
	d.conform(t, at, c.Schema, v)
	if m, ok := v.(map[string]any); ok && r.Header.Get("Content-Type") == "application/problem+json" {
		if _, ok := c.Examples[m["code"].(string)]; !ok {
			t.Errorf("%s: code %v is not described for %d", at, m["code"], r.StatusCode)
		}
	}
}

// TestWalkThroughTheGateway asks for every operation in every way in which a gateway may hand a request over.
func TestWalkThroughTheGateway(t *testing.T) {
	t.Parallel()
	large := `{"name":"` + strings.Repeat("x", 6<<20-11) + `"}`
	changes := map[string]func(*events.APIGatewayV2HTTPRequest){
		"plain":   func(*events.APIGatewayV2HTTPRequest) {},
		"a stage": func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.Stage, e.RawPath = "prod", "/prod"+e.RawPath },
		"a base path": func(e *events.APIGatewayV2HTTPRequest) {
			e.RequestContext.DomainName, e.RawPath = "sign.example.com", "/signing"+e.RawPath
		},
		"a slash more":    func(e *events.APIGatewayV2HTTPRequest) { e.RawPath += "/" },
		"doubled slashes": func(e *events.APIGatewayV2HTTPRequest) { e.RawPath = strings.ReplaceAll(e.RawPath, "/", "//") },
		"base64": func(e *events.APIGatewayV2HTTPRequest) {
			e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(`{"reason":"r"}`)), true
		},
		"not base64": func(e *events.APIGatewayV2HTTPRequest) { e.Body, e.IsBase64Encoded = "{}", true },
		"6 MB":       func(e *events.APIGatewayV2HTTPRequest) { e.Body = large },
		"a form": func(e *events.APIGatewayV2HTTPRequest) {
			e.Headers["content-type"], e.Body = formType, base64.StdEncoding.EncodeToString([]byte(fileForm("a.pdf", []byte("x"))))
			e.IsBase64Encoded = true
		},
		"mixed case": func(e *events.APIGatewayV2HTTPRequest) {
			delete(e.Headers, "x-api-key")
			e.Headers["X-aPi-KeY"], e.Headers["IF-MATCH"], e.Headers["iDEMPOTENCY-kEY"], e.Headers["Content-TYPE"] = key, `"3"`, "n", "application/json"
		},
		"twice": func(e *events.APIGatewayV2HTTPRequest) {
			e.Headers["x-api-key"], e.Headers["if-match"], e.Headers["idempotency-key"] = key+","+key, `"3","3"`, "n,n"
		},
		"no key":    func(e *events.APIGatewayV2HTTPRequest) { delete(e.Headers, "x-api-key") },
		"a text":    func(e *events.APIGatewayV2HTTPRequest) { e.Body, e.Headers["content-type"] = "x", "text/plain" },
		"no body":   func(e *events.APIGatewayV2HTTPRequest) { e.Body = "" },
		"bad UTF-8": func(e *events.APIGatewayV2HTTPRequest) { e.Body, e.IsBase64Encoded = "//79", true },
	}
	lost := map[string]bool{"a slash more": true, "doubled slashes": true}
	d, _ := documentOf(t, newService(t))
	for path, methods := range d.Paths {
		for method, op := range methods {
			t.Run(method+" "+path, func(t *testing.T) {
				t.Parallel()
				s := furnished(t)
				for name, change := range changes {
					s.furnish()
					at := strings.NewReplacer("{id}", string(id1), "{name}", "contracts", "{queue}", "work").Replace(path)
					r, err := api.Gateway(s)(s.ctx(t), event(strings.ToUpper(method), at, func(e *events.APIGatewayV2HTTPRequest) {
						e.Headers["content-type"], e.Headers["if-match"], e.Body = "application/json", `"3"`, `{}`
						change(e)
					}))
					if err != nil {
						t.Fatalf("%s: the function failed: %v", name, err)
					}
					code := codeOf(t, r)
					if r.StatusCode >= 500 || (code == fault.RouteNotFound) != lost[name] {
						t.Errorf("%s: %d %s", name, r.StatusCode, code)
					}
					if _, described := op.Responses[strconv.Itoa(r.StatusCode)]; !described && !lost[name] && name != "not base64" {
						t.Errorf("%s: %d %s is not described", name, r.StatusCode, code)
					}
				}
			})
		}
	}
}
