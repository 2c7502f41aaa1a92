package table_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/job"
)

// total is a count of a metric without labels.
func total(name string, n int64) job.Count {
	return job.Count{Name: name, Labels: unlabeled, Part: job.PartTotal, Value: n}
}

// ended is a bit of everything by which jobs end, and of what says nothing about that.
func ended() []job.Count {
	return []job.Count{
		total(job.MetricCompleted, 5), total(job.MetricEncrypted, 2), total(job.MetricFailed, 3), total(job.MetricCanceled, 1),
		{Name: job.MetricFolderSignatures, Labels: `{"outcome":"no-longer-pending"}`, Part: job.PartTotal, Value: 4},
		{Name: job.MetricFolderSignatures, Labels: `{"outcome":"failed"}`, Part: job.PartTotal, Value: 7},
		{Name: job.MetricSigning, Labels: padesOnly, Part: job.PartSum, Value: 9}, total(job.MetricPauses, 8),
	}
}

func TestHours(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		for range 6 { // on more than one shard
			if err := f.AddCounters(t.Context(), ended()); err != nil {
				t.Fatal(err)
			}
		}
		for when, n := range map[time.Time]int64{
			now.Add(-24 * time.Hour): 100, now.Add(-23 * time.Hour): 1, now.Add(-time.Millisecond): 2, now.Add(time.Hour): 1000,
		} {
			if err := f.at(when.In(time.FixedZone("", -3*3600))).AddCounters(t.Context(), []job.Count{total(job.MetricCompleted, n)}); err != nil {
				t.Fatal(err)
			}
		}
		want := make([]job.Hour, 24)
		for i := range want {
			want[i].Start = now.Add(time.Duration(i-23) * time.Hour)
		}
		want[0].Completed, want[22].Completed = 1, 2
		want[23] = job.Hour{Start: now, Completed: 30, Failed: 18, Canceled: 30, Encrypted: 12}
		got, err := f.Hours(t.Context(), now.Add(-23*time.Hour+59*time.Minute), now.Add(59*time.Minute).In(time.FixedZone("", -3*3600)))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Hours: %v (-want +got):\n%s", err, diff)
		}
		if counts, err := f.Counters(t.Context()); err != nil || len(counts) != len(ended()) {
			t.Errorf("Counters = %v, %v, want those of metrics alone", counts, err)
		}
	})
}

// An hour is one write for all its figures, and goes by itself.
func TestAnHourIsOneItem(t *testing.T) {
	t.Parallel()
	f := open(t, backend{"kumo", kumo.Config()})
	if err := f.AddCounters(t.Context(), ended()); err != nil {
		t.Fatal(err)
	}
	var items []map[string]any
	for _, pk := range []string{"COUNTER#jobs_by_hour#0", "COUNTER#jobs_by_hour#1", "COUNTER#jobs_by_hour#2", "COUNTER#jobs_by_hour#3"} {
		if i := plain(t, f.item(t, pk, "2026-07-15T12")); len(i) > 0 {
			delete(i, "pk")
			items = append(items, i)
		}
	}
	want := []map[string]any{{
		"sk": "2026-07-15T12", "completed": 5.0, "failed": 3.0, "canceled": 5.0, "encrypted": 2.0,
		"expiresAt": float64(now.Add(8 * 24 * time.Hour).Unix()),
	}}
	if diff := cmp.Diff(want, items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	db := &fake{}
	if err := table.New(db, "jobs").AddCounters(t.Context(), []job.Count{total(job.MetricPauses, 1)}); err != nil || db.writes != 1 {
		t.Errorf("%d writes, %v, want one where no job ended", db.writes, err)
	}
}

func TestHoursThatCannotBeRead(t *testing.T) {
	t.Parallel()
	answer := func(sk string, v types.AttributeValue) func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		return func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			return &dynamodb.QueryOutput{Items: []map[string]types.AttributeValue{{"sk": text(sk), "completed": v}}}, nil
		}
	}
	one := &types.AttributeValueMemberN{Value: "1"}
	tests := []struct {
		name     string
		from, to time.Time
		query    func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error)
		want     string
	}{
		{"no answer", now, now, func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) { return nil, errDown }, "read the hours: "},
		{"a text", now, now, answer("2026-07-15T12", text("many")), "decode an hour: "},
		{"no hour", now, now, answer("noon", one), "decode an hour: "},
		{"an hour that was not asked for", now, now, answer("2026-07-15T13", one), "decode an hour: "},
		{"the wrong way round", now, now.Add(-time.Hour), nil, "0 hours cannot be read"},
		{"a year", now.AddDate(-1, 0, 0), now, nil, "8761 hours cannot be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := table.New(&fake{query: tt.query}, "jobs").Hours(t.Context(), tt.from, tt.to)
			if err == nil || !strings.Contains(err.Error(), tt.want) || tt.name == "no answer" && !errors.Is(err, errDown) {
				t.Errorf("Hours = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestCountersOfSomeMetrics(t *testing.T) {
	t.Parallel()
	f := open(t, backend{"kumo", kumo.Config()})
	if err := f.AddCounters(t.Context(), ended()); err != nil {
		t.Fatal(err)
	}
	got, err := f.CountersOf(t.Context(), job.MetricPauses)
	if diff := cmp.Diff([]job.Count{total(job.MetricPauses, 8)}, got); err != nil || diff != "" {
		t.Errorf("CountersOf: %v (-want +got):\n%s", err, diff)
	}
}
