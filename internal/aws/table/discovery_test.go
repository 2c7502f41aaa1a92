package table_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// found is the job of a document that waits at Lacuna Signer.
func found(documentID, actionID string) job.Job {
	f := job.Found{Profile: "contracts", Remote: job.Remote{DocumentID: documentID, ActionID: actionID, FolderID: "f1", DocumentName: "ç"}}
	if actionID == "" {
		return job.NewWithoutAction(f, now)
	}
	return job.NewFound(f, now)
}

func TestAPairIsDiscoveredOnce(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		pairs := [][2]string{{"d1", "a1"}, {"d1", "a2"}, {"d2", "a1"}, {"d1", ""}}
		for _, p := range pairs {
			if id, err := f.Discovered(t.Context(), p[0], p[1]); id != "" || err != nil {
				t.Errorf("%v: Discovered before = %q, %v, want none", p, id, err)
			}
			j, twin := found(p[0], p[1]), found(p[0], p[1])
			if err := f.Discover(t.Context(), j); err != nil {
				t.Fatalf("%v: Discover = %v", p, err)
			}
			if err := f.Discover(t.Context(), twin); !errors.Is(err, fault.JobRaceLost) {
				t.Errorf("%v: the second Discover = %v, want %v", p, err, fault.JobRaceLost)
			}
			if _, err := f.Get(t.Context(), twin.ID); !errors.Is(err, fault.JobNotFound) {
				t.Errorf("%v: the loser's job = %v, want %v", p, err, fault.JobNotFound)
			}
			if id, err := f.Discovered(t.Context(), p[0], p[1]); id != j.ID || err != nil {
				t.Errorf("%v: Discovered = %q, %v, want %q", p, id, err, j.ID)
			}
			got, err := f.Get(t.Context(), j.ID)
			if diff := cmp.Diff(j, got); diff != "" || err != nil {
				t.Errorf("%v: Get = %v (-want +got):\n%s", p, err, diff)
			}
		}
		if i := f.item(t, "DOCUMENT#d1", "ACTION#none"); len(i) == 0 {
			t.Error("a document without an action has no record of its own")
		} else if _, ok := i["expiresAt"]; ok {
			t.Error("a discovery expires")
		}
		if err := f.Discover(t.Context(), found("", "a1")); err == nil {
			t.Error("a job without a document was taken up")
		}
	})
}

func TestADiscoveryOutlivesItsJob(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := found("d1", "a1")
		if err := f.Discover(t.Context(), j); err != nil {
			t.Fatal(err)
		}
		_, err := f.db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
			TableName: &f.name, Key: map[string]types.AttributeValue{"pk": text("JOB#" + string(j.ID)), "sk": text("JOB")},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Discover(t.Context(), found("d1", "a1")); !errors.Is(err, fault.JobRaceLost) {
			t.Errorf("Discover = %v, want %v", err, fault.JobRaceLost)
		}
	})
}

func TestOfManySweepsOneDiscovers(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		if b.name == "moto" {
			return // see overtaking
		}
		f := open(t, b)
		oneWins(t, concurrently(25, func(int) error { return f.Discover(t.Context(), found("d1", "a1")) }))
	})
}

func TestWhatWasSeenIsToldToTheLastDigit(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		want, all := map[string]time.Time{}, []string{"never", "never"}
		for n := range 205 {
			id, at := fmt.Sprint("d", n), now.Add(time.Duration(n)*time.Second+1234567)
			if all = append(all, id); n%20 != 0 {
				continue
			}
			if want[id] = at; f.See(t.Context(), id, at.Add(-time.Hour)) != nil || f.See(t.Context(), id, at) != nil {
				t.Fatal("what was seen was not noted")
			}
		}
		got, err := f.Seen(t.Context(), all)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Seen = %v (-want +got):\n%s", err, diff)
		}
		if none, err := f.Seen(t.Context(), nil); len(none) != 0 || err != nil {
			t.Errorf("Seen of nothing = %v, %v", none, err)
		}
	})
}

func TestWhatWasSeenIsForgotten(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		if err := f.See(t.Context(), "d1", now); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			after time.Duration
			known bool
		}{{30*24*time.Hour - time.Second, true}, {30 * 24 * time.Hour, false}} {
			later := table.New(f.db, f.name, table.Clock(func() time.Time { return now.Add(tt.after) }))
			if seen, err := later.Seen(t.Context(), []string{"d1"}); err != nil || (len(seen) == 1) != tt.known {
				t.Errorf("after %s: Seen = %v, %v, want it known: %t", tt.after, seen, err, tt.known)
			}
		}
	})
}

func TestSeenAsksAgainForWhatDidNotCome(t *testing.T) {
	t.Parallel()
	var asked []int
	db := &fake{batch: func(in *dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error) {
		wanted := in.RequestItems["jobs"]
		asked = append(asked, len(wanted.Keys))
		n := (len(wanted.Keys) + 1) / 2
		out := &dynamodb.BatchGetItemOutput{Responses: map[string][]map[string]types.AttributeValue{}}
		for _, k := range wanted.Keys[:n] {
			out.Responses["jobs"] = append(out.Responses["jobs"], map[string]types.AttributeValue{
				"pk": k["pk"], "sk": k["sk"], "changed": text("2026-07-15T12:00:00.1234567Z"), "expiresAt": &types.AttributeValueMemberN{Value: "9999999999"},
			})
		}
		if rest := wanted.Keys[n:]; len(rest) > 0 {
			wanted.Keys = rest
			out.UnprocessedKeys = map[string]types.KeysAndAttributes{"jobs": wanted}
		}
		return out, nil
	}}
	ids := []string{"a", "b", "c", "d", "e"}
	seen, err := table.New(db, "jobs").Seen(t.Context(), ids)
	if err != nil || len(seen) != len(ids) {
		t.Errorf("Seen = %d documents, %v, want %d", len(seen), err, len(ids))
	}
	if diff := cmp.Diff([]int{5, 2, 1}, asked); diff != "" {
		t.Errorf("keys asked for (-want +got):\n%s", diff)
	}
}
