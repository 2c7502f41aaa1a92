package table

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// Get reads a job consistently. It returns fault.JobNotFound if there is none.
func (s *Store) Get(ctx context.Context, id job.ID) (job.Job, error) {
	i, err := s.get(ctx, jobPrefix+string(id), jobSK)
	if err != nil {
		return job.Job{}, fmt.Errorf("read job %s: %w", id, err)
	}
	if len(i) == 0 {
		return job.Job{}, fault.New(fault.JobNotFound, "there is no job %s", id)
	}
	j, err := decodeJob(i)
	if err != nil {
		return job.Job{}, fmt.Errorf("decode job %s: %w", id, err)
	}
	return j, nil
}

// Save writes a job if the stored one is still the one that it came from, one version behind, and returns
// fault.JobRaceLost if not. After any other error the write may have landed.
func (s *Store) Save(ctx context.Context, j job.Job) error {
	i, err := encodeJob(j)
	if err != nil {
		return fmt.Errorf("encode job %s: %w", j.ID, err)
	}
	err = s.put(ctx, i, behind(j.Version))
	if lost(err) {
		return fault.Wrap(fault.JobRaceLost, err, "job %s is not at version %d", j.ID, j.Version-1)
	}
	if err != nil {
		return fmt.Errorf("save job %s: %w", j.ID, err)
	}
	return nil
}

// behind demands that what is stored is one version behind. What is gone has no version, so it must be there as well.
func behind(version int64) expression.ConditionBuilder {
	return expression.Name(versionAttr).Equal(expression.Value(version - 1))
}

// birth writes a new job and the record of what it is about, if neither is there.
func (s *Store) birth(ctx context.Context, j job.Job, at place) error {
	i, err := encodeJob(j)
	if err != nil {
		return fmt.Errorf("encode job %s: %w", j.ID, err)
	}
	p, err := encodePointer(at, j.ID)
	if err != nil {
		return err
	}
	t := s.begin()
	t.put(p, leadsTo("")) // absent, or of an object that was refused a job so far
	t.put(i, absent())
	return t.commit(ctx)
}

// jobs reads jobs consistently, by their ids. Those that are gone are left out.
func (s *Store) jobs(ctx context.Context, ids []job.ID) (map[job.ID]job.Job, error) {
	places := make([]place, len(ids))
	for n, id := range ids {
		places[n] = place{jobPrefix + string(id), jobSK}
	}
	rows, err := s.items(ctx, places, true)
	if err != nil {
		return nil, fmt.Errorf("read %d jobs: %w", len(ids), err)
	}
	found := make(map[job.ID]job.Job, len(rows))
	for _, i := range rows {
		j, err := decodeJob(i)
		if err != nil {
			return nil, fmt.Errorf("decode a job: %w", err)
		}
		found[j.ID] = j
	}
	return found, nil
}
