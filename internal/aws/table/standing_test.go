package table_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/job"
)

func TestStanding(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		none, err := f.Standing(t.Context(), job.Queued, job.Processing)
		if diff := cmp.Diff(make([]job.Standing, 2), none); err != nil || diff != "" {
			t.Errorf("Standing of a new table: %v (-want +got):\n%s", err, diff)
		}
		jobs := many(40)
		f.takeIn(t, jobs...)
		taken, err := take(jobs[7], "run", now.Add(time.Second))
		f.step(t, taken, err)
		jobs = slices.Delete(jobs, 7, 8)
		oldest := slices.MinFunc(jobs, byAge)
		want := []job.Standing{{Jobs: 1, Oldest: taken.ID, Since: taken.Since}, {}, {Jobs: 39, Oldest: oldest.ID, Since: oldest.Since}}
		got, err := f.Standing(t.Context(), job.Processing, job.AwaitingSigner, job.Queued)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Standing: %v (-want +got):\n%s", err, diff)
		}
	})
}

// backlog answers like an index in which every shard of Queued has so many rows, and those of other statuses none.
type backlog struct {
	rows   int
	fail   bool // once rows are counted
	gone   bool // all rows are, once rows are counted
	mu     sync.Mutex
	counts int
	read   int
	begun  map[string]bool // shards that were read
}

var errDown = errors.New("connection reset")

func (x *backlog) query(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	shard := values(in)[0]
	if !strings.HasPrefix(shard, "STATUS#Queued#") {
		return &dynamodb.QueryOutput{}, nil
	}
	begin, limit := 0, int(*in.Limit)
	if in.Select == types.SelectCount {
		if x.counts++; x.fail || !x.begun[shard] {
			return nil, errDown
		}
		if x.gone {
			return &dynamodb.QueryOutput{}, nil
		}
		begin = 83 // the last row in hand is included
	}
	x.begun[shard] = true
	out := &dynamodb.QueryOutput{Count: int32(min(limit, x.rows-begin))}
	if x.rows-begin > limit {
		out.LastEvaluatedKey = map[string]types.AttributeValue{"pk": text("more")}
	}
	if in.Select != types.SelectCount {
		x.read += int(out.Count)
		for range out.Count {
			out.Items = append(out.Items, map[string]types.AttributeValue{"statusSk": text("2026-07-15T12:00:00.000Z#" + string(job.NewID()))})
		}
	}
	return out, nil
}

// A backlog is counted without reading it, and not to its end.
func TestStandingOfABacklog(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		rows         int // in each shard
		gone         bool
		jobs, counts int
		more         bool
	}{
		{"one page", 84, false, 16 * 84, 0, false},
		{"one row more", 85, false, 16 * 85, 16, false},
		{"as much as is counted", 625, false, 10_000, 16, false},
		{"more", 626, false, 10_000, 16, true},
		{"a million", 1_000_000, false, 10_000, 16, true},
		{"taken up meanwhile", 626, true, 16 * 84, 16, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := &backlog{rows: tt.rows, gone: tt.gone, begun: map[string]bool{}}
			db := &fake{query: x.query}
			got, err := table.New(db, "jobs").Standing(t.Context(), job.Processing, job.Queued, job.Verifying, job.AwaitingSigner)
			if err != nil || got[1].Jobs != tt.jobs || got[1].More != tt.more || got[1].Oldest == "" || got[0] != (job.Standing{}) || got[2] != got[0] {
				t.Errorf("Standing = %+v, %v, want %d jobs, more %v, and none of the others", got, err, tt.jobs, tt.more)
			}
			if x.counts != tt.counts || x.read > 16*84 || len(db.queries) != 64+tt.counts {
				t.Errorf("%d queries, of which %d counted; %d rows were read", len(db.queries), x.counts, x.read)
			}
		})
	}
}

func TestStandingFails(t *testing.T) {
	t.Parallel()
	x := &backlog{rows: 100, fail: true, begun: map[string]bool{}}
	if _, err := table.New(&fake{query: x.query}, "jobs").Standing(t.Context(), job.Queued); !errors.Is(err, errDown) {
		t.Errorf("Standing = %v, want %v", err, errDown)
	}
	down := func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) { return nil, errDown }
	if _, err := table.New(&fake{query: down}, "jobs").Standing(t.Context(), job.Queued); !errors.Is(err, errDown) {
		t.Errorf("Standing = %v, want %v", err, errDown)
	}
	for _, st := range []job.Status{job.Completed, job.Failed, job.Canceled, "", "Unheard"} {
		db := &fake{}
		if _, err := table.New(db, "jobs").Standing(t.Context(), job.Queued, st); err == nil || len(db.queries) > 0 {
			t.Errorf("%q: %v after %d queries, want an error and none", st, err, len(db.queries))
		}
	}
}
