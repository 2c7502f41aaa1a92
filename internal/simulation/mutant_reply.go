//go:build mutant_reply

package simulation

import (
	"context"
	"slices"
	"strings"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// A write whose reply was lost is not recognised: nobody finds the id of their write in the history.
func init() {
	mutate = func(p *workflow.Parts, _ *workflowtest.World) { p.Jobs = nameless{p.Jobs} }
}

// nameless hides the ids of a history from who reads it, and puts them back in what is written.
type nameless struct{ workflow.Jobs }

const hidden = "hidden "

func (n nameless) Get(ctx context.Context, id job.ID) (job.Job, error) {
	j, err := n.Jobs.Get(ctx, id)
	j.History = slices.Clone(j.History)
	for i := range j.History {
		j.History[i].ID = hidden + j.History[i].ID
	}
	return j, err
}

func (n nameless) Save(ctx context.Context, j job.Job) error { return n.Jobs.Save(ctx, shown(j)) }

func (n nameless) SaveDispatched(ctx context.Context, j job.Job) error {
	return n.Jobs.SaveDispatched(ctx, shown(j))
}

func (n nameless) Retry(ctx context.Context, parent, child job.Job, latest job.ID, key job.IdempotencyKey) error {
	return n.Jobs.Retry(ctx, shown(parent), child, latest, key)
}

func shown(j job.Job) job.Job {
	j.History = slices.Clone(j.History)
	for i := range j.History {
		j.History[i].ID = strings.TrimPrefix(j.History[i].ID, hidden)
	}
	return j
}
