package app

import (
	"context"
	"errors"
	"fmt"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
)

// keyed has a retry become the answer to a request's key, in the retry's own transaction.
type keyed struct {
	*table.Store
	key job.IdempotencyKey
}

// Retry implements workflow.Jobs.
func (k keyed) Retry(ctx context.Context, parent, child job.Job, latest job.ID, _ job.IdempotencyKey) error {
	return k.Store.Retry(ctx, parent, child, latest, k.key)
}

// RetryOnce implements api.Operator: under a key that is not "", all requests make one job.
func (o operator) RetryOnce(ctx context.Context, id job.ID, key job.IdempotencyKey) (job.Job, error) {
	if key == "" {
		return o.Retry(ctx, id)
	}
	if child, answered, err := o.answer(ctx, key); answered || err != nil {
		return child, err
	}
	p := o.Parts
	p.Jobs = keyed{o.table, key}
	child, err := workflow.New(p).Retry(ctx, id)
	if !errors.Is(err, fault.JobRaceLost) && !errors.Is(err, fault.JobAlreadyProcessing) {
		return child, err
	}
	// A request with the same key may have been faster.
	if child, answered, aerr := o.answer(ctx, key); answered || aerr != nil {
		return child, aerr
	}
	return job.Job{}, err
}

// answer is the job that an earlier request with a key made, if there was one.
func (o operator) answer(ctx context.Context, key job.IdempotencyKey) (child job.Job, answered bool, err error) {
	id, err := o.table.Answered(ctx, key)
	if err != nil {
		return job.Job{}, false, fmt.Errorf("look for an earlier answer: %w", err)
	}
	if id == "" {
		return job.Job{}, false, nil
	}
	child, err = o.Jobs.Get(ctx, id)
	return child, true, err
}
