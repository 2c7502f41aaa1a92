package table_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// An item that this release cannot read is an error, and never a job, a profile or a pass with half of its fields.
func TestAnItemThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	f := open(t, backend{"kumo", kumo.Config()})
	id := job.NewID()
	object := job.Object{Bucket: "b", Key: "k", VersionID: "v"}
	number := &types.AttributeValueMemberN{Value: "1"}
	list := &types.AttributeValueMemberL{Value: []types.AttributeValue{number}}
	tests := []struct {
		name   string
		pk, sk string
		with   map[string]types.AttributeValue
		read   func(context.Context, *table.Store) error
	}{
		{"a job's version", "JOB#" + string(id), "JOB", map[string]types.AttributeValue{"version": text("seven")}, get(id)},
		{"a job's time", "JOB#" + string(id), "JOB", map[string]types.AttributeValue{"since": text("2026-07-15T12:00:00Z")}, get(id)},
		{"a job's history", "JOB#" + string(id), "JOB", map[string]types.AttributeValue{"history": list}, get(id)},
		{"an arrival's job", "OBJECT#b/k", "V#v", map[string]types.AttributeValue{"job": list}, func(ctx context.Context, s *table.Store) error {
			_, err := s.TakenIn(ctx, object)
			return err
		}},
		{"a reservation's end", "UPLOAD#k", "RESERVATION", map[string]types.AttributeValue{"ends": text("soon")}, reserved},
		{"a reservation's job", "UPLOAD#k", "RESERVATION", map[string]types.AttributeValue{"job": list}, reserved},
		{"the switch", "PIPELINE", "STATE", map[string]types.AttributeValue{"paused": text("yes")}, func(ctx context.Context, s *table.Store) error {
			_, err := s.Paused(ctx)
			return err
		}},
		{"the switch's time", "PIPELINE", "STATE", map[string]types.AttributeValue{"pausedAt": text("then")}, func(ctx context.Context, s *table.Store) error {
			_, err := s.Paused(ctx)
			return err
		}},
		{"a document's job", "DOCUMENT#d", "JOB", map[string]types.AttributeValue{"job": list}, func(ctx context.Context, s *table.Store) error {
			_, err := s.DispatchedJob(ctx, "d")
			return err
		}},
		{"one document's job of many", "DOCUMENT#d", "JOB", map[string]types.AttributeValue{"job": list}, func(ctx context.Context, s *table.Store) error {
			_, err := s.DispatchedJobs(ctx, []string{"d"})
			return err
		}},
		{"an action's job", "DOCUMENT#d", "ACTION#a", map[string]types.AttributeValue{"job": list}, func(ctx context.Context, s *table.Store) error {
			_, err := s.Discovered(ctx, "d", "a")
			return err
		}},
		{"what was seen", "DOCUMENT#d", "SEEN", map[string]types.AttributeValue{"changed": text("then")}, seen},
		{"when that is forgotten", "DOCUMENT#d", "SEEN", map[string]types.AttributeValue{"expiresAt": text("then")}, seen},
		{"a check", "DOCUMENT#d", "CHECK", map[string]types.AttributeValue{"id": list}, func(ctx context.Context, s *table.Store) error {
			_, err := s.Ring(ctx, "d", now)
			return err
		}},
		{"the last bell", "BELL", "STATE", map[string]types.AttributeValue{"rang": text("then")}, func(ctx context.Context, s *table.Store) error {
			_, err := s.LastBell(ctx)
			return err
		}},
		{"a binding", "FOLDER#f", "PROFILE", map[string]types.AttributeValue{"profile": list}, func(ctx context.Context, s *table.Store) error {
			_, err := s.Bound(ctx, []string{"f"})
			return err
		}},
		{"an event", "EVENTS#2026-07-15", "2026-07-15T11#e", nil, func(ctx context.Context, s *table.Store) error {
			_, err := s.Events(ctx, job.EventQuery{Size: 1})
			return err
		}},
		{"the holder of a name", "NAME#f/n", "JOB", map[string]types.AttributeValue{"job": list}, func(ctx context.Context, s *table.Store) error {
			_, err := s.NameHolder(ctx, "f", "n")
			return err
		}},
		{"an answer's end", "IDEMPOTENCY#k", "ANSWER", map[string]types.AttributeValue{"ends": text("soon")}, answered},
		{"an answer's job", "IDEMPOTENCY#k", "ANSWER", map[string]types.AttributeValue{"job": list}, answered},
		{"the key of times", "TIMINGS#2026-07-15", "2026-07-15T11#j", nil, timings},
		{"times", "TIMINGS#2026-07-15", "2026-07-15T11:00:00.000Z#" + string(id), map[string]types.AttributeValue{"stages": text("long")}, timings},
		{"the number of jobs", "COUNTER#jobs_stored#0", "{}", map[string]types.AttributeValue{"total": text("many")}, func(ctx context.Context, s *table.Store) error {
			_, _, err := s.Total(ctx, job.Query{})
			return err
		}},
		{"a pass without a lease", "PASS#poll", "STATE", map[string]types.AttributeValue{"nextAt": text("soon")}, func(ctx context.Context, s *table.Store) error {
			_, err := s.Pass(ctx, "poll")
			return err
		}},
		{"a pass's next time", "PASS#poll", "STATE", map[string]types.AttributeValue{"nextAt": text("soon")}, lease},
		{"a pass's state", "PASS#poll", "STATE", map[string]types.AttributeValue{"state": list}, lease},
		{"a profile's settings", "PROFILES", "p", map[string]types.AttributeValue{"settings": text("{")}, profiles},
		{"a profile's version", "PROFILES", "p", map[string]types.AttributeValue{"settings": text("{}"), "version": text("x")}, profiles},
		{"the seed's time", "PROFILES", "#SEED", map[string]types.AttributeValue{"since": text("then")}, func(ctx context.Context, s *table.Store) error {
			_, err := s.Seeded(ctx)
			return err
		}},
		{"the seed", "PROFILES", "#SEED", map[string]types.AttributeValue{"since": list}, func(ctx context.Context, s *table.Store) error {
			_, err := s.ImportProfiles(ctx, nil, now)
			return err
		}},
	}
	for _, tt := range tests {
		item := map[string]types.AttributeValue{"pk": text(tt.pk), "sk": text(tt.sk)}
		maps.Copy(item, tt.with)
		f.put(t, item)
		if err := tt.read(t.Context(), f.Store); err == nil || fault.CodeOf(err) != fault.Internal {
			t.Errorf("%s: err = %v, want one without a code", tt.name, err)
		}
	}
}

func get(id job.ID) func(context.Context, *table.Store) error {
	return func(ctx context.Context, s *table.Store) error {
		_, err := s.Get(ctx, id)
		return err
	}
}

func reserved(ctx context.Context, s *table.Store) error {
	_, err := s.Reservation(ctx, "k")
	return err
}

func answered(ctx context.Context, s *table.Store) error {
	_, err := s.Answered(ctx, "k")
	return err
}

func timings(ctx context.Context, s *table.Store) (err error) {
	for _, err = range s.Timings(ctx, now.Add(-time.Hour-time.Minute), now) {
	}
	return err
}

func seen(ctx context.Context, s *table.Store) error {
	_, err := s.Seen(ctx, []string{"d"})
	return err
}

func lease(ctx context.Context, s *table.Store) error {
	_, err := s.Lease(ctx, "poll", "a", now, now.Add(time.Minute))
	return err
}

func profiles(ctx context.Context, s *table.Store) error {
	_, err := s.Profiles().Get(ctx, "p")
	return err
}
