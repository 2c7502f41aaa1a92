package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// operatorName is who acts, for all that the API key tells.
const operatorName = "api"

type pipelineOutput struct {
	Body pipelineState
}

// pipelineState is the pipeline's switch and what is in flight.
type pipelineState struct {
	Paused               bool       `json:"paused" doc:"Whether no job is begun. Those in flight go on to their end."`
	PausedAtUTC          *time.Time `json:"pausedAtUtc" doc:"When it was last paused."`
	ResumedAtUTC         *time.Time `json:"resumedAtUtc" doc:"When it was last resumed."`
	PausedBy             *string    `json:"pausedBy"`
	Reason               *string    `json:"reason"`
	MaxConcurrency       int        `json:"maxConcurrency" doc:"The most jobs that are in flight at the same time."`
	JobsInFlight         int        `json:"jobsInFlight" doc:"Jobs in Processing and Verifying."`
	JobsInFlightByFormat inFlight   `json:"jobsInFlightByFormat"`
	_                    struct{}   `json:"-" additionalProperties:"true"`
}

// inFlight counts jobs by the format of the signature.
type inFlight struct {
	Pades int      `json:"pades"`
	Cades int      `json:"cades"`
	Xades int      `json:"xades"`
	Total int      `json:"total" doc:"All of them, also any whose format is not decided."`
	_     struct{} `json:"-" additionalProperties:"true"`
}

const pauseDoc = "While it is paused no job is begun and Lacuna Signer is not asked about documents; jobs are still created, and " +
	"folders at Lacuna Signer are still searched. Pausing what is paused changes nothing."

// addPipeline adds the routes of the pipeline's switch.
func (s *server) addPipeline(a huma.API) {
	huma.Register(a, protected(huma.Operation{
		OperationID: "getPipeline", Method: http.MethodGet, Path: "/api/pipeline/state", Tags: []string{"Pipeline"},
		Summary: "Whether the pipeline is paused, and what is in flight",
	}), func(ctx context.Context, _ *struct{}) (*pipelineOutput, error) {
		return s.flight(s.Operator.Flight(ctx))
	})
	s.addSwitch(a, "pausePipeline", "/api/pipeline/pause", "Pause the pipeline", pauseDoc, s.pause)
	s.addSwitch(a, "resumePipeline", "/api/pipeline/resume", "Resume the pipeline",
		"What has waited is begun little by little. Resuming what is not paused changes nothing.", s.resume)
}

func (s *server) addSwitch(a huma.API, id, path, summary, doc string, turn func(context.Context, *actionInput) (*pipelineOutput, error)) {
	op := protected(acts(takesBody(huma.Operation{
		OperationID: id, Method: http.MethodPost, Path: path, Tags: []string{"Pipeline"}, Summary: summary, Description: doc,
	})), fault.ValidationReasonTooLong, fault.PipelineRaceLost, fault.RequestTooLarge)
	huma.Register(a, op, turn)
	describeBody[reasonBody](a, op)
}

func (s *server) pause(ctx context.Context, in *actionInput) (*pipelineOutput, error) {
	reason, err := s.reason(*in)
	if err != nil {
		return nil, err
	}
	return s.flight(s.Operator.Pause(ctx, operatorName, reason))
}

func (s *server) resume(ctx context.Context, in *actionInput) (*pipelineOutput, error) {
	reason, err := s.reason(*in)
	if err != nil {
		return nil, err
	}
	return s.flight(s.Operator.Resume(ctx, operatorName, reason))
}

// flight answers with how things are.
func (s *server) flight(f job.Flight, err error) (*pipelineOutput, error) {
	if err != nil {
		return nil, fmt.Errorf("look after the pipeline: %w", err)
	}
	count := inFlightOf(f.InFlight)
	return &pipelineOutput{pipelineState{
		Paused: f.Paused, PausedAtUTC: moment(f.PausedAt), ResumedAtUTC: moment(f.ResumedAt),
		PausedBy: optional(f.PausedBy), Reason: optional(f.Reason),
		MaxConcurrency: s.Settings.Pipeline.MaxConcurrency, JobsInFlight: count.Total, JobsInFlightByFormat: count,
	}}, nil
}

func inFlightOf(byFormat map[string]int) (n inFlight) {
	for name, jobs := range byFormat {
		n.Total += jobs
		switch {
		case strings.EqualFold(name, string(profile.Pades)):
			n.Pades += jobs
		case strings.EqualFold(name, string(profile.Cades)):
			n.Cades += jobs
		case strings.EqualFold(name, string(profile.Xades)):
			n.Xades += jobs
		}
	}
	return n
}

// moment makes null of a time that there was not.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}
