package table_test

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/aws/table"
)

// fake answers what no emulator can be made to answer. It keeps nothing: a read finds nothing unless the knob for it is
// set, and a write lands unless an answer is waiting for it.
type fake struct {
	table.DB // what is not here is not called

	mu      sync.Mutex
	answers []error // of the next writes
	writes  int
	tokens  map[string]bool // of transactions
	queries []*dynamodb.QueryInput
	item    map[string]types.AttributeValue // what every read finds

	query func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error)
	batch func(*dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error)
}

func (f *fake) write() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes++
	if len(f.answers) == 0 {
		return nil
	}
	err := f.answers[0]
	f.answers = f.answers[1:]
	return err
}

// GetItem finds nothing, or what the knob says.
func (f *fake) GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return &dynamodb.GetItemOutput{Item: f.item}, nil
}

// PutItem gives the next answer.
func (f *fake) PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return &dynamodb.PutItemOutput{}, f.write()
}

// UpdateItem gives the next answer.
func (f *fake) UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return &dynamodb.UpdateItemOutput{}, f.write()
}

// DeleteItem gives the next answer.
func (f *fake) DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return &dynamodb.DeleteItemOutput{}, f.write()
}

// TransactWriteItems gives the next answer and, as the SDK does, writes a token into an input without one.
func (f *fake) TransactWriteItems(_ context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	f.mu.Lock()
	if f.tokens == nil {
		f.tokens = map[string]bool{}
	}
	if in.ClientRequestToken == nil {
		in.ClientRequestToken = aws.String(string(rune('a' + len(f.tokens))))
	}
	f.tokens[*in.ClientRequestToken] = true
	f.mu.Unlock()
	return &dynamodb.TransactWriteItemsOutput{}, f.write()
}

// Query asks the knob.
func (f *fake) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	f.mu.Lock()
	f.queries = append(f.queries, in)
	f.mu.Unlock()
	if f.query == nil {
		return &dynamodb.QueryOutput{}, nil
	}
	return f.query(in)
}

// BatchGetItem asks the knob.
func (f *fake) BatchGetItem(_ context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return f.batch(in)
}

// partitions are the index partitions that were asked for.
func (f *fake) partitions() (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, q := range f.queries {
		names = append(names, values(q)[0])
	}
	return names
}

// values are the texts of a query's condition: the partition and, if there are any, the bounds of the sort key.
func values(q *dynamodb.QueryInput) (texts []string) {
	for _, name := range []string{":0", ":1", ":2"} {
		if v, ok := q.ExpressionAttributeValues[name].(*types.AttributeValueMemberS); ok {
			texts = append(texts, v.Value)
		}
	}
	return texts
}

// canceled is a transaction that did not happen, for the reasons of its actions.
func canceled(codes ...string) error {
	e := &types.TransactionCanceledException{Message: aws.String("Transaction cancelled")}
	for _, c := range codes {
		e.CancellationReasons = append(e.CancellationReasons, types.CancellationReason{Code: aws.String(c)})
	}
	return e
}
