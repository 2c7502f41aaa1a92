package table

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"bulksigner/internal/job"
)

const eventsPrefix = "EVENTS#"

// eventsFor is how long the journal goes back.
const eventsFor = 400 * 24 * time.Hour

type eventRecord struct {
	PK        string `dynamodbav:"pk"`
	SK        string `dynamodbav:"sk"`
	Type      string `dynamodbav:"type"`
	Message   string `dynamodbav:"message"`
	ExpiresAt int64  `dynamodbav:"expiresAt"`
}

// Write adds an entry to the operators' journal, which forgets it after 400 days. The same entry written again is one; an
// entry without an id gets one.
func (s *Store) Write(ctx context.Context, e job.Event) error {
	e.ID = cmp.Or(e.ID, string(job.NewID()))
	i, err := attributevalue.MarshalMap(eventRecord{
		PK: eventsPrefix + job.DayOf(e.Time), SK: eventKey(e), Type: e.Type, Message: e.Message,
		ExpiresAt: e.Time.Add(eventsFor).Unix(),
	})
	if err != nil {
		return fmt.Errorf("encode event %s: %w", e.ID, err)
	}
	if err := s.replace(ctx, i); err != nil {
		return fmt.Errorf("write event %s: %w", e.ID, err)
	}
	return nil
}
