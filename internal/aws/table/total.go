package table

import (
	"context"
	"fmt"

	"bulksigner/internal/job"
)

// Total is how many jobs a query asks for, whatever its page. Of all jobs that is kept; of others rows are counted, MaxWalk
// at most, and what comes after them is not known: n is then how many there are at least.
func (s *Store) Total(ctx context.Context, q job.Query) (n int64, known bool, err error) {
	if !q.Filtered() {
		n, err = s.stored(ctx)
		return n, err == nil, err
	}
	if len(q.Statuses) == 0 && q.From.IsZero() && q.To.IsZero() {
		q.Statuses = job.Statuses // months of all statuses are fewer partitions than days
	}
	f, err := newFilter(q)
	if err != nil {
		return 0, false, err
	}
	l, err := s.listing(ctx, f, paging{size: 1})
	if err != nil {
		return 0, false, err
	}
	// A page that is never reached. The row after the last that may be counted tells whether there are more.
	l.skip, l.left, l.periods = MaxWalk+1, MaxWalk+1, maxWalkPeriods
	if err := l.run(ctx, l.entries); err != nil {
		return 0, false, fmt.Errorf("count jobs: %w", err)
	}
	return int64(MaxWalk + 1 - l.skip), l.ended, nil
}
