package table_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

func TestAnObjectVersionIsTakenInOnce(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := queued(now)
		if id, err := f.TakenIn(t.Context(), j.Object); id != "" || err != nil {
			t.Errorf("TakenIn before = %q, %v, want none", id, err)
		}
		f.takeIn(t, j)
		twin := queued(now)
		twin.Object = j.Object
		if err := f.TakeIn(t.Context(), twin, job.NameClaim{}); !errors.Is(err, fault.JobRaceLost) {
			t.Errorf("TakeIn of the same version = %v, want %v", err, fault.JobRaceLost)
		}
		if _, err := f.Get(t.Context(), twin.ID); !errors.Is(err, fault.JobNotFound) {
			t.Errorf("the loser's job = %v, want %v", err, fault.JobNotFound)
		}
		if id, err := f.TakenIn(t.Context(), j.Object); id != j.ID || err != nil {
			t.Errorf("TakenIn = %q, %v, want %q", id, err, j.ID)
		}
		next := queued(now)
		next.Object = j.Object
		next.Object.VersionID = "v2"
		f.takeIn(t, next)
	})
}

func TestAVersionThatIsARepetition(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := queued(now)
		f.takeIn(t, j)
		again := j.Object
		again.VersionID = "again"
		for range 2 {
			if err := f.Repeat(t.Context(), again, j.ID); err != nil {
				t.Errorf("Repeat = %v", err)
			}
		}
		if err := f.Repeat(t.Context(), j.Object, job.NewID()); err != nil {
			t.Errorf("Repeat of what is known = %v", err)
		}
		for _, o := range []job.Object{j.Object, again} {
			if id, err := f.TakenIn(t.Context(), o); id != j.ID || err != nil {
				t.Errorf("TakenIn(%s) = %q, %v, want %q", o.VersionID, id, err, j.ID)
			}
		}
	})
}

func TestAJobIDIsUsedOnce(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := queued(now)
		f.takeIn(t, j)
		twin := queued(now)
		twin.ID = j.ID
		if err := f.TakeIn(t.Context(), twin, job.NameClaim{}); !errors.Is(err, fault.JobRaceLost) {
			t.Errorf("TakeIn = %v, want %v", err, fault.JobRaceLost)
		}
		if id, err := f.TakenIn(t.Context(), twin.Object); id != "" || err != nil {
			t.Errorf("the loser's version has job %q, %v, want none", id, err)
		}
	})
}

func TestAJobIsTakenInAndClaimedByOneWrite(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j, err := take(queued(now), "run", now)
		if err != nil {
			t.Fatal(err)
		}
		j.Version = 1
		f.takeIn(t, j)
		got, err := f.Get(t.Context(), j.ID)
		if diff := cmp.Diff(j, got); diff != "" || err != nil {
			t.Errorf("Get = %v (-want +got):\n%s", err, diff)
		}
		if len(got.History) != 2 || got.Status != job.Processing {
			t.Errorf("the job is %s with %d entries, want Processing with 2", got.Status, len(got.History))
		}
		marked, err := got.Mark("run", "out", now)
		f.step(t, marked, err)
	})
}

func TestOfManyEventsOneMakesAJob(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		if b.name == "moto" {
			return // see overtaking
		}
		f := open(t, b)
		o := queued(now).Object
		jobs := make([]job.Job, 50)
		errs := concurrently(len(jobs), func(n int) error {
			jobs[n] = queued(now)
			jobs[n].Object = o
			return f.TakeIn(t.Context(), jobs[n], job.NameClaim{})
		})
		oneWins(t, errs)
		id, err := f.TakenIn(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for n, j := range jobs {
			_, err := f.Get(t.Context(), j.ID)
			if won := errs[n] == nil; won != (err == nil) || won != (j.ID == id) {
				t.Errorf("job %d: TakeIn = %v, Get = %v, the version's own = %t", n, errs[n], err, j.ID == id)
			}
		}
	})
}
