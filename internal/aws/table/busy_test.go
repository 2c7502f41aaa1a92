package table_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/job"
)

func broke(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) { return nil, errCut }

func TestAProfileIsBusyWhileAJobHasNotEnded(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		for _, s := range job.Statuses {
			j := queued(now)
			j.Profile = fmt.Sprintf("p-%d", len(s))
			f.takeIn(t, j)
			if s != job.Queued {
				j.Version, j.Status = 2, s
				f.step(t, j, nil)
			}
			want := !s.Final()
			if busy, err := f.Busy(t.Context(), j.Profile); busy != want || err != nil {
				t.Errorf("%s: Busy = %t, %v, want %t", s, busy, err, want)
			}
			if err := f.Remove(t.Context(), j.ID); err != nil {
				t.Fatal(err)
			}
		}
		f.takeIn(t, queued(now))
		if busy, err := f.Busy(t.Context(), "others"); busy || err != nil {
			t.Errorf("a profile without jobs: Busy = %t, %v", busy, err)
		}
	})
}

// Busy reads a hundred jobs at a time, and none after the one that it finds.
func TestBusyStopsAtTheFirst(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		busy    bool
		batches int
	}{{"the 101st is", true, 2}, {"none of the first hundred rows is", false, 5}} {
		batches := 0
		db := &fake{}
		db.query = func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			out, err := endless(in)
			if !tt.busy {
				out.Items, out.LastEvaluatedKey = out.Items[:2], nil // of each shard: 32 rows a status
			}
			return out, err
		}
		db.batch = func(in *dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error) {
			batches++
			keys := in.RequestItems["jobs"].Keys
			if len(keys) > 100 {
				t.Errorf("%s: a batch of %d", tt.name, len(keys))
			}
			keys[0]["version"], keys[0]["status"] = &types.AttributeValueMemberN{Value: "1"}, text("Queued")
			if tt.busy && batches == 2 {
				keys[0]["profile"] = text("p")
			}
			return &dynamodb.BatchGetItemOutput{Responses: map[string][]map[string]types.AttributeValue{"jobs": keys[:1]}}, nil
		}
		if busy, err := fixed(db).Busy(t.Context(), "p"); busy != tt.busy || err != nil || batches > tt.batches {
			t.Errorf("%s: Busy = %t, %v after %d batches, want %t after %d at most", tt.name, busy, err, batches, tt.busy, tt.batches)
		}
	}
}
