package table

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// always is the condition of a write that lands in any case.
var always expression.ConditionBuilder

// transaction collects writes of different items, which land together or not at all. The first fault in building them is
// what commit returns.
type transaction struct {
	store  *Store
	writes []types.TransactWriteItem
	err    error
}

func (s *Store) begin() *transaction { return &transaction{store: s} }

// build keeps the first fault and makes the parts of a write's expressions.
func (t *transaction) build(b expression.Builder, set bool) (e expression.Expression) {
	if !set { // an expression of nothing cannot be built
		return e
	}
	e, err := b.Build()
	if err != nil {
		t.fault(fmt.Errorf("build a write of a transaction: %w", err))
	}
	return e
}

// put writes a whole item on a condition.
func (t *transaction) put(i item, c expression.ConditionBuilder) {
	e := t.build(expression.NewBuilder().WithCondition(c), c.IsSet())
	t.writes = append(t.writes, types.TransactWriteItem{Put: &types.Put{
		TableName: &t.store.table, Item: i,
		ConditionExpression: e.Condition(), ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
	}})
}

// set changes attributes of an item on a condition and leaves its others alone.
func (t *transaction) set(pk, sk string, u expression.UpdateBuilder, c expression.ConditionBuilder) {
	b := expression.NewBuilder().WithUpdate(u)
	if c.IsSet() {
		b = b.WithCondition(c)
	}
	e := t.build(b, true)
	t.writes = append(t.writes, types.TransactWriteItem{Update: &types.Update{
		TableName: &t.store.table, Key: key(pk, sk), UpdateExpression: e.Update(),
		ConditionExpression: e.Condition(), ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
	}})
}

// remove deletes an item, if it is there, on a condition.
func (t *transaction) remove(pk, sk string, c expression.ConditionBuilder) {
	e := t.build(expression.NewBuilder().WithCondition(c), c.IsSet())
	t.writes = append(t.writes, types.TransactWriteItem{Delete: &types.Delete{
		TableName: &t.store.table, Key: key(pk, sk),
		ConditionExpression: e.Condition(), ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
	}})
}

// fault keeps the first fault in building.
func (t *transaction) fault(err error) {
	if t.err == nil {
		t.err = err
	}
}

func (t *transaction) commit(ctx context.Context) error {
	if t.err != nil {
		return t.err
	}
	return again(ctx, func() error {
		// An input of its own each time: the SDK writes its token into it, and by that token a transaction that was
		// canceled would be the same request.
		_, err := t.store.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: t.writes})
		return err
	})
}
