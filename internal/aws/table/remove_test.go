package table_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// total checks how many jobs a query is about.
func (f fixture) total(t *testing.T, q job.Query, want int64) {
	t.Helper()
	if n, known, err := f.Total(t.Context(), q); n != want || !known || err != nil {
		t.Errorf("Total(%v) = %d, known %t, %v, want %d", q, n, known, err, want)
	}
}

func TestAJobIsRemovedWithItsTimes(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := f.complete(t, profile.Local, now)
		j = f.step(t, j.Note("Read.", now.Add(time.Hour)), nil)
		stays := f.complete(t, profile.Local, now)
		for range 2 { // gone is no error
			if err := f.Remove(t.Context(), j.ID); err != nil {
				t.Errorf("Remove = %v", err)
			}
		}
		if _, err := f.Get(t.Context(), j.ID); !errors.Is(err, fault.JobNotFound) {
			t.Errorf("Get = %v, want %v", err, fault.JobNotFound)
		}
		if got := timesOf(t, f.Store, now, now.Add(time.Minute)); len(got) != 1 || got[0].Job != stays.ID {
			t.Errorf("Timings = %v, want those of job %s", got, stays.ID)
		}
		if id, err := f.TakenIn(t.Context(), j.Object); id != j.ID || err != nil {
			t.Errorf("TakenIn = %q, %v: the object version is to stay known", id, err)
		}
		f.total(t, job.Query{}, 1)
	})
}

// A job that completes while it is removed has times that go with it.
func TestAJobIsRemovedWhileItIsWritten(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		if b.name == "moto" {
			return // see overtaking
		}
		f := open(t, b)
		for range 10 {
			j := queued(now)
			f.takeIn(t, j)
			errs := concurrently(2, func(n int) error {
				if n == 0 {
					return f.Save(t.Context(), completed(j, now))
				}
				return f.Remove(t.Context(), j.ID)
			})
			if errs[1] != nil || errs[0] != nil && !errors.Is(errs[0], fault.JobRaceLost) {
				t.Errorf("Save and Remove = %v", errs)
			}
		}
		if left := timesOf(t, f.Store, now, now.Add(time.Minute)); len(left) != 0 {
			t.Errorf("the times of %d jobs are left", len(left))
		}
		f.total(t, job.Query{}, 0)
	})
}

func TestAJobThatIsWrittenAllTheTimeIsNotRemoved(t *testing.T) {
	t.Parallel()
	f := open(t, backend{"kumo", kumo.Config()})
	j := queued(now)
	f.takeIn(t, j)
	db := &fake{answers: slices.Repeat([]error{canceled("ConditionalCheckFailed", "None")}, 100), item: f.item(t, "JOB#"+string(j.ID), "JOB")}
	if err := fixed(db).Remove(t.Context(), j.ID); !errors.Is(err, fault.JobRaceLost) || db.writes != 5 {
		t.Errorf("Remove = %v after %d writes, want %v after 5", err, db.writes, fault.JobRaceLost)
	}
}

// Jobs are counted in the transactions that make and remove them: whatever is lost, repeated or refused, the number is
// that of the jobs.
func TestTheNumberOfJobsIsExact(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		f.total(t, job.Query{}, 0)
		j, twin := queued(now), queued(now)
		twin.Object = j.Object
		f.takeIn(t, j)
		if err := f.TakeIn(t.Context(), twin, job.NameClaim{}); !errors.Is(err, fault.JobRaceLost) {
			t.Fatal(err)
		}
		f.total(t, job.Query{}, 1)
		if err := f.Discover(t.Context(), found("d1", "a1")); err != nil {
			t.Fatal(err)
		}
		parent, child := retried(j, profile.Local)
		for _, want := range []error{nil, fault.JobRaceLost} {
			if err := f.Retry(t.Context(), parent, child, j.ID, ""); !errors.Is(err, want) {
				t.Fatalf("Retry = %v, want %v", err, want)
			}
		}
		if err := f.Retake(t.Context(), twin, child.ID, job.NameClaim{}); err != nil {
			t.Fatal(err)
		}
		f.total(t, job.Query{}, 4)
		for _, id := range []job.ID{j.ID, j.ID, twin.ID, job.NewID()} {
			if err := f.Remove(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		f.total(t, job.Query{}, 2)
	})
}

func TestTheNumberOfJobsIsExactAmongManyWriters(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		if b.name == "moto" {
			return // see overtaking
		}
		f := open(t, b)
		var mu sync.Mutex
		made := 0
		errs := concurrently(60, func(n int) error {
			j := queued(now)
			j.Object.Key = fmt.Sprint("contracts/", n/2) // each object by two
			err := f.TakeIn(t.Context(), j, job.NameClaim{})
			if errors.Is(err, fault.JobRaceLost) {
				return nil
			}
			mu.Lock()
			made++
			mu.Unlock()
			if err == nil && n%3 == 0 {
				err = f.Remove(t.Context(), j.ID)
				mu.Lock()
				made--
				mu.Unlock()
			}
			return err
		})
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		f.total(t, job.Query{}, int64(made))
	})
}
