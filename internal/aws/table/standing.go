package table

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/job"
)

// mostStanding is how many jobs of a status are counted: in one shard of it a sixteenth, which ids fill evenly.
const mostStanding = 10_000

// Standing counts the jobs of statuses that are not final, and finds the oldest of each. One call for each shard is enough
// while little waits; of a backlog a second one counts up to 10,000 jobs of each status and reads none of them, so that
// what it costs does not grow with what waits.
func (s *Store) Standing(ctx context.Context, statuses ...job.Status) ([]job.Standing, error) {
	var spans []span
	for _, st := range statuses {
		if st.Final() || !st.Known() {
			return nil, fmt.Errorf("status %q is not one of jobs at work", st)
		}
		spans = append(spans, span{index: schema.ByStatus, partition: statusPartition(st, time.Time{}), page: oldestPage})
	}
	shards, err := s.shards(spans)
	if err == nil {
		err = fill(ctx, shards)
	}
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	rest, err := s.uncounted(ctx, shards)
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	all := make([]job.Standing, len(statuses))
	for i := range all {
		of := i * job.Shards
		all[i] = standingOf(shards[of:of+job.Shards], rest[of:of+job.Shards])
	}
	return all, nil
}

// remainder is what a shard has after its first page.
type remainder struct {
	rows int
	more bool // than were counted
}

func standingOf(shards []*shard, rest []remainder) (st job.Standing) {
	for n, h := range shards {
		st.Jobs += len(h.rows) + rest[n].rows
		st.More = st.More || rest[n].more
	}
	if h := first(shards); h != nil {
		st.Oldest, st.Since = h.rows[0].id, h.rows[0].time
	}
	return st
}

// uncounted counts what comes after the pages in hand.
func (s *Store) uncounted(ctx context.Context, shards []*shard) ([]remainder, error) {
	rest := make([]remainder, len(shards))
	var unread []int
	for n, h := range shards {
		if h.pages.HasMorePages() && len(h.rows) > 0 {
			unread = append(unread, n)
		}
	}
	errs := make([]error, len(unread))
	together(queriesAtOnce, len(unread), func(i int) {
		n := unread[i]
		rest[n], errs[i] = s.after(ctx, shards[n], n%job.Shards)
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// after counts the rows of a shard that come after those in hand. The condition includes the last of these.
func (s *Store) after(ctx context.Context, h *shard, n int) (r remainder, _ error) {
	p := h.span
	p.after, p.page = h.rows[len(h.rows)-1].sk, mostStanding/job.Shards-len(h.rows)+1
	in, err := s.query(p, n)
	if err != nil {
		return r, err
	}
	in.Select = types.SelectCount
	out, err := s.db.Query(ctx, in)
	if err != nil {
		return r, fmt.Errorf("query %s: %w", p.index.Name, err)
	}
	return remainder{rows: max(0, int(out.Count)-1), more: len(out.LastEvaluatedKey) > 0}, nil
}
