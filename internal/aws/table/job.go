package table

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

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
	// A job that is gone has no version, so this demands that it is there as well.
	err = s.put(ctx, i, expression.Name(versionAttr).Equal(expression.Value(j.Version-1)))
	if lost(err) {
		return fault.Wrap(fault.JobRaceLost, err, "job %s is not at version %d", j.ID, j.Version-1)
	}
	if err != nil {
		return fmt.Errorf("save job %s: %w", j.ID, err)
	}
	return nil
}

// batch is the most items that one BatchGetItem takes.
const batch = 100

// jobs reads up to 100 jobs consistently, by their ids. Those that are gone are left out.
func (s *Store) jobs(ctx context.Context, ids []job.ID) (map[job.ID]job.Job, error) {
	found := make(map[job.ID]job.Job, len(ids))
	wanted := types.KeysAndAttributes{ConsistentRead: aws.Bool(true)}
	asked := map[job.ID]bool{} // a key that comes twice is refused
	for _, id := range ids {
		if !asked[id] {
			asked[id] = true
			wanted.Keys = append(wanted.Keys, key(jobPrefix+string(id), jobSK))
		}
	}
	for n := 0; len(wanted.Keys) > 0; n++ {
		if n == tries {
			return nil, fmt.Errorf("%d of %d jobs remain unread after %d calls", len(wanted.Keys), len(ids), tries)
		}
		if n > 0 {
			if err := pause(ctx, n); err != nil {
				return nil, fmt.Errorf("wait to read the other jobs: %w", err)
			}
		}
		rest, err := s.some(ctx, wanted, found)
		if err != nil {
			return nil, fmt.Errorf("read %d jobs: %w", len(ids), err)
		}
		wanted.Keys = rest
	}
	return found, nil
}

// some reads as many of the wanted jobs as the table gives at once and returns the keys of the rest.
func (s *Store) some(ctx context.Context, wanted types.KeysAndAttributes, found map[job.ID]job.Job) ([]item, error) {
	out, err := s.db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{s.table: wanted}})
	if err != nil {
		return nil, err
	}
	for _, i := range out.Responses[s.table] {
		j, err := decodeJob(i)
		if err != nil {
			return nil, fmt.Errorf("decode a job: %w", err)
		}
		found[j.ID] = j
	}
	return out.UnprocessedKeys[s.table].Keys, nil
}
