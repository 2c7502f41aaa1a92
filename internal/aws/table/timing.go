package table

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"bulksigner/internal/job"
)

const timingsPrefix = "TIMINGS#"

// timingsFor is how long the times of jobs are kept.
const timingsFor = 90 * 24 * time.Hour

// timingsPage is how many rows of a day one call reads: about 200 KB.
const timingsPage = 1000

// How a job that was timed had been signed.
const (
	timedLocal  = "Local"
	timedRemote = "Remote"
)

type timingRecord struct {
	PK        string           `dynamodbav:"pk"`
	SK        string           `dynamodbav:"sk"`
	Method    string           `dynamodbav:"method"`
	Stages    map[string]int64 `dynamodbav:"stages,omitempty"` // milliseconds
	ExpiresAt int64            `dynamodbav:"expiresAt"`
}

// timingPlace is where the times of a job stand, by when it was Completed, which is written once.
func timingPlace(completed time.Time, id job.ID) place {
	return place{timingsPrefix + job.DayOf(completed), sortKey(completed, id)}
}

// completes reports whether a write is the one by which a job becomes Completed, and not a note on one that is.
func completes(j job.Job) bool { return j.Status == job.Completed && j.Since.Equal(j.UpdatedAt) }

// time records the times of a job. A note of the same moment writes them once more as they are.
func (t *transaction) time(j job.Job) {
	at, timing := timingPlace(j.Since, j.ID), job.TimingOf(j)
	r := timingRecord{PK: at.pk, SK: at.sk, Method: timedLocal, Stages: toStages(timing.Stages), ExpiresAt: timing.At.Add(timingsFor).Unix()}
	if timing.Remote {
		r.Method = timedRemote
	}
	i, err := attributevalue.MarshalMap(r)
	if err != nil {
		t.fault(fmt.Errorf("encode the times of job %s: %w", j.ID, err))
	}
	t.put(i, always)
}

// Timings goes through the times of jobs that were Completed from a moment, which is included, to another, which is not,
// newest first. They are kept for 90 days.
func (s *Store) Timings(ctx context.Context, from, to time.Time) iter.Seq2[job.Timing, error] {
	now := s.now()
	from, to = later(from, now.Add(-timingsFor)), earlier(to, now.Add(2*skew))
	return func(yield func(job.Timing, error) bool) {
		for day := byDays.start(to.Add(-time.Nanosecond)); to.After(from) && !day.Before(byDays.start(from)); day = byDays.before(day) {
			for i, err := range s.backwards(ctx, timingsPrefix+job.DayOf(day), moment(from), moment(to), timingsPage) {
				t, err := decodeTiming(i, err)
				if err != nil {
					yield(job.Timing{}, fmt.Errorf("read the times of jobs: %w", err))
					return
				}
				if !yield(t, nil) {
					return
				}
			}
		}
	}
}

// decodeTiming reads a row, unless reading it went wrong.
func decodeTiming(i item, err error) (t job.Timing, _ error) {
	if err != nil {
		return t, err
	}
	var r timingRecord
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return t, fmt.Errorf("decode a row: %w", err)
	}
	if t.At, t.Job, err = parseSortKey(r.SK); err != nil {
		return t, err
	}
	t.Remote, t.Stages = r.Method == timedRemote, fromStages(r.Stages)
	return t, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
