package table_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/job"
)

// counted counts the reads of a client.
type counted struct {
	*dynamodb.Client
	queries, batches, gets atomic.Int64
}

// Query counts a query.
func (c *counted) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	c.queries.Add(1)
	return c.Client.Query(ctx, in, o...)
}

// BatchGetItem counts a batch.
func (c *counted) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	c.batches.Add(1)
	return c.Client.BatchGetItem(ctx, in, o...)
}

// GetItem counts a read of one item.
func (c *counted) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	c.gets.Add(1)
	return c.Client.GetItem(ctx, in, o...)
}

func (c *counted) reset() { c.queries.Store(0); c.batches.Store(0); c.gets.Store(0) }

// crowded is a table with n jobs of one profile, a second apart, back from now.
func crowded(t testing.TB, n int) (*counted, *table.Store) {
	t.Helper()
	f := open(t, backend{"kumo", kumo.Config()})
	if ok, err := f.ImportProfiles(t.Context(), nil, now.AddDate(0, 0, -3)); !ok || err != nil {
		t.Fatal(err)
	}
	first := queued(now)
	f.takeIn(t, first)
	copied := f.itemOf(t, first.ID)
	var wg sync.WaitGroup
	for part := range 8 {
		wg.Go(func() {
			for at := 1 + part*25; at < n; at += 8 * 25 {
				if err := f.putMany(t.Context(), copied, at, min(at+25, n)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	c := &counted{Client: client(backend{"kumo", kumo.Config()})}
	return c, table.New(c, f.name, table.Clock(func() time.Time { return now }))
}

func (f fixture) itemOf(t testing.TB, id job.ID) map[string]types.AttributeValue {
	t.Helper()
	out, err := f.db.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: &f.name, Key: map[string]types.AttributeValue{"pk": text("JOB#" + string(id)), "sk": text("JOB")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item
}

// putMany writes jobs behind the store's back: copies of one, each with a time of its own.
func (f fixture) putMany(ctx context.Context, copied map[string]types.AttributeValue, from, to int) error {
	var puts []types.WriteRequest
	for n := from; n < to; n++ {
		id, at := job.NewID(), now.Add(-time.Duration(n)*time.Second)
		when, shard := at.Format("2006-01-02T15:04:05.000Z"), job.ShardName(id.Shard())
		i := map[string]types.AttributeValue{}
		for name, v := range copied {
			i[name] = v
		}
		i["pk"], i["createdAt"], i["since"] = text("JOB#"+string(id)), text(when), text(when)
		i["statusPk"], i["statusSk"] = text("STATUS#Queued#"+shard), text(when+"#"+string(id))
		i["dayPk"], i["daySk"] = text("DAY#"+job.DayOf(at)+"#"+shard), text(when+"#"+string(id))
		puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: i}})
	}
	out, err := f.db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{f.name: puts}})
	if err == nil && len(out.UnprocessedItems) > 0 {
		err = fmt.Errorf("%d items were not written", len(out.UnprocessedItems[f.name]))
	}
	return err
}

// crowd are lists of a crowded table, by what they may cost.
var crowd = []struct {
	name             string
	query            job.Query
	queries, batches int64
}{
	{"page of 50", job.Query{Size: 50}, 16, 1},
	{"page of 200", job.Query{Size: 200}, 16, 2},
	{"page of 50 with a status", job.Query{Statuses: []job.Status{job.Queued}, Size: 50}, 16, 1},
	{"page of 50 with a filter", job.Query{Profile: "contracts", Size: 50}, 16, 1},
	{"page 20 of 50", job.Query{Size: 50, Page: 20}, 16, 1},
}

// Each shard that a page touches costs one query, but for those few that hold more than twice their share of it; a hundred
// rows cost a batch.
func TestWhatAPageCosts(t *testing.T) {
	t.Parallel()
	c, s := crowded(t, 3000)
	for _, tt := range crowd {
		c.reset()
		p, err := s.List(t.Context(), tt.query)
		if err != nil || len(p.Jobs) != tt.query.Size {
			t.Errorf("%s: List = %d jobs, %v", tt.name, len(p.Jobs), err)
		}
		if q, b, g := c.queries.Load(), c.batches.Load(), c.gets.Load(); q > tt.queries+3 || b != tt.batches || g != 1 {
			t.Errorf("%s: %d queries, %d batches, %d reads of one item, want hardly more than %d, %d, 1", tt.name, q, b, g, tt.queries, tt.batches)
		}
	}
	c.reset()
	if n, known, err := s.Total(t.Context(), job.Query{Statuses: []job.Status{job.Queued}}); n != 3000 || !known || err != nil || c.batches.Load() != 0 {
		t.Errorf("Total = %d, known %t, %v after %d batches, want 3000 after none", n, known, err, c.batches.Load())
	}
}

// BenchmarkList pages through a table with 20 000 jobs. What it tells is the calls: the emulator goes through all jobs for each.
func BenchmarkList(b *testing.B) {
	c, s := crowded(b, 20_000)
	for _, bb := range crowd {
		b.Run(bb.name, func(b *testing.B) {
			c.reset()
			q, n := bb.query, 0
			for b.Loop() {
				p, err := s.List(b.Context(), q)
				if err != nil || len(p.Jobs) != q.Size {
					b.Fatalf("List = %d jobs, %v", len(p.Jobs), err)
				}
				if n++; q.Page == 0 {
					q.Cursor = p.Cursor
				}
			}
			b.ReportMetric(float64(c.queries.Load())/float64(n), "queries/page")
			b.ReportMetric(float64(c.batches.Load())/float64(n), "batches/page")
		})
	}
}
