package api

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

const (
	// ringsAtOnce is how many bells are rung at the same time.
	ringsAtOnce = 16
	// undoWithin bounds what is done after a failure, whatever time is left.
	undoWithin = 2 * time.Second
	// maxLogged is how many documents a line in the log names.
	maxLogged = 100
)

// delivery is what became of a notification.
type delivery struct {
	notification
	outcome string
	err     error
}

// deliver has every document that may concern us looked at, unless that is about to happen already.
func (n *notifications) deliver(ctx context.Context, got notification) delivery {
	d := delivery{notification: got, outcome: job.OutcomeIgnored}
	checks, err := n.checksOf(ctx, got)
	if err == nil && len(checks) > 0 {
		var fresh int
		if fresh, err = n.queue(ctx, checks); fresh > 0 {
			d.outcome = job.OutcomeQueued
		} else {
			d.outcome = job.OutcomeWaiting
		}
	}
	if err != nil {
		d.outcome, d.err = job.OutcomeUnavailable, fault.Wrap(fault.SignerNotificationUnavailable, err, "the notification cannot be dealt with now")
	}
	return d
}

// checksOf makes the checks of the documents that concern us, one for each.
func (n *notifications) checksOf(ctx context.Context, got notification) ([]job.Check, error) {
	if len(got.named) == 0 {
		return nil, nil
	}
	concerning := n.ours
	if got.use == mayAwaitUs {
		concerning = n.inFolders
	}
	concernsUs, err := concerning(ctx, got.named)
	if err != nil {
		return nil, err
	}
	var checks []job.Check
	now, seen := n.Now(), map[string]bool{}
	for _, d := range got.named {
		if seen[d.document] || !concernsUs(d) {
			continue
		}
		seen[d.document] = true
		c := job.Check{DocumentID: d.document, At: now}
		if got.use == mayAwaitUs {
			c.FolderID = d.folder
		}
		checks = append(checks, c)
	}
	return checks, nil
}

// inFolders picks the documents that are said to be in the folder of a profile that can sign.
func (n *notifications) inFolders(ctx context.Context, all []named) (func(named) bool, error) {
	folders := distinct(all, func(d named) string { return d.folder })
	if len(folders) == 0 {
		return func(named) bool { return false }, nil
	}
	bound, err := n.Bindings.Bound(ctx, folders)
	return func(d named) bool {
		p, ok := bound[d.folder]
		return ok && p.Enabled && p.Method == profile.SignerFolder && !degraded(p)
	}, err
}

// ours picks the documents that we dispatched.
func (n *notifications) ours(ctx context.Context, all []named) (func(named) bool, error) {
	jobs, err := n.Dispatches.DispatchedJobs(ctx, distinct(all, func(d named) string { return d.document }))
	return func(d named) bool { return jobs[d.document] != "" }, err
}

// distinct lists what there is of an id, each once.
func distinct(all []named, id func(named) string) (ids []string) {
	seen := map[string]bool{"": true}
	for _, d := range all {
		if v := id(d); !seen[v] {
			seen[v] = true
			ids = append(ids, v)
		}
	}
	return ids
}

// queue rings for documents and sends the checks of those that have none waiting. After a failure it takes back the bells
// that it rang, also those of which it does not know: the same notification will come again, and must not find that
// something waits which does not.
func (n *notifications) queue(ctx context.Context, checks []job.Check) (sent int, err error) {
	rung, errs := make([]bool, len(checks)), make([]error, len(checks))
	each(len(checks), func(i int) { rung[i], errs[i] = n.Bells.Ring(ctx, checks[i].DocumentID, checks[i].At) })
	var fresh []job.Check
	for i, c := range checks {
		if rung[i] || errs[i] != nil {
			fresh = append(fresh, c)
		}
		if err == nil {
			err = errs[i] // the others are most likely the same
		}
	}
	if err == nil && len(fresh) > 0 {
		err = n.Checks.Check(ctx, fresh)
	}
	if err != nil {
		n.unring(ctx, fresh)
		return 0, err
	}
	return len(fresh), nil
}

// unring takes bells back as well as it can. One that stays lasts a minute, and the sweep finds the document.
func (n *notifications) unring(ctx context.Context, checks []job.Check) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoWithin)
	defer cancel()
	errs := make([]error, len(checks))
	each(len(checks), func(i int) { errs[i] = n.Bells.Unring(ctx, checks[i].DocumentID) })
	for _, err := range errs {
		if err != nil {
			slog.WarnContext(ctx, "a bell was not taken back", "code", fault.CodeOf(err), "err", err)
			return // the others are most likely the same
		}
	}
}

// each calls f for 0 to n-1, several at the same time, and returns when all are done.
func each(n int, f func(i int)) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, ringsAtOnce)
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			f(i)
		})
	}
	wg.Wait()
}

// log writes what came and what became of it, and nothing of what else it said.
func (d delivery) log(ctx context.Context) {
	ids := distinct(d.named, func(x named) string { return x.document })
	slog.InfoContext(ctx, "notification", "type", d.kind, "named", len(ids), "documents", ids[:min(len(ids), maxLogged)],
		"outcome", d.outcome, "request", identityOf(ctx).request)
}
