package table

import (
	"context"
	"fmt"
	"iter"
	"time"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/job"
)

// createdPage is how many rows of a shard one call reads: see oldestPage.
const createdPage = 84

// CreatedBefore goes through the rows of all jobs that were made before a moment, whatever their status, in the order in
// which they were made, beginning after the position of a row ("" is the start). Nothing moves a job in that order, so that
// none is missed for going on meanwhile. A row has no status, and its time is when the job was made.
func (s *Store) CreatedBefore(ctx context.Context, before time.Time, after string) iter.Seq2[job.Row, error] {
	return func(yield func(job.Row, error) bool) {
		before = earlier(before, s.now().Add(2*skew))
		day, err := s.dayAfter(ctx, after)
		if err != nil {
			yield(job.Row{}, fmt.Errorf("find where jobs begin: %w", err))
			return
		}
		for ; day.Before(before) && after < moment(before); day = byDays.after(day) {
			p := span{index: schema.ByDay, partition: dayPartition(day), high: moment(before), after: after, page: createdPage}
			for r, err := range s.rows(ctx, p) {
				if err != nil {
					yield(job.Row{}, fmt.Errorf("find the jobs of %s: %w", job.DayOf(day), err))
					return
				}
				if !yield(job.Row{ID: r.id, Since: r.time, DocumentID: r.documentID, Position: r.sk}, nil) {
					return
				}
			}
		}
	}
}

// dayAfter is the day on which rows after a position begin: the installation's first where there is none.
func (s *Store) dayAfter(ctx context.Context, position string) (time.Time, error) {
	if position == "" {
		begun, err := s.begun(ctx)
		return byDays.start(begun), err
	}
	t, _, err := parseSortKey(position)
	return byDays.start(t), err
}
