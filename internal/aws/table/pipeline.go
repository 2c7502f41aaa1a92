package table

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

const (
	pipelinePK = "PIPELINE"
	stateSK    = "STATE"
)

// pipelineRecord is the operator's switch. An installation that was never paused has none.
type pipelineRecord struct {
	Version   int64  `dynamodbav:"version"`
	Paused    bool   `dynamodbav:"paused"`
	PausedAt  string `dynamodbav:"pausedAt"`
	ResumedAt string `dynamodbav:"resumedAt"`
	PausedBy  string `dynamodbav:"pausedBy"`
	Reason    string `dynamodbav:"reason"`
}

// Paused reads the switch consistently.
func (s *Store) Paused(ctx context.Context) (bool, error) {
	p, err := s.State(ctx)
	return p.Paused, err
}

// State reads the whole switch consistently. One that was never turned has version 0.
func (s *Store) State(ctx context.Context) (job.Pipeline, error) {
	r, err := s.pipeline(ctx)
	if err != nil {
		return job.Pipeline{}, err
	}
	var at moments
	p := job.Pipeline{
		Version: r.Version, Paused: r.Paused, PausedAt: at.read("pausedAt", r.PausedAt), ResumedAt: at.read("resumedAt", r.ResumedAt),
		PausedBy: r.PausedBy, Reason: r.Reason,
	}
	if at.err != nil {
		return job.Pipeline{}, fmt.Errorf("decode the pipeline's state: %w", at.err)
	}
	return p, nil
}

func (s *Store) pipeline(ctx context.Context) (r pipelineRecord, _ error) {
	i, err := s.get(ctx, pipelinePK, stateSK)
	if err != nil {
		return r, fmt.Errorf("read the pipeline's state: %w", err)
	}
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return r, fmt.Errorf("decode the pipeline's state: %w", err)
	}
	return r, nil
}

// Turn writes the switch one version ahead of the stored one, or returns fault.PipelineRaceLost if another came first. A
// switch that stands as it is to be turned, with its times and reason, is no other: a repeated request met its first try.
func (s *Store) Turn(ctx context.Context, p job.Pipeline) error {
	r := pipelineRecord{
		Version: p.Version, Paused: p.Paused, PausedAt: moment(p.PausedAt), ResumedAt: moment(p.ResumedAt), PausedBy: p.PausedBy, Reason: p.Reason,
	}
	i, err := attributevalue.MarshalMap(r)
	if err != nil {
		return fmt.Errorf("encode the pipeline's state: %w", err)
	}
	var update expression.UpdateBuilder // attribute by attribute: what a newer release put there stays
	for name, v := range i {
		update = update.Set(expression.Name(name), expression.Value(v))
	}
	from := behind(p.Version)
	if p.Version == 1 {
		from = expression.Name(versionAttr).AttributeNotExists()
	}
	_, err = s.update(ctx, pipelinePK, stateSK, update, from)
	if lost(err) {
		return s.turned(ctx, r, err)
	}
	if err != nil {
		return fmt.Errorf("turn the pipeline's switch: %w", err)
	}
	return nil
}

// turned decides about a turn that met another.
func (s *Store) turned(ctx context.Context, r pipelineRecord, met error) error {
	stored, err := s.pipeline(ctx)
	if err != nil {
		return fmt.Errorf("turn the pipeline's switch: %w", errors.Join(met, err))
	}
	if stored == r {
		return nil
	}
	return fault.Wrap(fault.PipelineRaceLost, met, "the switch is not at version %d", r.Version-1)
}
