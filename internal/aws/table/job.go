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
// fault.JobRaceLost if not. The write by which a job becomes Completed records its times as well, in one transaction.
// After any other error the write may have landed.
func (s *Store) Save(ctx context.Context, j job.Job) error {
	err := s.save(ctx, j)
	if lost(err) {
		return fault.Wrap(fault.JobRaceLost, err, "job %s is not at version %d", j.ID, j.Version-1)
	}
	if err != nil {
		return fmt.Errorf("save job %s: %w", j.ID, err)
	}
	return nil
}

// save makes a transaction, which costs twice as much, of the one write that needs it.
func (s *Store) save(ctx context.Context, j job.Job) error {
	if s.timed && completes(j) {
		t := s.begin()
		t.save(j)
		t.time(j)
		return t.commit(ctx)
	}
	i, err := encodeJob(j)
	if err != nil {
		return fmt.Errorf("encode it: %w", err)
	}
	return s.put(ctx, i, behind(j.Version))
}

// behind demands that what is stored is one version behind. What is gone has no version, so it must be there as well.
func behind(version int64) expression.ConditionBuilder {
	return expression.Name(versionAttr).Equal(expression.Value(version - 1))
}

// save writes a job if the stored one is one version behind.
func (t *transaction) save(j job.Job) {
	i, err := encodeJob(j)
	if err != nil {
		t.fault(fmt.Errorf("encode job %s: %w", j.ID, err))
	}
	t.put(i, behind(j.Version))
}

// create writes a new job if there is none with its id, and counts it.
func (t *transaction) create(j job.Job) {
	i, err := encodeJob(j)
	if err != nil {
		t.fault(fmt.Errorf("encode job %s: %w", j.ID, err))
	}
	t.put(i, absent())
	t.count(j.ID, 1)
}

// birth begins a transaction of a new job and the record of what it is about, for where neither is there.
func (s *Store) birth(j job.Job, at place) *transaction {
	p, err := encodePointer(at, j.ID)
	t := s.begin()
	t.fault(err)
	t.put(p, leadsTo("")) // absent, or of an object that was refused a job so far
	t.create(j)
	return t
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
