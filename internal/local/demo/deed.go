package demo

import (
	"context"
	"fmt"
	"time"
)

// silence is the deed of a document at Lacuna Signer that no notification tells of: it is created before there are any.
const silence = "silence"

// long is how long a person has not signed when time runs out.
const long = 8 * 24 * time.Hour

// deed is what is done to a job on the way, once it has a status. do returns what its line says of it.
type deed struct {
	status string // "": nothing is done to a job
	do     func(context.Context, Demo, *attempt, Row) (said string, err error)
}

// deeds are what an operator does, or time.
var deeds = map[string]deed{
	none:    {},
	silence: {},
	"cancel": {"AwaitingSigner", func(ctx context.Context, d Demo, _ *attempt, r Row) (string, error) {
		return "an operator canceled it through the API", d.Client.Cancel(ctx, r.ID, "demonstração")
	}},
	"retry": {"Failed", func(ctx context.Context, d Demo, a *attempt, r Row) (said string, err error) {
		a.job, err = d.Client.Retry(ctx, r.ID)
		return "an operator had it tried again through the API after " + r.outcome(), err
	}},
	"back": {"AwaitingSigner", func(ctx context.Context, d Demo, _ *attempt, r Row) (string, error) {
		return "waits since 8 days: its dispatch was moved back in the table", d.MoveBack(ctx, r.ID, long)
	}},
}

// act does a sample's deed if it is time for it, and reports whether it did.
func (d Demo) act(ctx context.Context, a *attempt, r Row) (bool, error) {
	todo := deeds[a.Deed]
	if a.did || todo.status != r.Status {
		return false, nil
	}
	said, err := todo.do(ctx, d, a, r)
	if err != nil {
		return false, fmt.Errorf("%s %s: %w", a.Deed, a.Key, err)
	}
	a.did, a.note = true, said
	return true, nil
}
