package table_test

import (
	"errors"
	"testing"
	"time"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// at is the store with another clock.
func (f fixture) at(now time.Time) *table.Store {
	return table.New(f.db, f.name, table.Clock(func() time.Time { return now }))
}

// answers checks which job is the answer to a request.
func answers(t *testing.T, s *table.Store, key job.IdempotencyKey, want job.ID) {
	t.Helper()
	if id, err := s.Answered(t.Context(), key); id != want || err != nil {
		t.Errorf("Answered(%q) = %q, %v, want %q", key, id, err, want)
	}
}

func TestAnUploadIsReservedOncePerRequest(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		answers(t, f.Store, "k1", "")
		first, second, other := reservation(now.Add(time.Hour)), reservation(now.Add(time.Hour)), reservation(now.Add(time.Hour))
		for _, tt := range []struct {
			name   string
			r      job.Reservation
			key    job.IdempotencyKey
			want   error
			answer job.ID
		}{
			{"first", first, "k1", nil, first.Job},
			{"the same write", first, "k1", nil, first.Job},
			{"the same request", second, "k1", fault.JobRaceLost, first.Job},
			{"another request", other, "k2", nil, other.Job},
		} {
			if err := f.Reserve(t.Context(), tt.r, tt.key); !errors.Is(err, tt.want) {
				t.Errorf("%s: Reserve = %v, want %v", tt.name, err, tt.want)
			}
			if _, err := f.Reservation(t.Context(), tt.r.Key); (err == nil) != (tt.want == nil) {
				t.Errorf("%s: Reservation = %v, want one: %t", tt.name, err, tt.want == nil)
			}
			answers(t, f.Store, tt.key, tt.answer)
		}
		if err := f.Reserve(t.Context(), second, ""); err != nil {
			t.Errorf("Reserve without a key = %v", err)
		}
		answers(t, f.Store, "", "")
	})
}

func TestAnAnswerIsGoodForADay(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		first, second := reservation(now.AddDate(0, 0, 3)), reservation(now.AddDate(0, 0, 3))
		if err := f.Reserve(t.Context(), first, "k"); err != nil {
			t.Fatal(err)
		}
		ttl := plain(t, f.item(t, "IDEMPOTENCY#k", "ANSWER"))["expiresAt"]
		if want := float64(now.Add(24*time.Hour + time.Second - 1).Unix()); ttl != want {
			t.Errorf("TTL = %v, want %v, which is not before the end", ttl, want)
		}
		before, after := f.at(now.Add(24*time.Hour-time.Millisecond)), f.at(now.Add(24*time.Hour))
		answers(t, before, "k", first.Job)
		if err := before.Reserve(t.Context(), second, "k"); !errors.Is(err, fault.JobRaceLost) {
			t.Errorf("Reserve within the day = %v, want %v", err, fault.JobRaceLost)
		}
		answers(t, after, "k", "") // while TTL is late
		if err := after.Reserve(t.Context(), second, "k"); err != nil {
			t.Errorf("Reserve after the day = %v", err)
		}
		answers(t, after, "k", second.Job)
	})
}

func TestAJobIsRetriedOncePerRequest(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := queued(now)
		f.takeIn(t, j)
		parent, child := retried(j, profile.Local)
		if err := f.Retry(t.Context(), parent, child, j.ID, "k"); err != nil {
			t.Fatal(err)
		}
		answers(t, f.Store, "k", child.ID)
		// All else would allow a second retry: the request alone does not.
		again, second := retried(parent, profile.Local)
		if err := f.Retry(t.Context(), again, second, child.ID, "k"); !errors.Is(err, fault.JobRaceLost) {
			t.Errorf("Retry by the same request = %v, want %v", err, fault.JobRaceLost)
		}
		if _, err := f.Get(t.Context(), second.ID); !errors.Is(err, fault.JobNotFound) {
			t.Errorf("the second child = %v, want %v", err, fault.JobNotFound)
		}
		answers(t, f.Store, "k", child.ID)
		if err := f.Retry(t.Context(), again, second, child.ID, "k2"); err != nil {
			t.Errorf("Retry by another request = %v", err)
		}
	})
}
