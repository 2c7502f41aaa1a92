package table_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// created collects at most n rows of jobs that were made before a moment.
func created(t *testing.T, s *table.Store, before time.Time, after string, n int) (rows []job.Row) {
	t.Helper()
	for r, err := range s.CreatedBefore(t.Context(), before, after) {
		if err != nil {
			t.Fatal(err)
		}
		if rows = append(rows, r); len(rows) == n {
			break
		}
	}
	return rows
}

func TestAllJobsThatWereCreatedBefore(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		if ok, err := f.ImportProfiles(t.Context(), nil, now.AddDate(0, 0, -4)); !ok || err != nil {
			t.Fatal(err)
		}
		var jobs []job.Job
		for n := range 30 {
			j := queued(now.Add(time.Duration(n/2-14) * 6 * time.Hour)) // two of each moment
			f.takeIn(t, j)
			if n%3 == 0 {
				f.step(t, completed(j, now.Add(time.Duration(n)*time.Second)), nil) // whatever its status
			}
			jobs = append(jobs, j)
		}
		slices.SortFunc(jobs, byAge)
		var want []job.Row
		for _, j := range jobs {
			want = append(want, job.Row{ID: j.ID, Since: j.CreatedAt, Position: j.CreatedAt.Format("2006-01-02T15:04:05.000Z") + "#" + string(j.ID)})
		}
		for _, tt := range []struct {
			name   string
			before time.Time
			after  string
			n      int
			want   []job.Row
		}{
			{"all", now.Add(time.Hour), "", -1, want},
			{"all of time", now.AddDate(1000, 0, 0), "", -1, want},
			{"before the last", now, "", -1, want[:28]},
			{"before a midnight", now.Truncate(24 * time.Hour), "", -1, want[:24]},
			{"the first", now, "", 5, want[:5]},
			{"after a position", now, want[4].Position, -1, want[5:28]},
			{"after the last", now, want[27].Position, -1, nil},
			{"after what comes later", now.Add(-time.Hour), want[29].Position, -1, nil},
			{"before all", now.AddDate(0, 0, -9), "", -1, nil},
		} {
			if diff := cmp.Diff(tt.want, created(t, f.Store, tt.before, tt.after, tt.n)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}
	})
}

// A clear removes as it goes, in as many runs as it needs.
func TestAClearThatIsCarriedOn(t *testing.T) {
	t.Parallel()
	f := open(t, backend{"kumo", kumo.Config()})
	if ok, err := f.ImportProfiles(t.Context(), nil, now.AddDate(0, 0, -2)); !ok || err != nil {
		t.Fatal(err)
	}
	for n := range 40 {
		f.complete(t, profile.Local, now.Add(-time.Duration(n)*time.Hour))
	}
	stays := f.complete(t, profile.Local, now.Add(2*time.Minute))
	for after, runs := "", 0; ; runs++ {
		rows := created(t, f.Store, now, after, 7)
		if len(rows) == 0 {
			if runs != 6 {
				t.Errorf("the clear took %d runs, want 6", runs)
			}
			break
		}
		for _, r := range rows {
			if err := f.Remove(t.Context(), r.ID); err != nil {
				t.Fatal(err)
			}
			after = r.Position
		}
	}
	if got, _ := pages(t, f.Store, job.Query{Size: 10}); !slices.Equal(got, []job.ID{stays.ID}) {
		t.Errorf("left are %v, want %v", got, stays.ID)
	}
	f.total(t, job.Query{}, 1)
	if got := timesOf(t, f.Store, now.AddDate(0, 0, -3), now.Add(time.Hour)); len(got) != 1 {
		t.Errorf("the times of %d jobs are left, want 1", len(got))
	}
}

func TestAPositionThatNoRowHas(t *testing.T) {
	t.Parallel()
	db := &fake{}
	for _, err := range fixed(db).CreatedBefore(t.Context(), now, "yesterday") {
		if err == nil {
			t.Error("a row came")
		}
		if len(db.queries) > 0 {
			t.Errorf("%d queries were made", len(db.queries))
		}
		return
	}
	t.Error("no error came")
}

func TestAnErrorEndsTheRows(t *testing.T) {
	t.Parallel()
	db := &fake{query: broke}
	var errs []error
	for _, err := range fixed(db).CreatedBefore(t.Context(), now, "") {
		errs = append(errs, err)
	}
	for _, err := range fixed(db).Timings(t.Context(), now.Add(-time.Hour), now) {
		errs = append(errs, err)
	}
	_, err := fixed(db).Busy(t.Context(), "p")
	_, lerr := fixed(db).List(t.Context(), job.Query{Size: 1})
	_, _, terr := fixed(db).Total(t.Context(), job.Query{Profile: "p"})
	_, eerr := fixed(db).Events(t.Context(), job.EventQuery{Size: 1})
	if errs = append(errs, err, lerr, terr, eerr); len(errs) != 6 {
		t.Errorf("%d errors, want one of each: %v", len(errs), errs)
	}
	for _, err := range errs {
		if !errors.Is(err, errCut) {
			t.Errorf("err = %v, want %v", err, errCut)
		}
	}
}
