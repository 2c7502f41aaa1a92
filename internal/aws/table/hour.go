package table

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/job"
)

// hourCounter counts the jobs that end, hour by hour: COUNTER#jobs_by_hour#<shard>, <hour>. It is written beside the
// counters that it is taken from, one item for all its figures, and says how a day went without a look at its jobs.
const (
	hourCounter = "jobs_by_hour"
	hourLayout  = "2006-01-02T15"
	hoursFor    = 8 * 24 * time.Hour // how long an hour is kept
	maxHours    = 7 * 24             // that one call gives
)

// Parts of an hour.
const (
	hourCompleted = "completed"
	hourFailed    = "failed"
	hourCanceled  = "canceled"
	hourEncrypted = "encrypted"
)

// hourPart is the part of an hour that a count belongs to, or "". These metrics have a total and no other part. A job of a
// folder at Lacuna Signer whose document moved on is canceled by no operator, and has no counter but that of attempts.
func hourPart(c job.Count) string {
	switch {
	case c.Name == job.MetricCompleted:
		return hourCompleted
	case c.Name == job.MetricFailed:
		return hourFailed
	case c.Name == job.MetricEncrypted:
		return hourEncrypted
	case c.Name == job.MetricCanceled, c.Name == job.MetricFolderSignatures && c.Labels == movedOn:
		return hourCanceled
	}
	return ""
}

// movedOn are the labels of attempts at documents that moved on.
const movedOn = `{"` + job.LabelOutcome + `":"` + job.OutcomeNoLongerPending + `"}`

// hourly is what counts add to the hour in which they are written.
func hourly(counts []job.Count, now time.Time) (more []job.Count) {
	for _, c := range counts {
		if part := hourPart(c); part != "" {
			more = append(more, job.Count{Name: hourCounter, Labels: now.UTC().Format(hourLayout), Part: part, Value: c.Value})
		}
	}
	return more
}

// Hours returns how many jobs ended in each hour from one to another, both included, oldest first: 168 hours at most. An
// hour of which nothing is known has zeros.
func (s *Store) Hours(ctx context.Context, from, to time.Time) ([]job.Hour, error) {
	from, to = from.UTC().Truncate(time.Hour), to.UTC().Truncate(time.Hour)
	n := int(to.Sub(from)/time.Hour) + 1
	if n < 1 || n > maxHours {
		return nil, fmt.Errorf("%d hours cannot be read at once", n)
	}
	shards, errs := make([][]item, counterShards), make([]error, counterShards)
	together(counterReaders, counterShards, func(shard int) {
		shards[shard], errs[shard] = s.hourShard(ctx, shard, from, to)
	})
	hours := make([]job.Hour, n)
	for i := range hours {
		hours[i].Start = from.Add(time.Duration(i) * time.Hour)
	}
	for shard, items := range shards {
		if errs[shard] != nil {
			return nil, fmt.Errorf("read the hours: %w", errs[shard])
		}
		for _, i := range items {
			h, err := decodeHour(i)
			place := int(h.Start.Sub(from) / time.Hour)
			if err == nil && (place < 0 || place >= n) {
				err = fmt.Errorf("%s was not asked for", moment(h.Start))
			}
			if err != nil {
				return nil, fmt.Errorf("decode an hour: %w", err)
			}
			hours[place].Add(h)
		}
	}
	return hours, nil
}

func (s *Store) hourShard(ctx context.Context, shard int, from, to time.Time) (items []item, _ error) {
	low, high := from.Format(hourLayout), to.Format(hourLayout)
	for i, err := range s.backwards(ctx, counterPartition(hourCounter, shard), low, high, maxHours) {
		if err != nil {
			return nil, err
		}
		items = append(items, i)
	}
	return items, nil
}

func decodeHour(i item) (job.Hour, error) {
	var r struct {
		Completed int64 `dynamodbav:"completed"`
		Failed    int64 `dynamodbav:"failed"`
		Canceled  int64 `dynamodbav:"canceled"`
		Encrypted int64 `dynamodbav:"encrypted"`
	}
	if err := attributevalue.UnmarshalMap(i, &r); err != nil {
		return job.Hour{}, err
	}
	start, err := time.Parse(hourLayout, textOf(i, schema.SK))
	return job.Hour{Start: start, Completed: r.Completed, Failed: r.Failed, Canceled: r.Canceled, Encrypted: r.Encrypted}, err
}

// hourEnds is when an hour's item may vanish, as TTL wants it.
func hourEnds(hour string) (int64, error) {
	start, err := time.Parse(hourLayout, hour)
	return start.Add(hoursFor).Unix(), err
}
