package table

import (
	"context"
	"fmt"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// Retry writes parent one version ahead of the stored one, makes child, and moves the record of what both are about from
// the job latest to the child, in one transaction: of two retries one makes a child. A latest of "" says that there was
// no record yet. The file's name moves along if the parent or latest has it. The child is the answer to key, unless that
// is "". It returns fault.JobRaceLost if the parent or a record moved, the child is there, or the key has an answer.
func (s *Store) Retry(ctx context.Context, parent, child job.Job, latest job.ID, key job.IdempotencyKey) error {
	t := s.begin()
	t.save(parent)
	t.create(child)
	t.lead(about(child), latest, child.ID)
	if err := t.rename(ctx, child, parent.ID, latest); err != nil {
		return err
	}
	t.answer(key, child.ID)
	err := t.commit(ctx)
	if lost(err) {
		return fault.Wrap(fault.JobRaceLost, err, "job %s, or what it is about, has moved since it was read", parent.ID)
	}
	if err != nil {
		return fmt.Errorf("retry job %s by job %s: %w", parent.ID, child.ID, err)
	}
	return nil
}

// about is where the latest job of what a job is about stands.
func about(j job.Job) place {
	if j.Method == profile.SignerFolder {
		return discoveryPlace(j.Remote.DocumentID, j.Remote.ActionID)
	}
	return arrivalPlace(j.Object)
}
