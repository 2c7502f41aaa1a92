package table

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/job"
)

// span is a part of an index: a partition in all its shards, read from one end.
type span struct {
	index     schema.Index
	partition string
	after     string // sort key to go on after; "" begins at the end
	newest    bool   // descending
	page      int    // rows that one call reads of one shard
}

// shard is one shard of a span: a page in hand, and where the next one comes from.
type shard struct {
	index schema.Index
	pages *dynamodb.QueryPaginator
	rows  []indexRow
}

// rows goes through a span in the order of its sort keys. Shards that ran out are read together, and nothing is read
// ahead: between two rows no call is under way, so whoever stops leaves nothing behind.
func (s *Store) rows(ctx context.Context, p span) iter.Seq2[indexRow, error] {
	return func(yield func(indexRow, error) bool) {
		shards, err := s.shards(p)
		if err != nil {
			yield(indexRow{}, err)
			return
		}
		for {
			if err := fill(ctx, shards); err != nil {
				yield(indexRow{}, err)
				return
			}
			next := first(shards, p.newest)
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

func (s *Store) shards(p span) ([]*shard, error) {
	shards := make([]*shard, job.Shards)
	for n := range shards {
		in, err := s.query(p, n)
		if err != nil {
			return nil, err
		}
		shards[n] = &shard{index: p.index, pages: dynamodb.NewQueryPaginator(s.db, in)}
	}
	return shards, nil
}

// query asks for one shard. It goes on after a sort key by condition: a row that moved away takes no place with it.
func (s *Store) query(p span, n int) (*dynamodb.QueryInput, error) {
	k := expression.Key(p.index.PK).Equal(expression.Value(shardAt(p.partition, n)))
	switch {
	case p.after != "" && p.newest:
		k = k.And(expression.Key(p.index.SK).LessThan(expression.Value(p.after)))
	case p.after != "":
		k = k.And(expression.Key(p.index.SK).GreaterThan(expression.Value(p.after)))
	}
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

// fill gives every shard that ran out its next page, and returns when all have come.
func fill(ctx context.Context, shards []*shard) error {
	errs := make([]error, len(shards))
	var wg sync.WaitGroup
	for n, h := range shards {
		if len(h.rows) == 0 && h.pages.HasMorePages() {
			wg.Go(func() { errs[n] = h.next(ctx) })
		}
	}
	wg.Wait()
	return errors.Join(errs...)
}

// next reads pages until one has rows: a page can be empty and not be the last.
func (h *shard) next(ctx context.Context) error {
	for len(h.rows) == 0 && h.pages.HasMorePages() {
		out, err := h.pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("query %s: %w", h.index.Name, err)
		}
		h.rows = make([]indexRow, 0, len(out.Items))
		for _, i := range out.Items {
			row, err := decodeRow(h.index, i)
			if err != nil {
				return err
			}
			h.rows = append(h.rows, row)
		}
	}
	return nil
}

// first is the shard whose row comes first, or nil when all are at their end.
func first(shards []*shard, newest bool) (best *shard) {
	for _, h := range shards {
		if len(h.rows) == 0 {
			continue
		}
		if best == nil || (h.rows[0].sk > best.rows[0].sk) == newest {
			best = h
		}
	}
	return best
}
