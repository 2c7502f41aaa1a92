package api_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
)

// problem is a problem document as a client reads it.
type problem struct {
	Type, Title, Code, Detail, TraceID, RequestID string
	Status                                        int
	Errors                                        []struct{ Location, Message string }
}

// problemIn reads the problem in an answer and checks what every problem must be.
func problemIn(t testing.TB, r *http.Response) problem {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	var p problem
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatalf("status %d: %v in %q", r.StatusCode, err, b)
	}
	if got := r.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type = %q, want a problem", got)
	}
	if p.Type != "about:blank" || p.Title != http.StatusText(r.StatusCode) || p.Status != r.StatusCode || p.RequestID == "" || p.TraceID == "" {
		t.Errorf("incomplete problem: %s", b)
	}
	if !api.MayAnswer(fault.Code(p.Code), p.Status) {
		t.Errorf("code %q with status %d, which is not listed", p.Code, p.Status)
	}
	return p
}

// wantProblem checks code and status of an answer.
func wantProblem(t testing.TB, r *http.Response, status int, code fault.Code) problem {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("status = %d, want %d %s", r.StatusCode, status, code)
	}
	p := problemIn(t, r)
	if p.Code != string(code) {
		t.Fatalf("code = %q (%s), want %q", p.Code, p.Detail, code)
	}
	return p
}

func TestEveryCodeHasAStatus(t *testing.T) {
	t.Parallel()
	f, err := parser.ParseFile(token.NewFileSet(), "../fault/code.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, v := range spec.Values {
			code, err := strconv.Unquote(v.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			found++
			if s, ok := api.ListedStatus(fault.Code(code)); !ok || s < 400 || http.StatusText(s) == "" {
				t.Errorf("%s (%q) has no status", spec.Names[i], code)
			}
		}
		return false
	})
	if found < 40 {
		t.Errorf("only %d codes found in code.go", found)
	}
}

func TestFailuresOfStores(t *testing.T) {
	t.Parallel()
	secret := errors.New("dial tcp 10.0.0.7: secret of the backend")
	tests := []struct {
		name   string
		err    error
		status int
		code   fault.Code
		detail string
	}{
		{"no code shows nothing", secret, 500, fault.Internal, ""},
		{"nor does our own mistake", fault.Wrap(fault.StorageUnfit, secret, "bucket b is not versioned"), 500, fault.StorageUnfit, ""},
		{"a code shows its detail and not its cause", fault.Wrap(fault.Throttled, secret, "the table is busy"), 503, fault.Throttled, "the table is busy"},
		{"a bare code has no detail", fault.JobRaceLost, 409, fault.JobRaceLost, ""},
		{"a bad cursor is a bad filter", fault.New(fault.ValidationFilterInvalid, "the cursor is not ours"), 400, fault.ValidationFilterInvalid, "the cursor is not ours"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.fail["List"] = tt.err
			p := wantProblem(t, s.send(t, "GET", "/api/jobs", ""), tt.status, tt.code)
			if p.Detail != tt.detail {
				t.Errorf("detail = %q, want %q", p.Detail, tt.detail)
			}
			logged := s.lines.all()
			if len(logged) != 1 || !strings.Contains(logged[0], "code="+string(tt.code)) || !strings.Contains(logged[0], "request="+p.RequestID) {
				t.Errorf("logged %q, want one line with code and request", logged)
			}
			if got := strings.Contains(logged[0], secret.Error()); got != (tt.status >= 500) {
				t.Errorf("cause in the log = %v in %q", got, logged[0])
			}
		})
	}
}

func TestProblemNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := newService(t)
	p := wantProblem(t, s.send(t, "POST", "/api/files", `{"profile":7,"sekret":"hunter2"}`, "Content-Type", "application/json"), 400, fault.RequestInvalid)
	want := []struct{ Location, Message string }{
		{"body", "expected required property fileName to be present"},
		{"body.profile", "expected string"},
		{"body.sekret", "unexpected property"},
	}
	if d := cmp.Diff(want, p.Errors); d != "" {
		t.Errorf("errors (-want +got):\n%s", d)
	}
}

func TestErrorListIsBounded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	body := `{"fileName":"a.pdf"` + strings.Repeat(`,"`+strings.Repeat("x", 200)+`1":1`, 1)
	for i := range 300 {
		body += `,"k` + strconv.Itoa(i) + `":1`
	}
	p := wantProblem(t, s.send(t, "POST", "/api/files", body+"}", "Content-Type", "application/json"), 400, fault.RequestInvalid)
	if len(p.Errors) != 20 {
		t.Errorf("%d errors, want 20", len(p.Errors))
	}
	for _, e := range p.Errors {
		if len(e.Location) > 140 {
			t.Errorf("location of %d bytes", len(e.Location))
		}
	}
}
