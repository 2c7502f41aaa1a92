package workflow

import (
	"context"
	"encoding/json"
	"fmt"

	"bulksigner/internal/job"
)

// passesInARow is how many passes in a row must have met a failure for operators to be told: one that passes is made up
// for by the next.
const passesInARow = 3

// sweepReady are the rows about folders at Lacuna Signer and about its notifications. Neither gates: taking the service out
// of rotation would not bring Signer back.
func (w *Workflow) sweepReady(ctx context.Context) []job.Ready {
	return []job.Ready{w.foldersReady(ctx), w.bellsReady(ctx)}
}

func (w *Workflow) foldersReady(ctx context.Context) job.Ready {
	row := job.Ready{Name: "signer-folder-sweep"}
	pass, err := w.Passes.Pass(ctx, sweepPass)
	if err != nil {
		row.Detail = "The state of the sweep cannot be read."
		return row
	}
	var s sweeping
	if pass.State != "" && json.Unmarshal([]byte(pass.State), &s) != nil {
		row.Detail = "The state of the sweep cannot be understood."
		return row
	}
	row.OK = s.Failures < passesInARow
	switch {
	case s.Failures > 0:
		row.Detail = fmt.Sprintf("%d passes in a row met a failure, since %s; the last one at the stage %q: %s.", s.Failures, at(s.Since), s.Last.Op, s.Last.Said)
	case pass.NextAt.IsZero():
		row.Detail = "No pass has ended yet."
	default:
		row.Detail = "The last pass met no failure."
	}
	return row
}

func (w *Workflow) bellsReady(ctx context.Context) job.Ready {
	row := job.Ready{Name: "signer-notifications"}
	last, err := w.Bells.LastBell(ctx)
	switch {
	case err != nil:
		row.Detail = "When the last notification arrived cannot be read."
		return row
	case last.IsZero():
		row.Detail = "No notification has arrived yet."
	default:
		row.Detail = "The last notification arrived at " + at(last) + "."
	}
	row.OK = true
	return row
}
