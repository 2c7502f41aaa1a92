package api_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.events = job.EventPage{Events: []job.Event{{ID: "A", Time: now.In(time.FixedZone("", 3600)), Type: "PipelinePaused", Message: `Paused by api: "ação".`}}, Cursor: "bmV4dA"}
	wantJSON(t, s.send(t, "GET", "/api/events?pageSize=1", ""), 200, `{"items":[
		{"id":"A","timestamp":"2026-03-04T05:06:07.089Z","eventType":"PipelinePaused","message":"Paused by api: \"ação\"."}],"page":null,"pageSize":1,"cursor":"bmV4dA"}`)
	s.events = job.EventPage{}
	wantJSON(t, s.send(t, "GET", "/api/events?page=2", ""), 200, `{"items":[],"page":2,"pageSize":50,"cursor":null}`)
	s.fail["Events"] = fault.New(fault.ValidationFilterInvalid, "the cursor is not ours")
	wantProblem(t, s.send(t, "GET", "/api/events?cursor=x", ""), 400, fault.ValidationFilterInvalid)
}

func TestEventFilters(t *testing.T) {
	t.Parallel()
	tests := []struct {
		query string
		want  job.EventQuery
	}{
		{"", job.EventQuery{Size: 50}},
		{"?eventType=JobDeleted&eventType=JobsCleared&eventType=JobDeleted", job.EventQuery{Types: []string{"JobDeleted", "JobsCleared"}, Size: 50}},
		{"?from=2026-03-04&to=2026-03-05&contains=a%C3%A7%C3%A3o", job.EventQuery{From: day(4), To: day(5), Contains: "ação", Size: 50}},
		{"?cursor=a%2Bb&pageSize=200", job.EventQuery{Cursor: "a+b", Size: 200}},
		{"?page=3&pageSize=10", job.EventQuery{Page: 3, Size: 10}},
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			if r := s.send(t, "GET", "/api/events"+tt.query, ""); r.StatusCode != 200 {
				t.Fatalf("status = %d, want 200", r.StatusCode)
			}
			if d := cmp.Diff(tt.want, s.journal); d != "" {
				t.Errorf("asked (-want +got):\n%s", d)
			}
		})
	}
}

func TestEventsNeverWiden(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, query := range []string{
		"eventType=", "eventType=jobdeleted", "eventType=JobDeleted&eventType=Nothing", "type=JobDeleted", "contains=", "contains=%0a",
		"from=now", "from=2026-03-05&to=2026-03-04", "page=201", "page=1&cursor=a", "pageSize=201", "contains=" + strings.Repeat("a", 256),
	} {
		wantProblem(t, s.send(t, "GET", "/api/events?"+query, ""), 400, fault.ValidationFilterInvalid)
	}
	if n := s.asked()["Events"]; n != 0 {
		t.Error("the journal was asked")
	}
}

// Every type of event that is written can be asked for.
func TestEventTypes(t *testing.T) {
	t.Parallel()
	f, err := parser.ParseFile(token.NewFileSet(), "../job/record.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var written []string
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && strings.HasPrefix(spec.Names[0].Name, "Event") {
			word, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			written = append(written, word)
		}
		return !ok
	})
	if len(written) < 10 {
		t.Fatalf("only %d types found in record.go", len(written))
	}
	slices.Sort(written)
	if d := cmp.Diff(written, slices.Sorted(slices.Values(api.EventTypes))); d != "" {
		t.Errorf("types (-written +told):\n%s", d)
	}
	s := newService(t)
	wantJSON(t, s.send(t, "GET", "/api/events/types", ""), 200, `{"types":["`+strings.Join(written, `","`)+`"]}`)
}
