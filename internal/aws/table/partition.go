package table

import (
	"context"
	"fmt"
	"iter"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"bulksigner/internal/aws/schema"
)

// backwards goes through a partition's items between two sort keys, both included, from the last. One call reads so many
// of them.
func (s *Store) backwards(ctx context.Context, pk, low, high string, page int) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		k := between(expression.Key(schema.PK).Equal(expression.Value(pk)), schema.SK, low, high)
		e, err := expression.NewBuilder().WithKeyCondition(k).Build()
		if err != nil {
			yield(nil, fmt.Errorf("build the query of a partition: %w", err))
			return
		}
		pages := dynamodb.NewQueryPaginator(s.db, &dynamodb.QueryInput{
			TableName: &s.table, ScanIndexForward: aws.Bool(false), Limit: aws.Int32(int32(page)),
			KeyConditionExpression: e.KeyCondition(), ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		})
		for pages.HasMorePages() {
			out, err := pages.NextPage(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, i := range out.Items {
				if !yield(i, nil) {
					return
				}
			}
		}
	}
}
