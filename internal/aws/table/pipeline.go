package table

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
)

const (
	pipelinePK = "PIPELINE"
	stateSK    = "STATE"
)

// pipelineRecord is the operator's switch. An installation that was never paused has none.
type pipelineRecord struct {
	Paused bool `dynamodbav:"paused"`
}

// Paused reads the switch consistently.
func (s *Store) Paused(ctx context.Context) (bool, error) {
	i, err := s.get(ctx, pipelinePK, stateSK)
	if err != nil {
		return false, fmt.Errorf("read the pipeline's state: %w", err)
	}
	var r pipelineRecord
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return false, fmt.Errorf("decode the pipeline's state: %w", err)
	}
	return r.Paused, nil
}
