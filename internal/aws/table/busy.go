package table

import (
	"context"
	"fmt"

	"bulksigner/internal/job"
)

// atWork are the statuses of jobs that have not ended, in the order of their steps: a job that goes on meanwhile is met
// later.
var atWork = []job.Status{job.Queued, job.Processing, job.AwaitingSigner, job.Verifying}

// Busy reports whether a job of a profile has not ended. It reads the jobs at work, a hundred at a time, until it finds
// one; an index is a hint, so that a job which has only just begun can be missed.
func (s *Store) Busy(ctx context.Context, profile string) (bool, error) {
	for _, st := range atWork {
		busy, err := s.busyWith(ctx, profile, st)
		if busy || err != nil {
			return busy, err
		}
	}
	return false, nil
}

func (s *Store) busyWith(ctx context.Context, profile string, st job.Status) (bool, error) {
	var ids []job.ID
	for r, err := range s.Oldest(ctx, st, "") {
		if err != nil {
			return false, err
		}
		if ids = append(ids, r.ID); len(ids) < batch {
			continue
		}
		if busy, err := s.anyOf(ctx, profile, ids); busy || err != nil {
			return busy, err
		}
		ids = ids[:0]
	}
	return s.anyOf(ctx, profile, ids)
}

// anyOf reports whether one of some jobs is of a profile and has not ended.
func (s *Store) anyOf(ctx context.Context, profile string, ids []job.ID) (bool, error) {
	found, err := s.jobs(ctx, ids)
	if err != nil {
		return false, fmt.Errorf("look for a job of profile %s: %w", profile, err)
	}
	for _, j := range found {
		if j.Profile == profile && !j.Status.Final() {
			return true, nil
		}
	}
	return false, nil
}
