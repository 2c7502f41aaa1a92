package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"bulksigner/internal/aws/keys"
	"bulksigner/internal/aws/objects"
	"bulksigner/internal/aws/queue"
	"bulksigner/internal/job"
	"bulksigner/internal/redact"
	"bulksigner/internal/workflow"
)

const (
	// longWait is how long a job may be Queued before its row is red: a backlog is usual, an hour in which nobody takes the
	// oldest one is not.
	longWait = time.Hour
	// mostSkew is how far our clock may be from that of AWS.
	mostSkew = time.Minute
)

// operator is the workflow, with what only app sees added to its report on what the service needs. None of these rows gates:
// the API does its part without them.
type operator struct {
	*workflow.Workflow
	work     waiting
	dead     []deadLetters
	clock    *clock
	redactor *redact.Redactor
	now      func() time.Time
}

// operator is the workflow as the API has it. It opens the keys of profiles that are saved, and signs with none.
func (b *base) operator() operator {
	p := b.parts()
	p.Signer = b.signer(apiCalls)
	p.Keys = certificates{keys.New(b.kms(), b.newSecrets(), b.objects, b.rate()), objects.NewAssets(b.objects, nil)}
	p.Lines = b.lines()
	p.Keeper, p.Judge, p.Feeds = b.table, b.settings.Check, b.feeds
	return operator{
		Workflow: workflow.New(p), work: b.queue(), dead: b.deadQueues(), clock: b.clock,
		redactor: b.redactor, now: time.Now,
	}
}

// waiting counts the messages of a queue.
type waiting interface {
	Waiting(ctx context.Context) (int, error)
}

// deadLetters is a queue of messages that nobody could handle.
type deadLetters struct {
	of    string // the queue that they come from
	queue waiting
}

// deadQueues are those that the environment names.
func (b *base) deadQueues() (all []deadLetters) {
	for _, q := range []struct{ of, url string }{{"work", b.env.DeadLetters}, {"checks", b.env.DeadChecks}} {
		if q.url != "" {
			all = append(all, deadLetters{q.of, queue.New(b.sqs(), q.url)})
		}
	}
	return all
}

// Readiness implements api.Operator. What is told of a failure can quote what failed, so that secrets are taken out.
func (o operator) Readiness(ctx context.Context) []job.Ready {
	rows := append(o.Workflow.Readiness(ctx), o.workReady(ctx))
	if len(o.dead) > 0 {
		rows = append(rows, o.deadReady(ctx))
	}
	rows = append(rows, o.clockReady())
	for i := range rows {
		rows[i].Detail = o.redactor.Text(rows[i].Detail)
	}
	return rows
}

// workReady tells how long the oldest job waits, since SQS does not tell the age of a message.
func (o operator) workReady(ctx context.Context) job.Ready {
	row := job.Ready{Name: "work-queue"}
	n, err := o.work.Waiting(ctx)
	if err != nil {
		row.Detail = "The work queue does not answer."
		return row
	}
	since, err := o.oldest(ctx)
	if err != nil {
		row.Detail = "The oldest job that waits cannot be found."
		return row
	}
	if since.IsZero() {
		row.OK, row.Detail = true, fmt.Sprintf("No job is Queued. The queue holds about %d messages.", n)
		return row
	}
	age := max(0, o.now().Sub(since)).Truncate(time.Second)
	row.OK = age < longWait || o.paused(ctx)
	row.Detail = fmt.Sprintf("The oldest job has been Queued for %s; the age of a message is not to be had. The queue holds about %d messages.", age, n)
	return row
}

// oldest is since when the job waits that waits longest; zero if none does.
func (o operator) oldest(ctx context.Context) (time.Time, error) {
	for row, err := range o.Index.Oldest(ctx, job.Queued, "") {
		return row.Since, err
	}
	return time.Time{}, nil
}

// paused reports whether nobody is meant to take jobs.
func (o operator) paused(ctx context.Context) bool {
	paused, err := o.Pipeline.Paused(ctx)
	return paused && err == nil
}

func (o operator) deadReady(ctx context.Context) job.Ready {
	row := job.Ready{Name: "dead-letters", OK: true}
	var details []string
	for _, d := range o.dead {
		n, err := d.queue.Waiting(ctx)
		if err != nil {
			row.OK = false
			details = append(details, "The dead letters of "+d.of+" cannot be counted.")
			continue
		}
		row.OK = row.OK && n == 0
		details = append(details, fmt.Sprintf("About %d messages of %s could not be handled.", n, d.of))
	}
	row.Detail = strings.Join(details, " ")
	return row
}

func (o operator) clockReady() job.Ready {
	row := job.Ready{Name: "clock"}
	skew := o.clock.skew.Load()
	if skew == nil {
		row.Detail = "No answer of AWS has told the time."
		return row
	}
	row.OK = skew.Abs() <= mostSkew
	row.Detail = fmt.Sprintf("The clock differs from that of AWS by at least %s.", skew.Abs().Truncate(time.Millisecond))
	return row
}
