package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"bulksigner/internal/job"
)

const (
	// lookEvery is how long the run waits between two looks at what has not ended.
	lookEvery = time.Second
	// mostRetries is how many failed jobs an operator tries again: the API lets one address do 60 things a minute.
	mostRetries = 20
)

// settle waits until everything has ended, as long as that may take. Time goes by for claims of dead runs, and an operator
// tries what failed again, once. What does not end in time is no error: it is told of as a broken promise.
func (l *load) settle(ctx context.Context) error {
	began := time.Now()
	defer func() { l.settled = time.Since(began) }()
	within, cancel := context.WithTimeout(ctx, l.wait)
	defer cancel()
	for within.Err() == nil {
		ended, err := l.end(within)
		if ended {
			return nil
		}
		if err != nil && !lastFault(err) && within.Err() == nil {
			return fmt.Errorf("wait for what has begun: %w", err)
		}
		select {
		case <-within.Done():
		case <-time.After(lookEvery):
		}
	}
	return ctx.Err()
}

// lastFault reports whether a request met a process that was killed just before the faults ended.
func lastFault(err error) bool {
	no, ok := errors.AsType[*refused](err)
	return ok && no.status >= 500
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
	tried, err := l.retry(ctx)
	return !tried, err
}

// open lists what has not ended: jobs, things without a job, and queues that hold something.
func (l *load) open(ctx context.Context) (open []string, err error) {
	depths, err := l.service.Depths(ctx) // before the list: what was in a queue by then is in the list now
	if err != nil {
		return nil, err
	}
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
	for name, d := range depths {
		if !strings.HasSuffix(name, "-dead") && d.Waiting+d.InHand > 0 {
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

// retry has failed jobs tried again, the first time that it is asked. It reports whether it did.
func (l *load) retry(ctx context.Context) (bool, error) {
	if l.retries {
		return false, nil
	}
	l.retries = true
	rows, err := l.client.all(ctx)
	if err != nil {
		return false, err
	}
	for _, r := range rows {
		if r.Status != job.Failed || l.retried == mostRetries {
			continue
		}
		err := l.client.retry(ctx, r.ID)
		if no, refused := errors.AsType[*refused](err); refused && no.status == 409 {
			continue // what it was about has moved on
		}
		if err != nil {
			return false, err
		}
		l.retried++
	}
	return l.retried > 0, nil
}
