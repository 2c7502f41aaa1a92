package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// metricsType is Prometheus' text format.
const metricsType = "text/plain; version=0.0.4"

type metricsOutput struct {
	ContentType string `header:"Content-Type" hidden:"true"`
	Body        []byte
}

// addMetrics adds the route that Prometheus reads.
func (s *server) addMetrics(a huma.API) {
	op := huma.Operation{
		OperationID: "getMetrics", Method: http.MethodGet, Path: "/api/metrics", Tags: []string{"Service"},
		Summary: "What was counted, for Prometheus",
		Responses: map[string]*huma.Response{"200": {
			Description: "All figures, of all functions together.",
			Content:     map[string]*huma.MediaType{metricsType: {Schema: &huma.Schema{Type: "string"}}},
		}},
	}
	if s.Settings.Metrics.RequireApiKey {
		op = protected(op)
	} else {
		op = anonymous(op)
	}
	huma.Register(a, op, s.metrics)
}

// metrics reads everything before anything is answered, so that half of the figures never look like all.
func (s *server) metrics(ctx context.Context, _ *struct{}) (*metricsOutput, error) {
	var b bytes.Buffer
	if err := s.Metrics.WriteMetrics(ctx, &b); err != nil {
		return nil, fmt.Errorf("write the metrics: %w", err)
	}
	return &metricsOutput{ContentType: metricsType, Body: b.Bytes()}, nil
}
