package api_test

import (
	"encoding/base64"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/api"
	"bulksigner/internal/verify"
)

// told sends a file that is judged as the report has it, and returns the answer.
func told(t testing.TB, r verify.Report) []byte {
	t.Helper()
	s := newService(t)
	s.report = &r
	resp := s.send(t, "POST", "/api/verify", verifyForm([]byte("x"), nil), "Content-Type", formType)
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("answer = %d %s, %v", resp.StatusCode, b, err)
	}
	return b
}

// fill sets everything in a value to something that JSON does not leave out.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(now))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.String:
		v.SetString("passed")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64:
		v.SetInt(7)
	}
}

// The answer is the report as it writes itself, with the verdict on top: nothing of it is lost, also nothing to come.
func TestVerdictIsTheReport(t *testing.T) {
	t.Parallel()
	var r verify.Report
	fill(reflect.ValueOf(&r).Elem())
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var want, got map[string]any
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	want["valid"] = false // no check is called signature
	if err := json.Unmarshal(told(t, r), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("verdict (-want +got):\n%s", d)
	}
}

func TestVerdictShape(t *testing.T) {
	t.Parallel()
	f := signedFor(t)
	s := newService(t)
	wantJSON(t, s.send(t, "POST", "/api/verify", verifyForm(f.plainPDF, nil), "Content-Type", formType), 200, `{"valid":false,"format":"PAdES","signatures":[]}`)
	if got, want := string(told(t, verify.Report{Format: "CAdES"})), `{"valid":false,"format":"CAdES","signatures":[]}`; strings.TrimSpace(got) != want {
		t.Errorf("empty report = %s, want %s", got, want)
	}
	good := verify.Report{Format: "CAdES", Signatures: []verify.Signature{{
		SignerName: "MARIA", Time: new(now.In(time.FixedZone("", -3*3600))), Signed: []verify.Part{{From: 0, To: 9}},
		Checks: []verify.Check{{Name: verify.SignatureValue, Outcome: verify.Passed, Demanded: true}, {Name: verify.Revocation, Outcome: verify.NotChecked}},
	}}}
	want := `{"valid":true,"format":"CAdES","signatures":[{"signerName":"MARIA","time":"2026-03-04T05:06:07.089Z","coversWholeFile":false,` +
		`"signed":[{"from":0,"to":9}],"checks":[{"name":"signature","outcome":"passed","demanded":true},{"name":"revocation","outcome":"not-checked","demanded":false}]}]}`
	if got := strings.TrimSpace(string(told(t, good))); got != want {
		t.Errorf("verdict = %s, want %s", got, want)
	}
}

func TestVerdictHasNoNumbers(t *testing.T) {
	t.Parallel()
	tests := []struct{ given, want string }{
		{"Signature1", "Signature1"},
		{"Assinatura 2026-03-04 1", "Assinatura 2026-03-04 1"},
		{"form.sig_12345678909", "form.sig_…"},
		{"123.456.789-09", "…"},
		{"ACME 12.345.678/0001-95 b", "ACME … b"},
		{"111 444 777 35", "…"},
		{"1234567890", "1234567890"},
	}
	for _, tt := range tests {
		r := verify.Report{Format: "XAdES", Signatures: []verify.Signature{{Field: tt.given, SignerName: tt.given, Signed: []verify.Part{{Element: tt.given}}}}}
		var v struct {
			Signatures []struct {
				Field, SignerName string
				Signed            []struct{ Element string }
			}
		}
		if err := json.Unmarshal(told(t, r), &v); err != nil {
			t.Fatal(err)
		}
		if s := v.Signatures[0]; s.Field != tt.want || s.SignerName != tt.want || s.Signed[0].Element != tt.want {
			t.Errorf("%q is told as %+v, want %q", tt.given, s, tt.want)
		}
	}
}

// JSON cannot have every time that a PDF can claim.
func TestVerdictTimeBeyondJSON(t *testing.T) {
	t.Parallel()
	west, east := time.FixedZone("", -3*3600), time.FixedZone("", 3*3600)
	for _, at := range []time.Time{time.Date(9999, 12, 31, 23, 0, 0, 0, west), time.Date(0, 1, 1, 0, 0, 0, 0, east)} {
		b := told(t, verify.Report{Format: "PAdES", Signatures: []verify.Signature{{Time: &at}}})
		if strings.Contains(string(b), `"time"`) || !json.Valid(b) {
			t.Errorf("%v is told as %s", at, b)
		}
	}
}

// The largest report that there can be still travels: every signature and every check of it, and parts up to the limit.
func TestVerdictFitsIntoAnAnswer(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("\"", 256)
	one := verify.Signature{Field: text, SubFilter: text, SignerName: text, Policy: text, Signed: slices.Repeat([]verify.Part{{Element: text, From: 1 << 40, To: 1 << 40}}, 64)}
	for _, name := range api.CheckNames() {
		one.Checks = append(one.Checks, verify.Check{Name: name, Outcome: verify.NotChecked, Demanded: true, Detail: strings.Repeat("x", 256)})
	}
	s := newService(t)
	s.report = &verify.Report{Format: "XAdES", Signatures: slices.Repeat([]verify.Signature{one}, 256)}
	r := s.invoke(t, event("POST", "/api/verify", func(e *events.APIGatewayV2HTTPRequest) {
		e.Headers["content-type"] = formType
		e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(verifyForm([]byte("x"), nil))), true
	}))
	v := verdictIn(t, r.StatusCode, strings.NewReader(string(content(t, r))))
	listed, leftOut := 0, 0
	for _, f := range v.Signatures {
		if len(f.Checks) != len(one.Checks) {
			t.Fatalf("a signature has %d checks, want %d", len(f.Checks), len(one.Checks))
		}
		listed, leftOut = listed+len(f.Signed), leftOut+f.SignedLeftOut
	}
	if len(v.Signatures) != 256 || listed != api.MaxParts || listed+leftOut != 256*64 {
		t.Errorf("%d signatures with %d parts listed and %d left out", len(v.Signatures), listed, leftOut)
	}
}

// Every name that package verify has for a check is explained, in the order of its list.
func TestEveryCheckIsExplained(t *testing.T) {
	t.Parallel()
	f, err := parser.ParseFile(token.NewFileSet(), "../verify/verify.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for _, v := range spec.Values {
			if l, ok := v.(*ast.BasicLit); ok && l.Kind == token.STRING {
				name, err := strconv.Unquote(l.Value)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, name)
			}
		}
		return false
	})
	if d := cmp.Diff(want, api.CheckNames()); d != "" || len(want) < 15 {
		t.Errorf("checks (-verify +document):\n%s", d)
	}
	_, b := documentOf(t, newService(t))
	for _, name := range want {
		if !strings.Contains(string(b), "- `"+name+"`: ") {
			t.Errorf("the document does not explain %s", name)
		}
	}
}

// The document's examples are what a client would get.
func TestVerdictExamples(t *testing.T) {
	t.Parallel()
	s, f := judging(t)
	d, b := documentOf(t, s)
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct {
					Schema   schema
					Examples map[string]struct{ Value any }
				}
			}
		}
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	c := doc.Paths["/api/verify"]["post"].Responses["200"].Content["application/json"]
	files := map[string][]byte{"good": f.attached, "altered": altered(t, f.attached, signedContent), "unsigned": f.plainPDF}
	if len(c.Examples) != len(files) {
		t.Errorf("%d examples, want %d", len(c.Examples), len(files))
	}
	for name, file := range files {
		d.conform(t, name, c.Schema, c.Examples[name].Value)
		var got any
		r := s.send(t, "POST", "/api/verify", verifyForm(file, nil), "Content-Type", formType)
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(unspecific(c.Examples[name].Value), unspecific(got)); diff != "" {
			t.Errorf("%s (-example +answer):\n%s", name, diff)
		}
	}
}

// unspecific takes out of a verdict what depends on the one file, and the words.
func unspecific(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "from")
		delete(v, "to")
		delete(v, "time")
		delete(v, "detail")
		for _, member := range v {
			unspecific(member)
		}
	case []any:
		for _, item := range v {
			unspecific(item)
		}
	}
	return v
}
