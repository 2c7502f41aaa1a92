package table_test

import (
	"errors"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// kinds are what jobs are about: a file, and what waits at Lacuna Signer.
var kinds = []struct {
	name   string
	method profile.Method
	make   func() job.Job
	store  func(testing.TB, fixture, job.Job)
	pk, sk func(job.Job) string
}{
	{"a file", profile.Local, func() job.Job { return queued(now) },
		func(t testing.TB, f fixture, j job.Job) { f.takeIn(t, j) },
		func(j job.Job) string { return "OBJECT#input/" + j.Object.Key }, func(job.Job) string { return "V#v1" }},
	{"a document", profile.SignerFolder, func() job.Job { return found("d1", "a1") },
		func(t testing.TB, f fixture, j job.Job) {
			if err := f.Discover(t.Context(), j); err != nil {
				t.Fatal(err)
			}
		},
		func(job.Job) string { return "DOCUMENT#d1" }, func(job.Job) string { return "ACTION#a1" }},
}

// retried is a parent with the entry of its retry, and the child.
func retried(parent job.Job, m profile.Method) (_, child job.Job) {
	child = parent.Again(m, now.Add(time.Minute))
	return parent.Retried(child.ID, now.Add(time.Minute)), child
}

func TestARetryMovesTheRecord(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		for _, k := range kinds {
			f := open(t, b)
			j := k.make()
			k.store(t, f, j)
			record := f.item(t, k.pk(j), k.sk(j))
			record["newer"] = text("kept")
			f.put(t, record)
			parent, child := retried(j, k.method)
			if err := f.Retry(t.Context(), parent, child, j.ID, ""); err != nil {
				t.Fatalf("%s: Retry = %v", k.name, err)
			}
			for _, want := range []job.Job{parent, child} {
				if got, err := f.Get(t.Context(), want.ID); err != nil || got.Version != want.Version || got.Last().ID != want.Last().ID {
					t.Errorf("%s: Get = version %d, %v, want %d", k.name, got.Version, err, want.Version)
				}
			}
			if got := plain(t, f.item(t, k.pk(j), k.sk(j))); got["job"] != string(child.ID) || got["newer"] != "kept" {
				t.Errorf("%s: the record is %v, want job %s and what was there", k.name, got, child.ID)
			}
			// The child has its own retry, of a parent that is not the latest job.
			second, grandchild := retried(parent, k.method)
			if err := f.Retry(t.Context(), second, grandchild, child.ID, ""); err != nil {
				t.Errorf("%s: the second Retry = %v", k.name, err)
			}
		}
	})
}

func TestARetryThatComesTooLateMakesNothing(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		for _, k := range kinds {
			f := open(t, b)
			j := k.make()
			k.store(t, f, j)
			parent, child := retried(j, k.method)
			stale := parent
			stale.Version = 7
			there := queued(now)
			f.takeIn(t, there)
			known := child
			known.ID = there.ID
			tries := []struct {
				name          string
				parent, child job.Job
				latest        job.ID
			}{
				{"the parent moved", stale, child, j.ID},
				{"the record moved", parent, child, job.NewID()},
				{"the record came to be", parent, child, ""},
				{"the child is there", parent, known, j.ID},
			}
			for _, try := range tries {
				if err := f.Retry(t.Context(), try.parent, try.child, try.latest, ""); !errors.Is(err, fault.JobRaceLost) {
					t.Errorf("%s, %s: Retry = %v, want %v", k.name, try.name, err, fault.JobRaceLost)
				}
			}
			if _, err := f.Get(t.Context(), child.ID); !errors.Is(err, fault.JobNotFound) {
				t.Errorf("%s: the child = %v, want %v", k.name, err, fault.JobNotFound)
			}
			if got, err := f.Get(t.Context(), j.ID); err != nil || got.Version != 1 {
				t.Errorf("%s: the parent is at version %d, %v, want 1", k.name, got.Version, err)
			}
			if got := plain(t, f.item(t, k.pk(j), k.sk(j)))["job"]; got != string(j.ID) {
				t.Errorf("%s: the record has job %v, want %s", k.name, got, j.ID)
			}
		}
	})
}

// What a job is about may have no record, since somebody took it away.
func TestARetryMakesARecordThatIsMissing(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := queued(now)
		f.takeIn(t, j)
		parent, child := retried(j, profile.Local)
		child.Object.VersionID = "v2"
		if err := f.Retry(t.Context(), parent, child, "", ""); err != nil {
			t.Fatal(err)
		}
		if id, err := f.TakenIn(t.Context(), child.Object); id != child.ID || err != nil {
			t.Errorf("TakenIn = %q, %v, want %q", id, err, child.ID)
		}
	})
}

func TestOfManyRetriesOneMakesAChild(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		if b.name == "moto" {
			return // see overtaking
		}
		for _, k := range kinds {
			f := open(t, b)
			j := k.make()
			k.store(t, f, j)
			children := make([]job.ID, 20)
			errs := concurrently(len(children), func(n int) error {
				parent, child := retried(j, k.method)
				children[n] = child.ID
				return f.Retry(t.Context(), parent, child, j.ID, "")
			})
			oneWins(t, errs)
			for n, id := range children {
				if _, err := f.Get(t.Context(), id); (err == nil) != (errs[n] == nil) {
					t.Errorf("%s: child %d: Retry = %v, Get = %v", k.name, n, errs[n], err)
				}
			}
		}
	})
}

// A file stays a file when its profile sends it to a person now.
func TestARetryByAnotherMethod(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		j := queued(now)
		f.takeIn(t, j)
		parent, child := retried(j, profile.LacunaSigner)
		if err := f.Retry(t.Context(), parent, child, j.ID, ""); err != nil {
			t.Fatal(err)
		}
		if id, err := f.TakenIn(t.Context(), j.Object); id != child.ID || err != nil {
			t.Errorf("TakenIn = %q, %v, want %q", id, err, child.ID)
		}
	})
}
