// Package table keeps jobs, what they are about, profiles and the state of passes in the product's one DynamoDB table.
//
// A write on which something depends compares: it says what must be stored for it to land, and returns fault.JobRaceLost
// where something else is. After any other error a write may have landed; whoever needs to know reads again. Reads are
// consistent, but for those of an index, of the journal, of timings, of the number of jobs and of what Seen tells, which are
// hints. Items are flat and written whole, and a job carries attributes that this release does not know through unchanged, so
// that two releases can share the table.
//
// What a step may do to a job, when a lease is due and who may ask are left to others.
package table

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/aws/schema"
)

// DB is what the store calls; *dynamodb.Client has it.
type DB interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
}

// Store is the table. It keeps nothing between calls and may be used by many goroutines.
type Store struct {
	db    DB
	table string
	now   func() time.Time
	timed bool
}

// Option changes how a Store works.
type Option func(*Store)

// Clock sets the clock by which reservations end and lists begin; without it, it is the system's.
func Clock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// Statistics says whether the times of Completed jobs are recorded; without it, they are. What was recorded stays.
func Statistics(on bool) Option { return func(s *Store) { s.timed = on } }

// New opens the table called name. It calls nothing.
func New(db DB, name string, options ...Option) *Store {
	s := &Store{db: db, table: name, now: time.Now, timed: true}
	for _, o := range options {
		o(s)
	}
	return s
}

// item is a stored item.
type item = map[string]types.AttributeValue

// key names an item.
func key(pk, sk string) item {
	return item{
		schema.PK: &types.AttributeValueMemberS{Value: pk},
		schema.SK: &types.AttributeValueMemberS{Value: sk},
	}
}

// absent demands that there is no such item.
func absent() expression.ConditionBuilder {
	return expression.Name(schema.PK).AttributeNotExists()
}

// get reads an item consistently. One that does not exist has no attributes.
func (s *Store) get(ctx context.Context, pk, sk string) (item, error) {
	out, err := s.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.table, Key: key(pk, sk), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, err
	}
	return out.Item, nil
}

// put writes a whole item on a condition.
func (s *Store) put(ctx context.Context, i item, c expression.ConditionBuilder) error {
	e, err := expression.NewBuilder().WithCondition(c).Build()
	if err != nil {
		return fmt.Errorf("build the condition: %w", err)
	}
	return again(ctx, func() error {
		_, err := s.db.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: &s.table, Item: i,
			ConditionExpression: e.Condition(), ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		})
		return err
	})
}

// update changes attributes of an item on a condition and returns all of it.
func (s *Store) update(ctx context.Context, pk, sk string, u expression.UpdateBuilder, c expression.ConditionBuilder) (i item, _ error) {
	e, err := expression.NewBuilder().WithUpdate(u).WithCondition(c).Build()
	if err != nil {
		return nil, fmt.Errorf("build the update: %w", err)
	}
	err = again(ctx, func() error {
		out, err := s.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: &s.table, Key: key(pk, sk), UpdateExpression: e.Update(), ReturnValues: types.ReturnValueAllNew,
			ConditionExpression: e.Condition(), ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		})
		if err == nil {
			i = out.Attributes
		}
		return err
	})
	return i, err
}

// replace writes a whole item in any case.
func (s *Store) replace(ctx context.Context, i item) error {
	return again(ctx, func() error {
		_, err := s.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.table, Item: i})
		return err
	})
}

// remove deletes an item, if it is there.
func (s *Store) remove(ctx context.Context, pk, sk string) error {
	return again(ctx, func() error {
		_, err := s.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &s.table, Key: key(pk, sk)})
		return err
	})
}
