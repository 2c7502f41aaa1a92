package table_test

import (
	"testing"
	"time"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// What is noted of a profile's certificate goes with the profile, and with no other.
func TestADeletedProfileTakesTheNoteOfItsCertificateAlong(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		for _, name := range []string{"a", "a2"} {
			f.save(t, profile.New(name), 0)
			if _, err := f.Lease(t.Context(), job.CertificatePass(name), "somebody", now, now.Add(time.Second)); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.DeleteProfile(t.Context(), "a", 1); err != nil {
			t.Fatal(err)
		}
		if i := f.item(t, "PASS#certificate:a", "STATE"); len(i) != 0 {
			t.Error("the note outlives its profile")
		}
		if i := f.item(t, "PASS#certificate:a2", "STATE"); len(i) == 0 {
			t.Error("the note of another profile is gone")
		}
	})
}
