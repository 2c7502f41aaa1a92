package table_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/job"
)

const (
	unlabeled = `{}`
	contracts = `{"profile":"contracts"}`
	padesOnly = `{"format":"Pades"}`
)

// someCounts has every kind of part, in the order in which a store returns them.
func someCounts() []job.Count {
	return []job.Count{
		{Name: job.MetricCompleted, Labels: unlabeled, Part: job.PartTotal, Value: 3},
		{Name: job.MetricDispatched, Labels: contracts, Part: job.PartTotal, Value: 1},
		{Name: job.MetricDispatched, Labels: `{"profile":"invoices"}`, Part: job.PartTotal, Value: 2},
		{Name: job.MetricSigning, Labels: padesOnly, Part: "le=+Inf", Value: 1},
		{Name: job.MetricSigning, Labels: padesOnly, Part: "le=0.5", Value: 2},
		{Name: job.MetricSigning, Labels: padesOnly, Part: job.PartSum, Value: 1_000_000_000_000},
	}
}

// times are counts so many times over.
func times(n int64, counts []job.Count) []job.Count {
	counts = slices.Clone(counts)
	for i := range counts {
		counts[i].Value *= n
	}
	return counts
}

func TestCountersAddUp(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		if got, err := f.Counters(t.Context()); err != nil || len(got) != 0 {
			t.Errorf("Counters of a new table = %v, %v, want none", got, err)
		}
		for range 12 { // on more than one shard
			if err := f.AddCounters(t.Context(), someCounts()); err != nil {
				t.Fatal(err)
			}
		}
		got, err := f.Counters(t.Context())
		if diff := cmp.Diff(times(12, someCounts()), got); err != nil || diff != "" {
			t.Errorf("Counters: %v (-want +got):\n%s", err, diff)
		}
	})
}

// A write may name a part once, so that parts are added up before.
func TestCountersOfTheSamePart(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		twice := slices.Concat(someCounts(), someCounts())
		slices.SortFunc(twice, func(a, b job.Count) int { return strings.Compare(a.Name, b.Name) })
		if err := f.AddCounters(t.Context(), twice); err != nil {
			t.Fatal(err)
		}
		got, err := f.Counters(t.Context())
		if diff := cmp.Diff(times(2, someCounts()), got); err != nil || diff != "" {
			t.Errorf("Counters: %v (-want +got):\n%s", err, diff)
		}
	})
}

// A counter is where the design says, and what else is in its item stays there.
func TestACounterIsOneItem(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		for shard := range 4 {
			f.put(t, map[string]types.AttributeValue{
				"pk": text(fmt.Sprintf("COUNTER#%s#%d", job.MetricSigning, shard)), "sk": text(padesOnly), "note": text("of a later release"),
			})
		}
		if err := f.AddCounters(t.Context(), someCounts()[3:]); err != nil {
			t.Fatal(err)
		}
		var counted []map[string]any
		for shard := range 4 {
			i := plain(t, f.item(t, fmt.Sprintf("COUNTER#%s#%d", job.MetricSigning, shard), padesOnly))
			if i["note"] != "of a later release" {
				t.Errorf("shard %d has lost what it had", shard)
			}
			if len(i) > 3 {
				delete(i, "pk")
				counted = append(counted, i)
			}
		}
		want := []map[string]any{{"sk": padesOnly, "note": "of a later release", "sum": 1e12, "le=0.5": 2.0, "le=+Inf": 1.0}}
		if diff := cmp.Diff(want, counted); diff != "" {
			t.Errorf("the items that counted (-want +got):\n%s", diff)
		}
		if got, err := f.Counters(t.Context()); err != nil || len(got) != 3 {
			t.Errorf("Counters = %v, %v, want three", got, err)
		}
	})
}

func TestManyCountAtOnce(t *testing.T) {
	t.Parallel()
	f := open(t, backend{"kumo", kumo.Config()})
	const writers = 20
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for n := range writers {
		wg.Go(func() { errs[n] = f.AddCounters(t.Context(), someCounts()) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	got, err := f.Counters(t.Context())
	if diff := cmp.Diff(times(writers, someCounts()), got); err != nil || diff != "" {
		t.Errorf("Counters: %v (-want +got):\n%s", err, diff)
	}
}

// A write that was repeated after its answer was lost counts twice: these figures are approximate, and this is how.
func TestACounterWhoseAnswerIsLost(t *testing.T) {
	tests := []struct {
		name   string
		landed bool
		times  int64
	}{
		{"before it landed", false, 1},
		{"after it landed", true, 2},
	}
	each(t, func(t *testing.T, b backend) {
		for _, tt := range tests {
			f := open(t, b, broken("UpdateItem", tt.landed, 1).use)
			if err := f.AddCounters(t.Context(), someCounts()[1:2]); err != nil {
				t.Errorf("%s: AddCounters = %v", tt.name, err)
			}
			got, err := f.Counters(t.Context())
			if diff := cmp.Diff(times(tt.times, someCounts()[1:2]), got); err != nil || diff != "" {
				t.Errorf("%s: Counters: %v (-want +got):\n%s", tt.name, err, diff)
			}
		}
	})
}

func TestACounterThatFailsLeavesTheOthers(t *testing.T) {
	t.Parallel()
	db := &fake{answers: []error{throttled}}
	err := table.New(db, "jobs").AddCounters(t.Context(), slices.Concat(someCounts(), someCounts()))
	if !errors.Is(err, throttled) || !strings.Contains(err.Error(), "add to the counter ") || strings.Contains(err.Error(), "contracts") {
		t.Errorf("AddCounters = %v, want the throttle and the metric's name alone", err)
	}
	if db.writes != 5 {
		t.Errorf("%d writes, want one for each of 4 items and one for the hour", db.writes)
	}
}

func TestCountersThatCannotBeRead(t *testing.T) {
	t.Parallel()
	row := func(v types.AttributeValue) func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		return func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			return &dynamodb.QueryOutput{Items: []map[string]types.AttributeValue{{"pk": text("COUNTER#x#0"), "sk": text(unlabeled), "total": v}}}, nil
		}
	}
	tests := []struct {
		name  string
		query func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error)
		want  string
	}{
		{"the table is gone", func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) { return nil, errCut }, errCut.Error()},
		{"no whole number", row(&types.AttributeValueMemberN{Value: "1.5"}), "decode the counter"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := table.New(&fake{query: tt.query}, "jobs").Counters(t.Context())
			if got != nil || err == nil || strings.Count(err.Error(), tt.want) != 1 {
				t.Errorf("Counters = %v, %v, want one error with %q", got, err, tt.want)
			}
		})
	}
}

// Every shard of every metric that is kept is asked once, consistently, page by page, and 16 at once.
func TestCountersAskForEveryShard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var under, most int
		enter := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			under += n
			most = max(most, under)
		}
		db := &fake{query: func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			enter(1)
			time.Sleep(time.Millisecond) // of the bubble: all that can be under way are
			enter(-1)
			if !aws.ToBool(in.ConsistentRead) {
				t.Error("a counter is not read consistently")
			}
			i := map[string]types.AttributeValue{"sk": text(unlabeled), "total": &types.AttributeValueMemberN{Value: "1"}}
			out := &dynamodb.QueryOutput{Items: []map[string]types.AttributeValue{i}}
			if in.ExclusiveStartKey == nil {
				out.LastEvaluatedKey = i
			}
			return out, nil
		}}
		got, err := table.New(db, "jobs").Counters(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var want []job.Count
		for _, name := range slices.Sorted(slices.Values(job.StoredMetrics)) {
			want = append(want, job.Count{Name: name, Labels: unlabeled, Part: job.PartTotal, Value: 8})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("two pages of each of 4 shards (-want +got):\n%s", diff)
		}
		if n := len(db.partitions()); n != 2*4*len(job.StoredMetrics) || most != 16 {
			t.Errorf("%d queries, %d at once, want %d and 16", n, most, 2*4*len(job.StoredMetrics))
		}
	})
}
