package table

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// arrivalRecord says that an object version has had a job.
type arrivalRecord struct {
	PK  string `dynamodbav:"pk"`
	SK  string `dynamodbav:"sk"`
	Job string `dynamodbav:"job"`
}

func arrivalKey(o job.Object) (pk, sk string) {
	return "OBJECT#" + o.Bucket + "/" + o.Key, "V#" + o.VersionID
}

// TakeIn writes a new job and the record of its object version, both or neither. It returns fault.JobRaceLost if the
// version has had a job or there is a job with this id. After any other error the write may have landed.
func (s *Store) TakeIn(ctx context.Context, j job.Job) error {
	pk, sk := arrivalKey(j.Object)
	arrival, err := attributevalue.MarshalMap(arrivalRecord{PK: pk, SK: sk, Job: string(j.ID)})
	if err != nil {
		return fmt.Errorf("encode the arrival of job %s: %w", j.ID, err)
	}
	i, err := encodeJob(j)
	if err != nil {
		return fmt.Errorf("encode job %s: %w", j.ID, err)
	}
	err = s.transact(ctx, []item{arrival, i}, nil)
	if lost(err) {
		return fault.Wrap(fault.JobRaceLost, err, "the object version of job %s, or the job itself, was taken in before", j.ID)
	}
	if err != nil {
		return fmt.Errorf("take in job %s: %w", j.ID, err)
	}
	return nil
}

// Repeat notes that an object version is one that a job has had before. One that is noted already is no error.
func (s *Store) Repeat(ctx context.Context, o job.Object, id job.ID) error {
	pk, sk := arrivalKey(o)
	i, err := attributevalue.MarshalMap(arrivalRecord{PK: pk, SK: sk, Job: string(id)})
	if err != nil {
		return fmt.Errorf("encode the arrival of job %s: %w", id, err)
	}
	if err := s.put(ctx, i, expression.Name(schema.PK).AttributeNotExists()); err != nil && !lost(err) {
		return fmt.Errorf("note a version of job %s: %w", id, err)
	}
	return nil
}

// TakenIn returns the latest job of an object version, or "" if it has none.
func (s *Store) TakenIn(ctx context.Context, o job.Object) (job.ID, error) {
	pk, sk := arrivalKey(o)
	i, err := s.get(ctx, pk, sk)
	if err != nil {
		return "", fmt.Errorf("read the arrival of version %s: %w", o.VersionID, err)
	}
	var r arrivalRecord
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return "", fmt.Errorf("decode the arrival of version %s: %w", o.VersionID, err)
	}
	return job.ID(r.Job), nil
}
