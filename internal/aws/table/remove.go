package table

import (
	"context"
	"errors"
	"fmt"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// removals is how often a job that is being written is read again to be deleted.
const removals = 5

// Remove deletes a job, whatever its status, and its times. A job that is gone is no error. What the job was about stays
// known: its object version, its document and its file's name. It returns fault.JobRaceLost if the job is written all the
// time.
func (s *Store) Remove(ctx context.Context, id job.ID) (err error) {
	for range removals {
		j, gerr := s.Get(ctx, id)
		if errors.Is(gerr, fault.JobNotFound) {
			return nil
		}
		if gerr != nil {
			return gerr
		}
		if err = s.removeJob(ctx, j); !lost(err) {
			break
		}
	}
	if lost(err) {
		return fault.Wrap(fault.JobRaceLost, err, "job %s is being written", id)
	}
	if err != nil {
		return fmt.Errorf("delete job %s: %w", id, err)
	}
	return nil
}

// removeJob deletes a job at the version that was read: one that completed since has times that go with it.
func (s *Store) removeJob(ctx context.Context, j job.Job) error {
	t := s.begin()
	t.remove(jobPrefix+string(j.ID), jobSK, atVersion(j.Version))
	t.count(j.ID, -1)
	if j.Status == job.Completed {
		at := timingPlace(j.Since, j.ID)
		t.remove(at.pk, at.sk, always)
	}
	return t.commit(ctx)
}
