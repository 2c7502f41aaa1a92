package table_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

func reservation(expires time.Time) job.Reservation {
	id := job.NewID()
	return job.Reservation{
		Key: job.UploadPrefix + string(id) + "/ç.pdf", Job: id, Profile: "contracts", Format: profile.Pades, FileName: "ç.pdf", Expires: expires,
	}
}

func TestAReservationHoldsUntilItsEnd(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		tests := []struct {
			name    string
			expires time.Time
			want    error
		}{
			{"in time", now.Add(1500 * time.Millisecond), nil},
			{"one moment before its end", now.Add(time.Millisecond), nil},
			{"at its end", now, fault.JobNotFound},
			{"days later, while TTL is late", now.AddDate(0, 0, -2), fault.JobNotFound},
		}
		for _, tt := range tests {
			r := reservation(tt.expires)
			if err := f.Reserve(t.Context(), r, ""); err != nil {
				t.Fatal(err)
			}
			got, err := f.Reservation(t.Context(), r.Key)
			if !errors.Is(err, tt.want) {
				t.Errorf("%s: Reservation = %v, want %v", tt.name, err, tt.want)
			}
			if diff := cmp.Diff(r, got); tt.want == nil && diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
			ttl := plain(t, f.item(t, "UPLOAD#"+r.Key, "RESERVATION"))["expiresAt"]
			if want := float64(tt.expires.Add(time.Second - 1).Unix()); ttl != want {
				t.Errorf("%s: TTL = %v, want %v, which is not before the end", tt.name, ttl, want)
			}
		}
		if _, err := f.Reservation(t.Context(), "uploads/none"); !errors.Is(err, fault.JobNotFound) {
			t.Errorf("Reservation of nothing = %v, want %v", err, fault.JobNotFound)
		}
	})
}

func TestAKeyIsReservedOnce(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		r := reservation(now.Add(time.Hour))
		other := r
		other.Job = job.NewID()
		for n, try := range []struct {
			job.Reservation
			want error
		}{{r, nil}, {r, nil}, {other, fault.JobRaceLost}} { // the same again is a repeated request
			if err := f.Reserve(t.Context(), try.Reservation, ""); !errors.Is(err, try.want) {
				t.Errorf("try %d: Reserve = %v, want %v", n, err, try.want)
			}
		}
		over := reservation(now)
		next := over
		next.Expires = now.Add(time.Hour)
		for _, r := range []job.Reservation{over, next} {
			if err := f.Reserve(t.Context(), r, ""); err != nil {
				t.Errorf("Reserve where one is over = %v", err)
			}
		}
		if got, err := f.Reservation(t.Context(), next.Key); err != nil || got != next {
			t.Errorf("Reservation = %v, %v, want %v", got, err, next)
		}
	})
}
