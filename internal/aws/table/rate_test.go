package table_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAWindowHasSoManyPermits(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		begin := now.Add(20 * time.Second) // of nothing: windows are the clock's
		for n, tt := range []struct {
			policy, client string
			at             time.Time
			want           time.Duration
		}{
			{"upload", "::1", begin, 0},
			{"upload", "::1", begin.Add(time.Second), 0},
			{"upload", "::1", begin.Add(2 * time.Second), 38 * time.Second},
			{"upload", "::2", begin.Add(2 * time.Second), 0},
			{"export", "::1", begin.Add(2 * time.Second), 0},
			{"upload", "::1", now.Add(time.Minute - time.Millisecond), time.Millisecond},
			{"upload", "::1", now.Add(time.Minute), 0},
			{"upload", "::1", now.Add(time.Minute), 0},
			{"upload", "::1", now.Add(time.Minute), time.Minute},
		} {
			got, err := f.Allow(t.Context(), tt.policy, tt.client, 2, time.Minute, tt.at)
			if got != tt.want || err != nil {
				t.Errorf("request %d: Allow = %s, %v, want %s", n, got, err, tt.want)
			}
		}
		row := plain(t, f.item(t, "RATE#upload#::1", "2026-07-15T12:00:00.000Z"))
		if end := float64(now.Add(time.Minute).Unix()); row["expiresAt"].(float64) < end {
			t.Errorf("TTL = %v, want none before the window's end %v", row["expiresAt"], end)
		}
		if row["permits"] != 2.0 {
			t.Errorf("%v permits were taken, want 2: a refused request is not counted", row["permits"])
		}
	})
}

func TestAPolicyWithoutPermitsOrWindow(t *testing.T) {
	t.Parallel()
	db := &fake{}
	if got, err := fixed(db).Allow(t.Context(), "upload", "::1", 0, time.Minute, now); got != time.Minute || err != nil || db.writes != 0 {
		t.Errorf("Allow without permits = %s, %v after %d writes, want a minute after none", got, err, db.writes)
	}
	if _, err := fixed(db).Allow(t.Context(), "upload", "::1", 1, 0, now); err == nil || db.writes != 0 {
		t.Errorf("Allow without a window = %v after %d writes, want an error after none", err, db.writes)
	}
}

func TestAClientWithALongName(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		if got, err := f.Allow(t.Context(), "upload", strings.Repeat("a", 255)+strings.Repeat("ç", 2000), 1, time.Minute, now); got != 0 || err != nil {
			t.Errorf("Allow = %s, %v, want a permit", got, err)
		}
	})
}

func TestManyRequestsAtOnceGetNoMorePermits(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		if b.name == "moto" {
			return // see overtaking
		}
		f := open(t, b)
		waits := make([]time.Duration, 30)
		errs := concurrently(len(waits), func(n int) (err error) {
			waits[n], err = f.Allow(t.Context(), "upload", "::1", 7, time.Minute, now)
			return err
		})
		allowed := len(waits) - len(slices.DeleteFunc(slices.Clone(waits), func(d time.Duration) bool { return d == 0 }))
		if allowed != 7 || slices.ContainsFunc(errs, func(err error) bool { return err != nil }) {
			t.Errorf("%d requests were allowed, %v, want 7", allowed, errs)
		}
	})
}
