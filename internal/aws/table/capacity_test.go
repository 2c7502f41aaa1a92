package table_test

import (
	"cmp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/aws/table"
	"bulksigner/internal/job"
)

// No emulator tells what a call costs: kumo says nothing, moto the same for each. So it is counted here as DynamoDB
// counts: a page of an index that is read eventually costs half a unit for each 4 KiB begun.
const (
	unit  = 4096
	rowsN = 10_000
)

// row is what byStatus has of a job: its keys and what it projects.
func row(i map[string]types.AttributeValue) map[string]types.AttributeValue {
	r := map[string]types.AttributeValue{}
	for _, name := range append([]string{schema.PK, schema.SK, schema.ByStatus.PK, schema.ByStatus.SK}, schema.ByStatus.Projected...) {
		if v, ok := i[name]; ok {
			r[name] = v
		}
	}
	return r
}

// shelves are the rows of an index, shard by shard, that are paged as DynamoDB pages, and what reading them cost.
type shelves struct {
	rows map[string][]map[string]types.AttributeValue

	mu    sync.Mutex
	calls int
	units float64
}

func (x *shelves) query(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	rows, limit := x.rows[values(in)[0]], int(*in.Limit)
	if in.ExclusiveStartKey != nil {
		last, _ := slices.BinarySearchFunc(rows, in.ExclusiveStartKey, byKey)
		rows = rows[last+1:]
	}
	out := &dynamodb.QueryOutput{Items: rows[:min(limit, len(rows))]}
	if len(rows) >= limit { // also where nothing comes after
		out.LastEvaluatedKey = out.Items[limit-1]
	}
	bytes := 0
	for _, r := range out.Items {
		bytes += size(r)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.calls++
	x.units += float64(max(1, (bytes+unit-1)/unit)) / 2
	return out, nil
}

func byKey(a, b map[string]types.AttributeValue) int {
	return cmp.Compare(a["statusSk"].(*types.AttributeValueMemberS).Value, b["statusSk"].(*types.AttributeValueMemberS).Value)
}

// A poll goes through all jobs that wait for somebody, and a day has more than a thousand polls.
func TestWhatItCostsToGoThroughTenThousandJobs(t *testing.T) {
	t.Parallel()
	f := open(t, backend{"kumo", kumo.Config()})
	j := queued(now)
	f.takeIn(t, j)
	j = dispatched(j, string(job.NewID()))
	if err := f.SaveDispatched(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	one := row(f.item(t, "JOB#"+string(j.ID), "JOB"))
	x := &shelves{rows: map[string][]map[string]types.AttributeValue{}}
	for n := range rowsN {
		id := job.NewID()
		r := map[string]types.AttributeValue{
			"pk": text("JOB#" + string(id)), "sk": one["sk"], "documentId": text(string(job.NewID())),
			"statusPk": text("STATUS#AwaitingSigner#" + job.ShardName(id.Shard())),
			"statusSk": text(now.Add(time.Duration(n)*time.Second).Format("2006-01-02T15:04:05.000Z") + "#" + string(id)),
		}
		if d := size(r) - size(one); d < -1 || d > 1 { // a shard's name has one digit or two
			t.Fatalf("a row has %d bytes, and that of a stored job %d", size(r), size(one))
		}
		shard := r["statusPk"].(*types.AttributeValueMemberS).Value
		x.rows[shard] = append(x.rows[shard], r)
	}
	rows := oldest(t, table.New(&fake{query: x.query}, "jobs"), job.AwaitingSigner, "", -1)
	if len(rows) != rowsN {
		t.Fatalf("%d rows, want %d", len(rows), rowsN)
	}
	t.Logf("%d rows of %d bytes: %d calls, %.1f read units", rowsN, size(one), x.calls, x.units)
	if ideal := float64(rowsN*size(one)) / unit / 2; x.units > 1.15*ideal {
		t.Errorf("%.1f read units, want hardly more than the %.1f of the rows alone", x.units, ideal)
	}
}
