package local

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/job"
)

// moment is the layout of the table's times.
const moment = "2006-01-02T15:04:05.000Z"

// waiting is what the item of a job says of how long it has waited.
type waiting struct {
	Status string `dynamodbav:"status"`
	Since  string `dynamodbav:"since"`
}

// MoveBack has a job that waits at Lacuna Signer wait since an earlier time, by changing its item in the table. The shortest
// time-out is an hour, and nobody watches a run for that long. A job in another status is refused.
func (s *Service) MoveBack(ctx context.Context, id string, by time.Duration) error {
	db := dynamodb.NewFromConfig(s.emulator.Config())
	key := map[string]types.AttributeValue{
		schema.PK: &types.AttributeValueMemberS{Value: "JOB#" + id}, schema.SK: &types.AttributeValueMemberS{Value: "JOB"},
	}
	out, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(tableName), Key: key, ConsistentRead: aws.Bool(true)})
	if err != nil {
		return fmt.Errorf("read job %s: %w", id, err)
	}
	var w waiting
	if err := attributevalue.UnmarshalMap(out.Item, &w); err != nil {
		return fmt.Errorf("read job %s: %w", id, err)
	}
	since, err := time.Parse(moment, w.Since)
	if err != nil || w.Status != string(job.AwaitingSigner) {
		return fmt.Errorf("move job %s back: it is %q since %q", id, w.Status, w.Since)
	}
	e, err := w.moved(id, since.Add(-by).Format(moment))
	if err != nil {
		return fmt.Errorf("move job %s back: %w", id, err)
	}
	_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String(tableName), Key: key, UpdateExpression: e.Update(), ConditionExpression: e.Condition(),
		ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
	})
	if err != nil {
		return fmt.Errorf("move job %s back: %w", id, err)
	}
	return nil
}

// moved is the change of an item, with its place in the index of those that wait. It leaves an item alone that is no longer
// as it was read.
func (w waiting) moved(id, since string) (expression.Expression, error) {
	status, at := expression.Name("status"), expression.Name("since")
	return expression.NewBuilder().
		WithUpdate(expression.Set(at, expression.Value(since)).
			Set(expression.Name(schema.ByStatus.SK), expression.Value(since+"#"+id))).
		WithCondition(status.Equal(expression.Value(w.Status)).And(at.Equal(expression.Value(w.Since)))).
		Build()
}
