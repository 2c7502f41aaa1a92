package table

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"bulksigner/internal/job"
)

// jobAttr is where a pointer leads.
const jobAttr = "job"

// pointer leads from something that jobs are about to the latest of its jobs.
type pointer struct {
	PK  string `dynamodbav:"pk"`
	SK  string `dynamodbav:"sk"`
	Job string `dynamodbav:"job"`
}

// encodePointer makes the item that leads to a job.
func encodePointer(at place, id job.ID) (item, error) {
	i, err := attributevalue.MarshalMap(pointer{PK: at.pk, SK: at.sk, Job: string(id)})
	if err != nil {
		return nil, fmt.Errorf("encode the record of job %s: %w", id, err)
	}
	return i, nil
}

// lead makes a pointer lead to a job, if it leads to the job from, or to none where that is "". What else a newer release
// put there stays.
func (t *transaction) lead(at place, from, to job.ID) {
	t.set(at.pk, at.sk, expression.Set(expression.Name(jobAttr), expression.Value(string(to))), leadsTo(from))
}

// follow returns the job that a pointer leads to, or "" if there is no such pointer.
func (s *Store) follow(ctx context.Context, at place) (job.ID, error) {
	i, err := s.get(ctx, at.pk, at.sk)
	if err != nil {
		return "", err
	}
	p, err := decodePointer(i)
	return job.ID(p.Job), err
}

func decodePointer(i item) (p pointer, _ error) {
	if err := attributevalue.UnmarshalMap(i, &p); err != nil {
		return pointer{}, fmt.Errorf("decode it: %w", err)
	}
	return p, nil
}

// leadsTo demands that a pointer leads to a job, or that there is no pointer where the job is "".
func leadsTo(id job.ID) expression.ConditionBuilder {
	if id == "" {
		return expression.Name(jobAttr).AttributeNotExists()
	}
	return expression.Name(jobAttr).Equal(expression.Value(string(id)))
}
