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
	return w.writeBy(ctx, w.Jobs.Save, j, step)
}

// writeBy is write through another of the store's ways to save.
func (w *Workflow) writeBy(ctx context.Context, save func(context.Context, job.Job) error, j job.Job, step func(job.Job) (job.Job, error)) (job.Job, error) {
	for range writeTries {
		k, err := step(j)
		if err != nil {
			return job.Job{}, err
		}
		saved := save(ctx, k)
		if saved == nil {
			w.tally(j, k)
			return k, nil
		}
		before := j
		if j, err = w.Jobs.Get(ctx, k.ID); err != nil {
			return job.Job{}, errors.Join(saved, fmt.Errorf("read job %s again: %w", k.ID, err))
		}
		if j.Wrote(k.Last().ID) {
			w.tally(before, k)
			return j, nil
		}
		if !errors.Is(saved, fault.JobRaceLost) {
			return job.Job{}, fmt.Errorf("save job %s: %w", k.ID, saved)
		}
	}
	return job.Job{}, fault.New(fault.JobRaceLost, "job %s is written by others all the time", j.ID)
}
