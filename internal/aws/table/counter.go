package table

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/job"
)

const counterPrefix = "COUNTER#"

// A partition takes 1000 writes a second, and a metric counts at most once per job: 4 shards are enough for four jobs a
// second in each of 1000 runs, which no key keeps up with. More would cost readers, who ask every shard of every metric:
// about 70 queries of one read unit each, whoever counted.
const counterShards = 4

// How many calls are under way at once. An invocation writes a handful of counters, and a reader does not want to wait for
// one shard after the other.
const (
	counterWriters = 8
	counterReaders = 16
)

// AddCounters adds to what was counted before: one write for each metric and labels, all parts of it in one item. A write
// whose answer is lost is repeated by the SDK and can count twice. After an error some of the counts, or all, may have
// been added; none is left out for the failure of another. What ends jobs is counted in its hour too.
func (s *Store) AddCounters(ctx context.Context, counts []job.Count) error {
	items, shard := counterItems(slices.Concat(counts, hourly(counts, s.now()))), rand.IntN(counterShards)
	errs := make([]error, len(items))
	together(counterWriters, len(items), func(n int) { errs[n] = s.addCounter(ctx, shard, items[n]) })
	return errors.Join(errs...)
}

// counterItems groups counts by the item that they go to. An item's parts are added up, since a write may name each once.
func counterItems(counts []job.Count) (items [][]job.Count) {
	rest := addUp(counts)
	for len(rest) > 0 {
		n := 1
		for n < len(rest) && byItem(rest[n], rest[0]) == 0 {
			n++
		}
		items, rest = append(items, rest[:n]), rest[n:]
	}
	return items
}

func (s *Store) addCounter(ctx context.Context, shard int, counts []job.Count) error {
	name, labels := counts[0].Name, counts[0].Labels
	var u expression.UpdateBuilder
	for _, c := range counts {
		// A bound has a dot, which would lead into the attribute.
		u = u.Add(expression.NameNoDotSplit(c.Part), expression.Value(c.Value))
	}
	if name == hourCounter {
		ends, err := hourEnds(labels)
		if err != nil {
			return fmt.Errorf("add to the hour: %w", err)
		}
		u = u.Set(expression.Name(schema.TTL), expression.Value(ends))
	}
	e, err := expression.NewBuilder().WithUpdate(u).Build()
	if err != nil {
		return fmt.Errorf("build the update of the counter %s: %w", name, err)
	}
	_, err = s.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: key(counterPartition(name, shard), labels),
		UpdateExpression: e.Update(), ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
	})
	if err != nil {
		return fmt.Errorf("add to the counter %s: %w", name, err)
	}
	return nil
}

func counterPartition(name string, shard int) string {
	return counterPrefix + name + "#" + strconv.Itoa(shard)
}

// Counters returns all that was counted of the metrics that are kept, in the order of name, labels and part. It reads
// consistently: a counter that one replica shows smaller than another did looks to its reader as if it had begun afresh.
func (s *Store) Counters(ctx context.Context) ([]job.Count, error) {
	return s.CountersOf(ctx, job.StoredMetrics...)
}

// CountersOf is Counters of some metrics.
func (s *Store) CountersOf(ctx context.Context, names ...string) ([]job.Count, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	shards := make([][]job.Count, len(names)*counterShards)
	together(counterReaders, len(shards), func(n int) {
		var err error
		if shards[n], err = s.counterShard(ctx, names[n/counterShards], n%counterShards); err != nil {
			stop(err)
		}
	})
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return addUp(slices.Concat(shards...)), nil
}

// addUp makes one count of those that differ in their value alone, and puts counts of the same item beside each other.
func addUp(counts []job.Count) []job.Count {
	sums := map[job.Count]int64{}
	for _, c := range counts {
		n := c.Value
		c.Value = 0
		sums[c] += n
	}
	all := make([]job.Count, 0, len(sums))
	for c, n := range sums {
		c.Value = n
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b job.Count) int { return cmp.Or(byItem(a, b), cmp.Compare(a.Part, b.Part)) })
	return all
}

func byItem(a, b job.Count) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Labels, b.Labels))
}

func (s *Store) counterShard(ctx context.Context, name string, shard int) (counts []job.Count, _ error) {
	k := expression.Key(schema.PK).Equal(expression.Value(counterPartition(name, shard)))
	e, err := expression.NewBuilder().WithKeyCondition(k).Build()
	if err != nil {
		return nil, fmt.Errorf("build the query of the counter %s: %w", name, err)
	}
	pages := dynamodb.NewQueryPaginator(s.db, &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: e.KeyCondition(), ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
	})
	for pages.HasMorePages() {
		out, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("query the counter %s: %w", name, err)
		}
		for _, i := range out.Items {
			c, err := decodeCounter(name, i)
			if err != nil {
				return nil, fmt.Errorf("decode the counter %s: %w", name, err)
			}
			counts = append(counts, c...)
		}
	}
	return counts, nil
}

// decodeCounter reads the parts of a counter: its numbers. What is no number is another release's.
func decodeCounter(name string, i item) (counts []job.Count, _ error) {
	var labels string
	if err := attributevalue.Unmarshal(i[schema.SK], &labels); err != nil {
		return nil, err
	}
	for part, v := range i {
		number, ok := v.(*types.AttributeValueMemberN)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(number.Value, 10, 64)
		if err != nil {
			return nil, err
		}
		counts = append(counts, job.Count{Name: name, Labels: labels, Part: part, Value: n})
	}
	return counts, nil
}

// together calls do for 0 to n-1, so many at once, and returns when all have come back.
func together(atOnce, n int, do func(int)) {
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			do(i)
			<-slots
		})
	}
	wg.Wait()
}
