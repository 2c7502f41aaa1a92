package table_test

import (
	"testing"

	"bulksigner/internal/fault"
)

func TestARefusedVersionIsTakenInLater(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := queued(now)
		for n, want := range []bool{true, false, false} {
			if first, err := f.Refuse(t.Context(), j.Object, fault.ProfileDisabled); first != want || err != nil {
				t.Errorf("Refuse %d = %t, %v; want %t", n+1, first, err, want)
			}
		}
		if id, err := f.TakenIn(t.Context(), j.Object); id != "" || err != nil {
			t.Errorf("TakenIn of a refused version = %q, %v, want none", id, err)
		}
		f.takeIn(t, j)
		if first, err := f.Refuse(t.Context(), j.Object, fault.ProfileDisabled); first || err != nil {
			t.Errorf("Refuse of what has a job = %t, %v; want no news", first, err)
		}
		if id, err := f.TakenIn(t.Context(), j.Object); id != j.ID || err != nil {
			t.Errorf("TakenIn = %q, %v, want %q", id, err, j.ID)
		}
	})
}
