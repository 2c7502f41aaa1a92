package table

import (
	"context"
	"fmt"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// arrivalPlace is where it stands that an object version has had a job.
func arrivalPlace(o job.Object) place {
	return place{"OBJECT#" + o.Bucket + "/" + o.Key, "V#" + o.VersionID}
}

// TakeIn writes a new job and the record of its object version, both or neither, and moves the record of its name with
// them as n says. It returns fault.JobRaceLost if the version has had a job, there is a job with this id, or the name is
// another's by now. After any other error the write may have landed.
func (s *Store) TakeIn(ctx context.Context, j job.Job, n job.NameClaim) error {
	t := s.birth(j, arrivalPlace(j.Object))
	t.name(j, n)
	err := t.commit(ctx)
	if lost(err) {
		return fault.Wrap(fault.JobRaceLost, err, "the object version of job %s, its name, or the job itself, was taken in before", j.ID)
	}
	if err != nil {
		return fmt.Errorf("take in job %s: %w", j.ID, err)
	}
	return nil
}

// Retake is TakeIn for an object version whose last job, latest, has ended or is gone: the version's record moves from it
// to the new job. It returns fault.JobRaceLost if the record leads elsewhere by now.
func (s *Store) Retake(ctx context.Context, child job.Job, latest job.ID, n job.NameClaim) error {
	t := s.begin()
	t.create(child)
	t.lead(arrivalPlace(child.Object), latest, child.ID)
	t.name(child, n)
	err := t.commit(ctx)
	if lost(err) {
		return fault.Wrap(fault.JobRaceLost, err, "the object version of job %s, or its name, has moved since it was read", child.ID)
	}
	if err != nil {
		return fmt.Errorf("take in job %s after job %s: %w", child.ID, latest, err)
	}
	return nil
}

// Repeat notes that an object version is one that a job has had before. One that is noted already is no error.
func (s *Store) Repeat(ctx context.Context, o job.Object, id job.ID) error {
	i, err := encodePointer(arrivalPlace(o), id)
	if err != nil {
		return err
	}
	if err := s.put(ctx, i, leadsTo("")); err != nil && !lost(err) {
		return fmt.Errorf("note a version of job %s: %w", id, err)
	}
	return nil
}

// TakenIn returns the latest job of an object version, or "" if it has none.
func (s *Store) TakenIn(ctx context.Context, o job.Object) (job.ID, error) {
	id, err := s.follow(ctx, arrivalPlace(o))
	if err != nil {
		return "", fmt.Errorf("read the arrival of version %s: %w", o.VersionID, err)
	}
	return id, nil
}
