package table_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/job"
)

const moment = "2026-07-15T03:00:00Z"

// restore copies every item of a table into a new one, as DynamoDB does.
func restore(t *testing.T, b backend, from fixture) fixture {
	t.Helper()
	to := open(t, b)
	pages := dynamodb.NewScanPaginator(from.db, &dynamodb.ScanInput{TableName: &from.name, ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		out, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range out.Items {
			to.put(t, i)
		}
	}
	return to
}

// starts is what the start of a function does to the table.
func starts(t *testing.T, f fixture, restored string, wantPaused bool) {
	t.Helper()
	paused, err := f.Adopt(t.Context(), restored, now)
	if err != nil || paused != wantPaused {
		t.Fatalf("Adopt(%q) = %t, %v; want %t", restored, paused, err, wantPaused)
	}
	is, err := f.Paused(t.Context())
	if err != nil || wantPaused && !is {
		t.Fatalf("after Adopt the pipeline is paused: %t, %v", is, err)
	}
}

func turn(t *testing.T, f fixture, paused bool) {
	t.Helper()
	p, err := f.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.Version, p.Paused = p.Version+1, paused
	if err := f.Turn(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

func TestARestoredTableStartsPaused(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		tests := []struct {
			name     string
			before   func(*testing.T, fixture) // what happened in the table that is restored from
			restored string
			want     bool
		}{
			{"a new table", nil, "", false},
			{"never paused", func(t *testing.T, f fixture) { starts(t, f, "", false) }, "", true},
			{"never paused, and the deployment says it", func(t *testing.T, f fixture) { starts(t, f, "", false) }, moment, true},
			{"resumed", func(t *testing.T, f fixture) { starts(t, f, "", false); turn(t, f, true); turn(t, f, false) }, "", true},
			{"paused by an operator", func(t *testing.T, f fixture) { starts(t, f, "", false); turn(t, f, true) }, "", true},
			{"restored before", func(t *testing.T, f fixture) { starts(t, f, moment, true); turn(t, f, false) }, moment, true},
			{"of an older release, which put down no name", func(t *testing.T, f fixture) { turn(t, f, true); turn(t, f, false) }, moment, true},
			{"of an older release, never turned", nil, moment, true},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				old := open(t, b)
				if tt.before != nil {
					tt.before(t, old)
				}
				f := restore(t, b, old)
				starts(t, f, tt.restored, tt.want)
				starts(t, f, tt.restored, false) // the next function finds it done
				if !tt.want {
					return
				}
				turn(t, f, false)
				starts(t, f, tt.restored, false)
				starts(t, f, "", false) // a deployment that says nothing any more
				if is, err := f.Paused(t.Context()); err != nil || is {
					t.Errorf("a start undid the resume: paused %t, %v", is, err)
				}
			})
		}
	})
}

// A table that was deleted and restored under its own name is told from what it was by the deployment's word alone.
func TestARestoreUnderTheSameNameIsSaidByTheDeployment(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		starts(t, f, "", false)
		starts(t, f, moment, true)
		turn(t, f, false)
		starts(t, f, moment, false)
		starts(t, f, "2026-07-15T04:00:00Z", true)
	})
}

func TestAnOperatorReadsWhyARestoredTableIsPaused(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		old := open(t, b)
		starts(t, old, "", false)
		resumed := paused(1, "ana")
		resumed.Paused = false
		if err := old.Turn(t.Context(), resumed); err != nil {
			t.Fatal(err)
		}
		f := restore(t, b, old)
		f.put(t, with(f.item(t, "PIPELINE", "STATE"), "newer", text("kept")))
		starts(t, f, "", true)
		got, err := f.State(t.Context())
		want := job.Pipeline{Version: 2, Paused: true, PausedAt: now, ResumedAt: resumed.ResumedAt, PausedBy: "restore",
			Reason: "The table holds what was written in the table " + old.name + ". See Restoring the table in the operations manual."}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("State = %v (-want +got):\n%s", err, diff)
		}
		if i := plain(t, f.item(t, "PIPELINE", "STATE")); i["newer"] != "kept" || i["home"] != f.name {
			t.Errorf("the item is %v, want newer kept, and the table's own name", i)
		}
	})
}

func with(i map[string]types.AttributeValue, name string, v types.AttributeValue) map[string]types.AttributeValue {
	i[name] = v
	return i
}

func TestOfManyStartsOnePauses(t *testing.T) {
	t.Parallel()
	for name, turns := range map[string]int64{"never turned": 0, "paused and resumed": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := backend{"kumo", kumo.Config()}
			old := open(t, b)
			starts(t, old, "", false)
			for n := range turns {
				turn(t, old, n%2 == 0)
			}
			onePauses(t, restore(t, b, old), turns+1)
		})
	}
}

func onePauses(t *testing.T, f fixture, version int64) {
	t.Helper()
	pauses := make([]bool, 20)
	for n, err := range concurrently(20, func(n int) (err error) {
		pauses[n], err = f.Adopt(t.Context(), moment, now.Add(time.Duration(n)*time.Second))
		return err
	}) {
		if err != nil {
			t.Errorf("start %d: %v", n, err)
		}
	}
	made := 0
	for _, p := range pauses {
		if p {
			made++
		}
	}
	if p, err := f.State(t.Context()); made != 1 || err != nil || p.Version != version || !p.Paused {
		t.Errorf("%d starts paused, and the switch is %+v, %v; want one pause, at version %d", made, p, err, version)
	}
}

// echo keeps the first update and loses its answer, so that the SDK sends it again, which meets what the first try wrote.
type echo struct {
	table.DB
	sent bool
}

// UpdateItem comes a second time once.
func (e *echo) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	out, err := e.DB.UpdateItem(ctx, in, o...)
	if err != nil || e.sent {
		return out, err
	}
	e.sent = true
	return e.DB.UpdateItem(ctx, in, o...)
}

// Who paused tells of it even where only a repeated write says that it did; who met another's pause does not.
func TestAPauseWhoseAnswerIsLostIsToldOf(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		for _, tt := range []struct {
			name     string
			before   string
			restored string
			want     bool
		}{{"a pause", "", moment, true}, {"no pause", "", "", false}, {"an earlier pause", moment, moment, false}} {
			f := open(t, b)
			if tt.before != "" {
				starts(t, f, tt.before, true)
			}
			got, err := table.New(&echo{DB: f.db}, f.name).Adopt(t.Context(), tt.restored, now)
			if err != nil || got != tt.want {
				t.Errorf("%s: Adopt = %t, %v, want %t", tt.name, got, err, tt.want)
			}
		}
	})
}

// What cannot be found out, or not be written, stops the function's start: nothing is claimed then.
func TestAnAdoptionThatFailsStopsTheStart(t *testing.T) {
	t.Parallel()
	broken := errors.New("no answer")
	conflict := &types.ConditionalCheckFailedException{}
	stamped := map[string]types.AttributeValue{"home": text("other"), "version": &types.AttributeValueMemberN{Value: "3"}}
	tests := []struct {
		name    string
		item    map[string]types.AttributeValue
		answers []error
	}{
		{"the name cannot be written", nil, []error{broken}},
		{"the pause cannot be written", stamped, []error{broken}},
		{"others write without end", stamped, []error{conflict, conflict, conflict, conflict, conflict}},
		{"the state cannot be understood", map[string]types.AttributeValue{"home": &types.AttributeValueMemberL{Value: []types.AttributeValue{text("x")}}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := &fake{item: tt.item, answers: tt.answers}
			if paused, err := table.New(db, "own").Adopt(t.Context(), "", now); err == nil || paused {
				t.Errorf("Adopt = %t, %v; want an error", paused, err)
			}
			if got, want := fmt.Sprint(len(db.answers)), "0"; got != want {
				t.Errorf("%s answers were not asked for", got)
			}
		})
	}
}
