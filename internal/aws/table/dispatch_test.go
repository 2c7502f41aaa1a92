package table_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// dispatched is a job one version further, with a document at Lacuna Signer.
func dispatched(j job.Job, documentID string) job.Job {
	j.Version++
	j.Method, j.Status, j.Remote.DocumentID = profile.LacunaSigner, job.AwaitingSigner, documentID
	return j
}

func TestADispatchedJobIsFoundByItsDocument(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := queued(now)
		f.takeIn(t, j)
		if id, err := f.DispatchedJob(t.Context(), "d1"); id != "" || err != nil {
			t.Errorf("DispatchedJob before = %q, %v, want none", id, err)
		}
		k := dispatched(j, "d1")
		if err := f.SaveDispatched(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		got, err := f.Get(t.Context(), j.ID)
		if diff := cmp.Diff(k, got); diff != "" || err != nil {
			t.Errorf("Get = %v (-want +got):\n%s", err, diff)
		}
		if id, err := f.DispatchedJob(t.Context(), "d1"); id != j.ID || err != nil {
			t.Errorf("DispatchedJob = %q, %v, want %q", id, err, j.ID)
		}
		if again := dispatched(k, "d1"); f.SaveDispatched(t.Context(), again) != nil {
			t.Error("a document that is the job's already is an obstacle")
		}
		many, err := f.DispatchedJobs(t.Context(), []string{"d0", "d1", "d1"})
		if diff := cmp.Diff(map[string]job.ID{"d1": j.ID}, many); diff != "" || err != nil {
			t.Errorf("DispatchedJobs = %v (-want +got):\n%s", err, diff)
		}
		rows := oldest(t, f.Store, job.AwaitingSigner, "", -1)
		if len(rows) != 1 || rows[0].DocumentID != "d1" {
			t.Errorf("rows = %v, want one with its document", rows)
		}
	})
}

func TestJobAndDocumentAreWrittenTogether(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j, other := queued(now), queued(now)
		f.takeIn(t, j, other)
		if err := f.SaveDispatched(t.Context(), dispatched(other, "taken")); err != nil {
			t.Fatal(err)
		}
		stale := dispatched(j, "d1")
		stale.Version = 5
		nothing := dispatched(j, "")
		for name, k := range map[string]job.Job{"a stale job": stale, "another's document": dispatched(j, "taken"), "no document": nothing} {
			err := f.SaveDispatched(t.Context(), k)
			if want := k.Remote.DocumentID != ""; err == nil || errors.Is(err, fault.JobRaceLost) != want {
				t.Errorf("%s: SaveDispatched = %v, want %v: %t", name, err, fault.JobRaceLost, want)
			}
			if got, err := f.Get(t.Context(), j.ID); err != nil || got.Version != 1 {
				t.Errorf("%s: the job is at version %d, %v, want 1", name, got.Version, err)
			}
		}
		for document, want := range map[string]job.ID{"d1": "", "taken": other.ID} {
			if id, err := f.DispatchedJob(t.Context(), document); id != want || err != nil {
				t.Errorf("DispatchedJob(%s) = %q, %v, want %q", document, id, err, want)
			}
		}
	})
}
