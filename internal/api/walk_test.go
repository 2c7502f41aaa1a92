package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"bulksigner/internal/job"
)

// probe is a request that the walk makes of an operation.
type probe struct {
	target, body, kind string
}

// probes are requests for an operation: good ones, and for each thing that can be sent, bad ones.
func probes(t testing.TB, path string, op operation) []probe {
	t.Helper()
	f := signedFor(t)
	var list []probe
	for _, id := range []string{string(id1), string(id2), "00000000-0000-7000-8000-000000000000", "x", "%00", "%F0%9F%98%80"} {
		target := strings.ReplaceAll(path, "{id}", id)
		list = append(list, probe{target: target}, probe{target: target + "?"}, probe{target: target + "?nobody=asked"}, probe{target: target + "?%zz"})
		for _, p := range op.Parameters {
			if p.In != "query" {
				continue
			}
			for _, v := range []string{"", "1", "-1", "x", "%00", "%F0%9F%98%80", "[]", "Completed", "contracts", "Cades", strings.Repeat("9", 5000)} {
				list = append(list, probe{target: target + "?" + p.Name + "=" + v})
			}
		}
		if !strings.Contains(path, "{id}") {
			break
		}
	}
	if op.RequestBody == nil {
		return list
	}
	bodies := []probe{
		{body: fileForm("a.pdf", []byte("x")), kind: formType}, {body: fileForm("a/b", nil), kind: formType}, {body: "--b0undary", kind: formType},
		{body: `{"fileName":"a.pdf"}`, kind: "application/json"}, {body: `{"fileName":["a"]}`, kind: "application/json"},
		{body: `{"fileName":"a.pdf","profile":{}}`, kind: "application/json"}, {body: `"`, kind: "application/json"}, {body: `1`, kind: "application/json"},
		{body: verifyForm(f.pdf, nil), kind: formType}, {body: verifyForm(f.xml, nil), kind: formType}, {body: verifyForm(f.pdf, f.pdf), kind: formType},
		{body: verifyForm(f.detached, []byte("x")), kind: formType}, {body: verifyForm([]byte("<a><a"), nil), kind: formType},
		{body: "x", kind: "text/plain"}, {body: "x", kind: ";"}, {body: "\xff\xfe", kind: "application/json"},
	}
	for _, at := range list {
		for _, b := range bodies {
			list = append(list, probe{at.target, b.body, b.kind})
		}
	}
	return list
}

// TestWalk asks for every operation of the document in every way, and holds every answer against the document.
func TestWalk(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.jobs[id1], s.jobs[id2] = completed(), failed()
	s.page = job.Page{Jobs: []job.Job{completed(), failed()}, Cursor: "x"}
	d, _ := documentOf(t, s)
	asked := 0
	for path, methods := range d.Paths {
		for method, op := range methods {
			for _, p := range probes(t, path, op) {
				s.outputs[completed().Output.Key] = job.Download{Body: io.NopCloser(strings.NewReader("abc")), Size: 3, ContentType: "application/pdf"}
				for _, k := range []string{key, "", "wrong"} {
					asked++
					r := s.send(t, strings.ToUpper(method), p.target, p.body, "Content-Type", p.kind, "X-API-Key", k)
					if r.StatusCode == http.StatusUnauthorized && k == key || r.StatusCode < 400 && k != key && len(op.Security) > 0 {
						t.Errorf("%s %s with the key %q: %d", method, p.target, k, r.StatusCode)
					}
					d.described(t, method+" "+p.target[:min(len(p.target), 80)], op, r)
				}
			}
		}
	}
	if asked < 800 {
		t.Errorf("only %d requests were made", asked)
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
	if !ok || r.StatusCode >= 500 {
		t.Errorf("%s: status %d %s is not described", at, r.StatusCode, b)
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
	if m, ok := v.(map[string]any); ok && r.StatusCode >= 400 {
		if _, ok := c.Examples[m["code"].(string)]; !ok {
			t.Errorf("%s: code %v is not described for %d", at, m["code"], r.StatusCode)
		}
	}
}
