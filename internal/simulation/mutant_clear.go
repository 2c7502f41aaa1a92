//go:build mutant_clear

package simulation

import (
	"context"
	"slices"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// What a deleted record was about is taken in again by itself.
func init() {
	mutate = func(p *workflow.Parts, w *workflowtest.World) { p.Arrivals = oblivious{p.Arrivals, w} }
}

type oblivious struct {
	workflow.Arrivals
	world *workflowtest.World
}

func (o oblivious) TakenIn(ctx context.Context, v job.Object) (job.ID, error) {
	id, err := o.Arrivals.TakenIn(ctx, v)
	if o.gone(id) {
		return "", err
	}
	return id, err
}

func (o oblivious) TakeIn(ctx context.Context, j job.Job, n job.NameClaim) error {
	latest, err := o.Arrivals.TakenIn(ctx, j.Object)
	if err == nil && latest != "" && o.gone(latest) {
		return o.Arrivals.Retake(ctx, j, latest, n)
	}
	return o.Arrivals.TakeIn(ctx, j, n)
}

func (o oblivious) gone(id job.ID) bool {
	return !slices.ContainsFunc(o.world.Jobs(), func(j job.Job) bool { return j.ID == id })
}
