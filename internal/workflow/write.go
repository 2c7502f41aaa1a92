package workflow

import (
	"context"
	"errors"
	"fmt"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// writeTries is how often a step meets the write of another before the run lets the job go. Who owns the claim meets only
// an operator's entries, one at a time.
const writeTries = 5

// write takes a step and stores it. A lost reply is recognized by the id of the write; who loses to another write reads
// again and decides afresh, which the step does by what it demands of the job.
func (w *Workflow) write(ctx context.Context, j job.Job, step func(job.Job) (job.Job, error)) (job.Job, error) {
	for range writeTries {
		k, err := step(j)
		if err != nil {
			return job.Job{}, err
		}
		saved := w.Jobs.Save(ctx, k)
		if saved == nil {
			return k, nil
		}
		if j, err = w.Jobs.Get(ctx, k.ID); err != nil {
			return job.Job{}, errors.Join(saved, fmt.Errorf("read job %s again: %w", k.ID, err))
		}
		if j.Wrote(k.Last().ID) {
			return j, nil
		}
		if !errors.Is(saved, fault.JobRaceLost) {
			return job.Job{}, fmt.Errorf("save job %s: %w", k.ID, saved)
		}
	}
	return job.Job{}, fault.New(fault.JobRaceLost, "job %s is written by others all the time", j.ID)
}
