package table_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// completed is a job one version further that became Completed at a time.
func completed(j job.Job, at time.Time) job.Job {
	j.Version++
	j.Status, j.Since, j.UpdatedAt, j.Claim = job.Completed, at, at, job.Claim{}
	return j.Spent(job.StageQueue, 1500*time.Millisecond).Spent(job.StageSigning, 20*time.Millisecond).Spent(job.StageOutput, 0)
}

// complete takes a job in and completes it at a time.
func (f fixture) complete(t *testing.T, m profile.Method, at time.Time) job.Job {
	t.Helper()
	j := queued(at.Add(-time.Minute))
	j.Method = m
	f.takeIn(t, j)
	return f.step(t, completed(j, at), nil)
}

// timesOf collects the times of jobs between two moments.
func timesOf(t *testing.T, s *table.Store, from, to time.Time) (all []job.Timing) {
	t.Helper()
	for timing, err := range s.Timings(t.Context(), from, to) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, timing)
	}
	return all
}

func TestTheTimesOfCompletedJobs(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		var want []job.Timing
		methods := []profile.Method{profile.Local, profile.LacunaSigner, profile.SignerFolder}
		for n := range 9 {
			j := f.complete(t, methods[n%3], now.Add(time.Duration(n-8)*8*time.Hour))
			want = append(want, job.Timing{Job: j.ID, At: j.Since, Remote: n%3 != 0, Stages: map[job.Stage]time.Duration{
				job.StageQueue: 1500 * time.Millisecond, job.StageSigning: 20 * time.Millisecond, job.StageOutput: 0,
			}})
		}
		slices.Reverse(want)
		for _, tt := range []struct {
			name     string
			from, to time.Time
			want     []job.Timing
		}{
			{"all", now.AddDate(0, 0, -5), now.Add(time.Minute), want},
			{"the end is left out", want[8].At, now, want[1:]},
			{"a day's end", want[8].At, now.Truncate(24 * time.Hour), want[2:]},
			{"the beginning is included", want[4].At, want[1].At, want[2:5]},
			{"before all", now.AddDate(0, 0, -9), want[8].At, nil},
			{"from end to beginning", now, want[8].At, nil},
			{"all of time", time.Time{}, now.AddDate(1000, 0, 0), want},
		} {
			if diff := cmp.Diff(tt.want, timesOf(t, f.Store, tt.from, tt.to)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}
		if d := want[0].Total(); d != 1520*time.Millisecond {
			t.Errorf("Total = %s, want 1.52s", d)
		}
		row := plain(t, f.item(t, "TIMINGS#2026-07-15", "2026-07-15T12:00:00.000Z#"+string(want[0].Job)))
		if ttl, want := row["expiresAt"], float64(now.AddDate(0, 0, 90).Unix()); ttl != want {
			t.Errorf("TTL = %v, want %v", ttl, want)
		}
	})
}

func TestOnlyTheCompletingWriteIsATransaction(t *testing.T) {
	t.Parallel()
	j := queued(now)
	done := completed(j, now)
	noted := done.Note("Read.", now.Add(time.Second))
	failed := j
	failed.Status, failed.Since = job.Failed, now
	tests := []struct {
		name  string
		job   job.Job
		on    bool
		wants int
	}{
		{"completed", done, true, 1},
		{"completed, without statistics", done, false, 0},
		{"a note on a completed job", noted, true, 0},
		{"failed", failed, true, 0},
	}
	for _, tt := range tests {
		db := &fake{}
		if err := table.New(db, "jobs", table.Statistics(tt.on)).Save(t.Context(), tt.job); err != nil {
			t.Errorf("%s: Save = %v", tt.name, err)
		}
		if len(db.tokens) != tt.wants || db.writes != 1 {
			t.Errorf("%s: %d transactions of %d writes, want %d of 1", tt.name, len(db.tokens), db.writes, tt.wants)
		}
	}
}

// Times that are past their end may still be there, since TTL is late.
func TestTimesAreForgotten(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		f := open(t, b)
		f.complete(t, profile.Local, now.AddDate(0, 0, -90).Add(-time.Second))
		kept := f.complete(t, profile.Local, now.AddDate(0, 0, -90).Add(time.Second))
		if got := timesOf(t, f.Store, now.AddDate(-1, 0, 0), now); len(got) != 1 || got[0].Job != kept.ID {
			t.Errorf("Timings = %v, want those of job %s", got, kept.ID)
		}
	})
}
