package table_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

var (
	conflict  = &types.TransactionConflictException{Message: aws.String("conflict")}
	failed    = &types.ConditionalCheckFailedException{Message: aws.String("condition")}
	throttled = &types.ProvisionedThroughputExceededException{Message: aws.String("slow down")}
)

// writers are all that write.
var writers = map[string]func(context.Context, *table.Store) error{
	"Save":    func(ctx context.Context, s *table.Store) error { return s.Save(ctx, queued(now)) },
	"TakeIn":  func(ctx context.Context, s *table.Store) error { return s.TakeIn(ctx, queued(now), job.NameClaim{}) },
	"Reserve": func(ctx context.Context, s *table.Store) error { return s.Reserve(ctx, reservation(now), "") },
	"Lease": func(ctx context.Context, s *table.Store) error {
		_, err := s.Lease(ctx, "poll", "a", now, now)
		return err
	},
	"SavePass": func(ctx context.Context, s *table.Store) error { return s.SavePass(ctx, job.Pass{Name: "poll"}) },
	"ImportProfiles": func(ctx context.Context, s *table.Store) error {
		_, err := s.ImportProfiles(ctx, some(), now)
		return err
	},
	"Degrade": func(ctx context.Context, s *table.Store) error {
		return s.Profiles().Degrade(ctx, "contracts", profile.Degradation{})
	},
	"Restore": func(ctx context.Context, s *table.Store) error { return s.Profiles().Restore(ctx, "contracts") },
	"SaveDispatched": func(ctx context.Context, s *table.Store) error {
		return s.SaveDispatched(ctx, dispatched(queued(now), "d1"))
	},
	"Retry": func(ctx context.Context, s *table.Store) error { return s.Retry(ctx, queued(now), queued(now), "", "") },
	"Retake": func(ctx context.Context, s *table.Store) error {
		return s.Retake(ctx, queued(now), job.NewID(), job.NameClaim{Keep: true})
	},
	"Complete":    func(ctx context.Context, s *table.Store) error { return s.Save(ctx, completed(queued(now), now)) },
	"ReserveOnce": func(ctx context.Context, s *table.Store) error { return s.Reserve(ctx, reservation(now), "key") },
	"Allow": func(ctx context.Context, s *table.Store) error {
		_, err := s.Allow(ctx, "upload", "::1", 1, time.Minute, now)
		return err
	},
	"Discover": func(ctx context.Context, s *table.Store) error { return s.Discover(ctx, found("d1", "a1")) },
	"See":      func(ctx context.Context, s *table.Store) error { return s.See(ctx, "d1", now) },
	"Ring": func(ctx context.Context, s *table.Store) error {
		_, err := s.Ring(ctx, "d1", now)
		return err
	},
	"Unring":      func(ctx context.Context, s *table.Store) error { return s.Unring(ctx, "d1") },
	"Bell":        func(ctx context.Context, s *table.Store) error { return s.Bell(ctx, now) },
	"SaveProfile": func(ctx context.Context, s *table.Store) error { return s.SaveProfile(ctx, inFolder("p", "f1"), 0) },
	"Turn": func(ctx context.Context, s *table.Store) error {
		return s.Turn(ctx, job.Pipeline{Version: 1, Paused: true})
	},
	"Write": func(ctx context.Context, s *table.Store) error { return s.Write(ctx, job.Event{ID: "e", Time: now}) },
}

func TestAConflictIsTriedAgain(t *testing.T) {
	t.Parallel()
	for name, write := range writers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				db := &fake{answers: []error{conflict, canceled("None", "TransactionConflict"), canceled("ThrottlingError"), conflict}}
				if err := write(t.Context(), table.New(db, "jobs")); err != nil {
					t.Errorf("err = %v", err)
				}
				if db.writes != 5 {
					t.Errorf("%d writes, want 5", db.writes)
				}
				if n := len(db.tokens); n > 0 && n != 5 {
					t.Errorf("5 transactions had %d tokens: a canceled one is not to be repeated as the same request", n)
				}
			})
		})
	}
}

func TestAConflictIsNeverALostRace(t *testing.T) {
	t.Parallel()
	for name, write := range writers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				db := &fake{answers: slices.Repeat([]error{conflict}, 100)}
				began := time.Now()
				err := write(t.Context(), table.New(db, "jobs"))
				if !errors.Is(err, conflict) || fault.CodeOf(err) != fault.Internal {
					t.Errorf("err = %v with code %s, want the conflict and no code", err, fault.CodeOf(err))
				}
				if took := time.Since(began); db.writes != 10 || took > 4*time.Second {
					t.Errorf("%d writes took %s, want 10 in less than 4 s", db.writes, took)
				}
			})
		})
	}
}

func TestConflictsEndWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
		defer cancel()
		db := &fake{answers: slices.Repeat([]error{conflict}, 100)}
		err := table.New(db, "jobs").Save(ctx, queued(now))
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, conflict) || errors.Is(err, fault.JobRaceLost) {
			t.Errorf("err = %v, want the conflict and the deadline", err)
		}
	})
}

func TestWhatAnAnswerMeans(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer error
		code   fault.Code
	}{
		{"a condition failed", failed, fault.JobRaceLost},
		{"a condition failed in a transaction", canceled("None", "ConditionalCheckFailed"), fault.JobRaceLost},
		{"a condition failed beside a conflict", canceled("TransactionConflict", "ConditionalCheckFailed"), fault.JobRaceLost},
		{"throttled after all retries", throttled, fault.Internal},
		{"something is wrong with the request", canceled("ValidationError"), fault.Internal},
		{"the network broke", errCut, fault.Internal},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, name := range []string{"Save", "TakeIn", "Reserve", "Lease", "SavePass", "SaveDispatched", "Retry", "Retake", "Complete", "ReserveOnce", "Discover", "SaveProfile"} {
				db := &fake{answers: []error{tt.answer}}
				err := writers[name](t.Context(), table.New(db, "jobs"))
				if fault.CodeOf(err) != tt.code || !errors.Is(err, tt.answer) {
					t.Errorf("%s: err = %v with code %s, want code %s", name, err, fault.CodeOf(err), tt.code)
				}
				if db.writes != 1 {
					t.Errorf("%s: %d writes, want 1", name, db.writes)
				}
			}
		})
	}
}
