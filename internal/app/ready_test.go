package app_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/app"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
)

var noon = time.Date(2026, time.July, 15, 12, 0, 0, 0, time.UTC)

// waits is a queue that holds some messages.
type waits struct {
	n   int
	err error
}

func (w waits) Waiting(context.Context) (int, error) { return w.n, w.err }

// world is a table with one job that waits, and one profile.
type world struct {
	workflow.Pipeline
	queued time.Time
	paused bool
	err    error // of the index
	reason string
}

func (w world) Oldest(_ context.Context, s job.Status, _ string) iter.Seq2[job.Row, error] {
	return func(yield func(job.Row, error) bool) {
		if (w.err != nil || !w.queued.IsZero()) && s == job.Queued {
			_ = yield(job.Row{Since: w.queued}, w.err) && yield(job.Row{Since: noon}, nil)
		}
	}
}

func (w world) Paused(context.Context) (bool, error) { return w.paused, nil }
func (w world) State(context.Context) (job.Pipeline, error) {
	return job.Pipeline{Paused: w.paused, PausedAt: noon}, nil
}

// profiles has one that cannot sign, if there is a reason.
type profiles struct {
	workflow.Profiles
	reason string
}

func (p profiles) List(context.Context) ([]profile.Profile, error) {
	if p.reason == "" {
		return nil, nil
	}
	return []profile.Profile{{Name: "old", Method: profile.Local, Degraded: profile.Degradation{Code: "key.unavailable", Reason: p.reason, Since: noon}}}, nil
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	const secret = "swordfish-of-tests"
	none := errors.New("no answer")
	onTime, late := noon.Format(http.TimeFormat), noon.Add(-2*time.Minute).Format(http.TimeFormat)
	dead := func(work, checks waits) []app.Dead {
		return []app.Dead{app.NewDead("work", work), app.NewDead("checks", checks)}
	}
	table := job.Ready{Name: "database", Gates: true, OK: true, Detail: "The table answers."}
	paused := table
	paused.Detail = "The pipeline is paused since 2026-07-15T12:00:00Z."
	tests := []struct {
		name  string
		world world
		work  waits
		dead  []app.Dead
		date  string
		want  []job.Ready
	}{
		{"all is well", world{queued: noon.Add(-time.Minute - time.Millisecond)}, waits{n: 3}, dead(waits{}, waits{}), onTime, []job.Ready{
			table,
			{Name: "work-queue", OK: true, Detail: "The oldest job has been Queued for 1m0s; the age of a message is not to be had. The queue holds about 3 messages."},
			{Name: "dead-letters", OK: true, Detail: "About 0 messages of work could not be handled. About 0 messages of checks could not be handled."},
			{Name: "clock", OK: true, Detail: "The clock differs from that of AWS by at least 0s."},
		}},
		{"nothing waits", world{}, waits{}, nil, onTime, []job.Ready{
			table, {Name: "work-queue", OK: true, Detail: "No job is Queued. The queue holds about 0 messages."},
			{Name: "clock", OK: true, Detail: "The clock differs from that of AWS by at least 0s."},
		}},
		{"all is late", world{queued: noon.Add(-time.Hour)}, waits{n: 1}, dead(waits{n: 2}, waits{}), late, []job.Ready{
			table,
			{Name: "work-queue", Detail: "The oldest job has been Queued for 1h0m0s; the age of a message is not to be had. The queue holds about 1 messages."},
			{Name: "dead-letters", Detail: "About 2 messages of work could not be handled. About 0 messages of checks could not be handled."},
			{Name: "clock", Detail: "The clock differs from that of AWS by at least 1m59s."},
		}},
		{"nobody is to take jobs", world{queued: noon.Add(-2 * time.Hour), paused: true}, waits{n: 1}, nil, onTime, []job.Ready{
			paused,
			{Name: "work-queue", OK: true, Detail: "The oldest job has been Queued for 2h0m0s; the age of a message is not to be had. The queue holds about 1 messages."},
			{Name: "clock", OK: true, Detail: "The clock differs from that of AWS by at least 0s."},
		}},
		{"nothing answers", world{}, waits{err: none}, dead(waits{n: 1}, waits{err: none}), "", []job.Ready{
			table, {Name: "work-queue", Detail: "The work queue does not answer."},
			{Name: "dead-letters", Detail: "About 1 messages of work could not be handled. The dead letters of checks cannot be counted."},
			{Name: "clock", Detail: "No answer of AWS has told the time."},
		}},
		{"the index does not answer", world{err: none}, waits{}, nil, onTime, []job.Ready{
			table, {Name: "work-queue", Detail: "The oldest job that waits cannot be found."},
			{Name: "clock", OK: true, Detail: "The clock differs from that of AWS by at least 0s."},
		}},
		{"a reason that quotes", world{reason: "refused " + secret}, waits{}, nil, onTime, []job.Ready{
			table, {Name: "signing-profile:old", Detail: "Cannot sign since 2026-07-15T12:00:00Z: key.unavailable: refused ***"},
			{Name: "work-queue", OK: true, Detail: "No job is Queued. The queue holds about 0 messages."},
			{Name: "clock", OK: true, Detail: "The clock differs from that of AWS by at least 0s."},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			now := func() time.Time { return noon }
			clock := app.NewClock(dated{date: tt.date}, now)
			if _, err := clock.Do(nil); err != nil {
				t.Fatal(err)
			}
			p := workflow.Parts{Pipeline: tt.world, Index: tt.world, Profiles: profiles{reason: tt.world.reason}, Now: now}
			if diff := cmp.Diff(tt.want, app.Readiness(t.Context(), p, tt.work, tt.dead, clock, secret)); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}
