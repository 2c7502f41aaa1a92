package table_test

import (
	"testing"
	"time"
)

func TestABellIsFreshOnceAMinute(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		tests := []struct {
			name     string
			document string
			after    time.Duration
			fresh    bool
		}{
			{"the first", "d1", 0, true},
			{"the next", "d1", time.Second, false},
			{"that of another document", "d2", time.Second, true},
			{"one moment before a minute", "d1", time.Minute - time.Millisecond, false},
			{"after a minute: the check is lost", "d1", time.Minute, true},
			{"the next after that", "d1", 90 * time.Second, false},
			{"of a clock that is behind", "d1", 0, false},
		}
		for _, tt := range tests {
			fresh, err := f.Ring(t.Context(), tt.document, now.Add(tt.after))
			if err != nil || fresh != tt.fresh {
				t.Errorf("%s: Ring = %t, %v, want %t", tt.name, fresh, err, tt.fresh)
			}
		}
		i := plain(t, f.item(t, "DOCUMENT#d1", "CHECK"))
		if want := float64(now.Add(2 * time.Minute).Unix()); i["expiresAt"] != want {
			t.Errorf("TTL = %v, want %v", i["expiresAt"], want)
		}
	})
}

func TestABellAfterTheCheckIsFresh(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		for range 2 {
			if fresh, err := f.Ring(t.Context(), "d1", now); !fresh || err != nil {
				t.Errorf("Ring = %t, %v, want fresh", fresh, err)
			}
			for range 2 { // what is not there is no error
				if err := f.Unring(t.Context(), "d1"); err != nil {
					t.Errorf("Unring = %v", err)
				}
			}
		}
	})
}

func TestOfManyBellsOneIsFresh(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		if b.name == "moto" {
			return // see overtaking
		}
		f := open(t, b)
		fresh := make([]bool, 25)
		errs := concurrently(len(fresh), func(n int) (err error) {
			fresh[n], err = f.Ring(t.Context(), "d1", now)
			return err
		})
		rung := 0
		for n, err := range errs {
			if err != nil {
				t.Errorf("Ring = %v", err)
			}
			if fresh[n] {
				rung++
			}
		}
		if rung != 1 {
			t.Errorf("%d bells were fresh, want 1", rung)
		}
	})
}

func TestTheLastBellIsTheLatest(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		if at, err := f.LastBell(t.Context()); err != nil || !at.IsZero() {
			t.Errorf("LastBell before = %v, %v, want never", at, err)
		}
		for _, seconds := range []time.Duration{0, 2, 1} {
			if err := f.Bell(t.Context(), now.Add(seconds*time.Second)); err != nil {
				t.Fatal(err)
			}
		}
		if at, err := f.LastBell(t.Context()); err != nil || !at.Equal(now.Add(2*time.Second)) {
			t.Errorf("LastBell = %v, %v, want that of second 2", at, err)
		}
	})
}
