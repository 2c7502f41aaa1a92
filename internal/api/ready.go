package api

import (
	"context"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/job"
)

// readyFor is how long an answer about readiness is good. Anybody may ask, and nobody is to make us read the table at will.
const readyFor = 2 * time.Second

type readyOutput struct {
	Status int
	Body   readiness
}

// readiness says whether the service can do its work.
type readiness struct {
	Ready  bool         `json:"ready" doc:"Whether every check passed of those without which nothing works. Others may be red all the same."`
	Checks []readyCheck `json:"checks" nullable:"false"`
	_      struct{}     `json:"-" additionalProperties:"true"`
}

// readyCheck is one thing that the service depends on.
type readyCheck struct {
	Name   string   `json:"name"`
	OK     bool     `json:"ok"`
	Detail *string  `json:"detail,omitempty" doc:"What was found. Only /api/ready/details tells it."`
	_      struct{} `json:"-" additionalProperties:"true"`
}

// rows are what was last found.
type rows struct {
	mu   sync.Mutex
	last []job.Ready
	at   time.Time
}

// addReady adds the routes that say whether the service can do its work.
func (s *server) addReady(a huma.API) {
	open := anonymous
	if s.Settings.Readiness.RequireApiKey {
		open = func(op huma.Operation) huma.Operation { return protected(op) }
	}
	huma.Register(a, open(readyOperation(a, huma.Operation{
		OperationID: "getReady", Path: "/api/ready", Summary: "Whether the service can do its work",
	})), func(ctx context.Context, _ *struct{}) (*readyOutput, error) { return s.readiness(ctx, false), nil })
	huma.Register(a, protected(readyOperation(a, huma.Operation{
		OperationID: "getReadyDetails", Path: "/api/ready/details", Summary: "The same, with what was found",
	})), func(ctx context.Context, _ *struct{}) (*readyOutput, error) { return s.readiness(ctx, true), nil })
}

func readyOperation(a huma.API, op huma.Operation) huma.Operation {
	op.Method, op.Tags = http.MethodGet, []string{"Service"}
	op.Description = "The answer is at most two seconds old."
	report := a.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[readiness](), true, "Readiness")
	op.Responses = map[string]*huma.Response{"503": {
		Description: "The service is not ready: `checks` says why.",
		Content:     map[string]*huma.MediaType{"application/json": {Schema: report}},
	}}
	return op
}

// readiness judges the rows: a red one that gates makes the service not ready.
func (s *server) readiness(ctx context.Context, details bool) *readyOutput {
	out := &readyOutput{Status: http.StatusOK, Body: readiness{Ready: true, Checks: []readyCheck{}}}
	for _, r := range s.checked(ctx) {
		c := readyCheck{Name: r.Name, OK: r.OK}
		if details {
			c.Detail = &r.Detail
		}
		out.Body.Checks = append(out.Body.Checks, c)
		if r.Gates && !r.OK {
			out.Status, out.Body.Ready = http.StatusServiceUnavailable, false
		}
	}
	return out
}

// checked asks for the rows, or returns those that were just asked for. Those of a request that broke off say nothing.
func (s *server) checked(ctx context.Context) []job.Ready {
	s.ready.mu.Lock()
	defer s.ready.mu.Unlock()
	now := s.Now()
	if !s.ready.at.IsZero() && now.Sub(s.ready.at) < readyFor {
		return s.ready.last
	}
	found := s.Operator.Readiness(ctx)
	if ctx.Err() == nil {
		s.ready.last, s.ready.at = found, now
	}
	return found
}
