package table_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// oldest collects at most n rows.
func oldest(t *testing.T, s *table.Store, st job.Status, after string, n int) (rows []job.Row) {
	t.Helper()
	for r, err := range s.Oldest(t.Context(), st, after) {
		if err != nil {
			t.Fatal(err)
		}
		if rows = append(rows, r); len(rows) == n {
			break
		}
	}
	return rows
}

// many makes jobs in an order of time that has nothing to do with their ids'. Some are of the same moment.
func many(n int) (jobs []job.Job) {
	for i := range n {
		jobs = append(jobs, queued(now.Add(-time.Duration(i*37%n/2)*time.Second)))
	}
	return jobs
}

// byAge sorts as an index does.
func byAge(a, b job.Job) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) }

func TestOldestMergesTheShards(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		jobs := many(60)
		f.takeIn(t, jobs...)
		taken, err := take(jobs[0], "run", now.Add(time.Second))
		f.step(t, taken, err)
		jobs = slices.Delete(jobs, 0, 1)
		slices.SortFunc(jobs, byAge)

		var want []job.Row
		for _, j := range jobs {
			want = append(want, job.Row{ID: j.ID, Status: job.Queued, Since: j.Since, Position: j.Since.Format("2006-01-02T15:04:05.000Z") + "#" + string(j.ID)})
		}
		if diff := gocmp.Diff(want, oldest(t, f.Store, job.Queued, "", -1)); diff != "" {
			t.Errorf("Oldest (-want +got):\n%s", diff)
		}
		if diff := gocmp.Diff(want[31:36], oldest(t, f.Store, job.Queued, want[30].Position, 5)); diff != "" {
			t.Errorf("Oldest after a position (-want +got):\n%s", diff)
		}
		working := oldest(t, f.Store, job.Processing, "", -1)
		if len(working) != 1 || working[0].ID != taken.ID || !working[0].ClaimUntil.Equal(taken.Claim.Until) {
			t.Errorf("at work: %v, want job %s until %s", working, taken.ID, taken.Claim.Until)
		}
		if rows := oldest(t, f.Store, job.Queued, want[len(want)-1].Position, -1); len(rows) != 0 {
			t.Errorf("%d rows come after the last", len(rows))
		}
	})
}

func TestOldestIsForJobsAtWork(t *testing.T) {
	t.Parallel()
	for _, st := range []job.Status{job.Completed, job.Failed, job.Canceled, "", "Unheard"} {
		db := &fake{}
		for _, err := range table.New(db, "jobs").Oldest(t.Context(), st, "") {
			if err == nil {
				t.Errorf("%q: a row came", st)
			}
		}
		if len(db.queries) != 0 {
			t.Errorf("%q: the index was asked", st)
		}
	}
}

// endless answers every shard with full pages for ever.
func endless(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	out := &dynamodb.QueryOutput{LastEvaluatedKey: map[string]types.AttributeValue{"pk": text("more")}}
	for range *in.Limit {
		out.Items = append(out.Items, map[string]types.AttributeValue{"statusSk": text("2026-07-15T12:00:00.000Z#" + string(job.NewID()))})
	}
	return out, nil
}

func TestOldestReadsNoMoreThanItIsAskedFor(t *testing.T) {
	t.Parallel()
	db := &fake{query: endless}
	s := table.New(db, "jobs")
	if oldest(t, s, job.Queued, "", 1); len(db.queries) != job.Shards {
		t.Errorf("%d queries for the first row, want one of each shard", len(db.queries))
	}
	for _, q := range db.queries {
		if *q.Limit > 100 || q.ConsistentRead != nil || *q.IndexName != "byStatus" {
			t.Errorf("a query of %s for %d rows, want byStatus and a page", *q.IndexName, *q.Limit)
		}
	}
	db.queries = nil
	if oldest(t, s, job.Queued, "", 1000); len(db.queries) > 3*job.Shards {
		t.Errorf("%d queries for 1000 rows", len(db.queries))
	}
}

func TestOldestGoesOnOverEmptyPages(t *testing.T) {
	t.Parallel()
	db := &fake{}
	db.query = func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		switch {
		case !strings.HasSuffix(values(in)[0], "#7"):
			return &dynamodb.QueryOutput{}, nil
		case in.ExclusiveStartKey == nil:
			return &dynamodb.QueryOutput{LastEvaluatedKey: map[string]types.AttributeValue{"pk": text("more")}}, nil
		}
		out, err := endless(in)
		out.LastEvaluatedKey = nil
		return out, err
	}
	if rows := oldest(t, table.New(db, "jobs"), job.Queued, "", -1); len(rows) != 84 {
		t.Errorf("%d rows, want the 84 of the second page", len(rows))
	}
}

func TestOldestReportsAShardThatFails(t *testing.T) {
	t.Parallel()
	rows := map[string]func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error){
		"a call fails": func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) { return nil, throttled },
		"a row has no key": func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			return &dynamodb.QueryOutput{Items: []map[string]types.AttributeValue{{}}}, nil
		},
		"a row has another key": func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			return &dynamodb.QueryOutput{Items: []map[string]types.AttributeValue{{"statusSk": text("2026-07-15T12:00:00Z#x")}}}, nil
		},
	}
	for name, answer := range rows {
		db := &fake{query: func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			if strings.HasSuffix(values(in)[0], "#7") {
				return answer(in)
			}
			return endless(in)
		}}
		n := 0
		for _, err := range table.New(db, "jobs").Oldest(t.Context(), job.Queued, "") {
			if n++; err == nil || n > 1 {
				t.Fatalf("%s: row %d, %v, want an error and nothing else", name, n, err)
			}
		}
		if n == 0 {
			t.Errorf("%s: nothing came", name)
		}
	}
}

func TestOldestEndsWithItsContext(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var got error
		for _, err := range f.Oldest(ctx, job.Queued, "") {
			got = err
		}
		if !errors.Is(got, context.Canceled) || fault.CodeOf(got) != fault.Internal {
			t.Errorf("err = %v, want %v", got, context.Canceled)
		}
	})
}
