package table

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"bulksigner/internal/aws/schema"
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
		PK: eventsPrefix + job.DayOf(e.Time), SK: moment(e.Time) + "#" + e.ID, Type: e.Type, Message: e.Message,
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

// Events reads at most n entries of the day that a time is in, newest first: those older than the entry before, or from
// the day's end where it is the zero Event. Fewer than n say that the day has no more.
func (s *Store) Events(ctx context.Context, day time.Time, before job.Event, n int) ([]job.Event, error) {
	k := expression.Key(schema.PK).Equal(expression.Value(eventsPrefix + job.DayOf(day)))
	if before.ID != "" {
		k = k.And(expression.Key(schema.SK).LessThan(expression.Value(moment(before.Time) + "#" + before.ID)))
	}
	x, err := expression.NewBuilder().WithKeyCondition(k).Build()
	if err != nil {
		return nil, fmt.Errorf("build the query of events: %w", err)
	}
	pages := dynamodb.NewQueryPaginator(s.db, &dynamodb.QueryInput{
		TableName: &s.table, ScanIndexForward: aws.Bool(false), Limit: aws.Int32(int32(n)),
		KeyConditionExpression: x.KeyCondition(), ExpressionAttributeNames: x.Names(), ExpressionAttributeValues: x.Values(),
	})
	var found []job.Event
	for len(found) < n && pages.HasMorePages() {
		out, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read events: %w", err)
		}
		some, err := decodeEvents(out.Items)
		if err != nil {
			return nil, err
		}
		found = slices.Concat(found, some)
	}
	return found[:min(n, len(found))], nil
}

func decodeEvents(items []item) ([]job.Event, error) {
	found := make([]job.Event, len(items))
	for n, i := range items {
		var r eventRecord
		if err := attributevalue.UnmarshalMap(i, &r); err != nil {
			return nil, fmt.Errorf("decode an event: %w", err)
		}
		when, id, _ := strings.Cut(r.SK, "#")
		t, err := parseMoment(when)
		if err != nil {
			return nil, fmt.Errorf("decode the time of an event: %w", err)
		}
		found[n] = job.Event{ID: id, Time: t, Type: r.Type, Message: r.Message}
	}
	return found, nil
}
