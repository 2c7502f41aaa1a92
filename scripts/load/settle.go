package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"bulksigner/internal/job"
)

const (
	// lookEvery is how long the run waits at least between two looks at what has not ended.
	lookEvery = time.Second
	// mostRetries is how many failed jobs an operator tries again at the end.
	mostRetries = 50
)

// settle waits until everything has ended, as long as that may take. Time goes by for claims of dead runs, and an operator
// tries what failed again, once. What does not end in time is no error: it is told of as a broken promise. If ctx ends before,
// nobody can tell.
func (l *load) settle(ctx context.Context) error {
	began := time.Now()
	defer func() { l.settled = time.Since(began) }()
	within, cancel := context.WithTimeout(ctx, l.wait)
	defer cancel()
	for within.Err() == nil {
		looked := time.Now()
		ended, err := l.end(within)
		if ended {
			return nil
		}
		if err != nil && within.Err() == nil {
			return fmt.Errorf("wait for what has begun: %w", err)
		}
		if rest(within, max(lookEvery, time.Since(looked))) != nil { // looking is work, too: half of the time is enough
			break
		}
	}
	l.early = ctx.Err() != nil
	return nil
}

// end does what brings everything to its end, and reports whether it has come there.
func (l *load) end(ctx context.Context) (ended bool, err error) {
	open, err := l.open(ctx)
	if err != nil {
		return false, err
	}
	if len(open) > 0 {
		return false, l.help(ctx, open)
	}
	tried, err := l.tryFailed(ctx)
	return !tried, err
}

// active are the statuses of jobs that have not ended.
var active = []job.Status{job.Queued, job.Processing, job.Verifying, job.AwaitingSigner}

// open lists what has not ended: jobs, things without a job, and queues that hold something. All jobs are read only where
// nothing else is open: with many of them that takes its time.
func (l *load) open(ctx context.Context) (open []string, err error) {
	depths, err := l.service.Depths(ctx) // before the list: what was in a queue by then is in the list now
	if err != nil {
		return nil, err
	}
	for name, d := range depths {
		if !strings.HasSuffix(name, "-dead") && d.Waiting+d.InHand > 0 {
			open = append(open, "")
		}
	}
	rows, err := l.client.all(ctx, active...)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if !(r.Status == job.AwaitingSigner && l.items[r.key()].stays()) {
			open = append(open, string(r.ID))
		}
	}
	if len(open) > 0 {
		return open, nil
	}
	return l.missing(ctx)
}

// missing lists what has no job, by nothing but its number, and jobs that have moved on since the last look.
func (l *load) missing(ctx context.Context) (open []string, err error) {
	rows, err := l.client.all(ctx)
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, r := range rows {
		there[r.key()] = true
		if !r.ended() && !(r.Status == job.AwaitingSigner && l.items[r.key()].stays()) {
			open = append(open, string(r.ID))
		}
	}
	for key := range l.items {
		if !there[key] {
			open = append(open, "")
		}
	}
	return open, nil
}

// help lets time go by for dead runs, and has recovery look at them at once.
func (l *load) help(ctx context.Context, open []string) error {
	var jobs []string
	for _, id := range open {
		if id != "" {
			jobs = append(jobs, id)
		}
	}
	n, err := l.service.Outlive(ctx, jobs)
	l.outlived += n
	if err != nil || n == 0 {
		return err
	}
	return l.service.Wake(ctx, "recover")
}

// tryFailed has failed jobs tried again that nobody had yet, the first time that it is asked. It reports whether it did.
func (l *load) tryFailed(ctx context.Context) (tried bool, err error) {
	if l.retries {
		return false, nil
	}
	l.retries = true
	rows, err := l.client.all(ctx, job.Failed)
	if err != nil {
		return false, err
	}
	n := 0
	for _, r := range rows {
		if n == mostRetries || !l.claim(r.ID) {
			continue
		}
		if err := unanswered(l.retry(ctx, r.ID)); err != nil {
			return false, err
		}
		n++
	}
	return n > 0, nil
}
