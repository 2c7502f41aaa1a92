package table

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/job"
)

// span is a part of an index: a partition in all its shards, read from one end.
type span struct {
	index     schema.Index
	partition string
	low, high string // sort keys between which it lies; "" is no bound
	after     string // sort key to go on after; "" begins at the end
	newest    bool   // descending
	page      int    // rows that one call reads of one shard
}

// queriesAtOnce bounds how many shards are asked at the same time, by one reader.
const queriesAtOnce = 32

// shard is one shard of a span: a page in hand, and where the next one comes from.
type shard struct {
	span  span
	pages *dynamodb.QueryPaginator
	rows  []indexRow
}

// rows goes through spans that are read from the same end, in the order of their sort keys. Shards that ran out are read
// together, and nothing is read ahead: between two rows no call is under way, so whoever stops leaves nothing behind.
func (s *Store) rows(ctx context.Context, spans ...span) iter.Seq2[indexRow, error] {
	return func(yield func(indexRow, error) bool) {
		shards, err := s.shards(spans)
		if err != nil {
			yield(indexRow{}, err)
			return
		}
		for {
			if err := fill(ctx, shards); err != nil {
				yield(indexRow{}, err)
				return
			}
			next := first(shards)
			if next == nil {
				return
			}
			row := next.rows[0]
			next.rows = next.rows[1:]
			if !yield(row, nil) {
				return
			}
		}
	}
}

func (s *Store) shards(spans []span) (shards []*shard, _ error) {
	for _, p := range spans {
		for n := range job.Shards {
			in, err := s.query(p, n)
			if err != nil {
				return nil, err
			}
			shards = append(shards, &shard{span: p, pages: dynamodb.NewQueryPaginator(s.db, in)})
		}
	}
	return shards, nil
}

// query asks for one shard. It goes on after a sort key by condition: a row that moved away takes no place with it.
func (s *Store) query(p span, n int) (*dynamodb.QueryInput, error) {
	k := expression.Key(p.index.PK).Equal(expression.Value(shardAt(p.partition, n)))
	low, high := p.low, p.high
	switch {
	case p.after != "" && p.newest:
		high = p.after
	case p.after != "":
		low = p.after
	}
	k = between(k, p.index.SK, low, high)
	e, err := expression.NewBuilder().WithKeyCondition(k).Build()
	if err != nil {
		return nil, fmt.Errorf("build a query of %s: %w", p.index.Name, err)
	}
	forward, limit := !p.newest, int32(p.page)
	return &dynamodb.QueryInput{
		TableName: &s.table, IndexName: &p.index.Name, ScanIndexForward: &forward, Limit: &limit,
		KeyConditionExpression: e.KeyCondition(), ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
	}, nil
}

// between narrows a condition to sort keys from low to high, both included; "" is no bound.
func between(k expression.KeyConditionBuilder, name, low, high string) expression.KeyConditionBuilder {
	sk := expression.Key(name)
	switch {
	case low != "" && high != "":
		return k.And(sk.Between(expression.Value(low), expression.Value(high)))
	case low != "":
		return k.And(sk.GreaterThanEqual(expression.Value(low)))
	case high != "":
		return k.And(sk.LessThanEqual(expression.Value(high)))
	}
	return k
}

// fill gives every shard that ran out its next page, and returns when all have come.
func fill(ctx context.Context, shards []*shard) error {
	var empty []*shard
	for _, h := range shards {
		if len(h.rows) == 0 && h.pages.HasMorePages() {
			empty = append(empty, h)
		}
	}
	errs := make([]error, len(empty))
	together(queriesAtOnce, len(empty), func(n int) { errs[n] = empty[n].next(ctx) })
	return errors.Join(errs...)
}

// next reads pages until one has rows: a page can be empty and not be the last. A condition between two keys includes the
// one to go on after, which is left out here.
func (h *shard) next(ctx context.Context) error {
	for len(h.rows) == 0 && h.pages.HasMorePages() {
		out, err := h.pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("query %s: %w", h.span.index.Name, err)
		}
		h.rows = make([]indexRow, 0, len(out.Items))
		for _, i := range out.Items {
			row, err := decodeRow(h.span.index, i)
			if err != nil {
				return err
			}
			if row.sk != h.span.after {
				h.rows = append(h.rows, row)
			}
		}
	}
	return nil
}

// first is the shard whose row comes first, or nil when all are at their end.
func first(shards []*shard) (best *shard) {
	for _, h := range shards {
		if len(h.rows) == 0 {
			continue
		}
		if best == nil || (h.rows[0].sk > best.rows[0].sk) == h.span.newest {
			best = h
		}
	}
	return best
}
