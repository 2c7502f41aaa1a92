package table

import (
	"context"
	"fmt"
	"iter"
	"time"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/job"
)

// What clocks may differ by, and how long before the import a list still looks.
const (
	skew   = 5 * time.Minute
	margin = 24 * time.Hour
)

// How many rows of a shard one call of a list reads. A row is small beside its job.
const (
	leastRows     = 8
	mostRows      = 500
	selectiveRows = 50 // where most jobs may be of others
)

// firstRelease is where lists end in a table into which nothing was ever imported: no release is older.
var firstRelease = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// listing is a list of jobs under way.
type listing struct {
	walk[job.Job]
	store  *Store
	filter filter
}

// List answers a query, newest first: by when a job was made or, if statuses are asked for and no end of time, by when it
// got there. A page has 1 to MaxPage jobs at most. By cursor it can be short, even empty, and still have a cursor, since
// one call looks at 2000 rows at most; without a cursor the list is at its end. A page that is asked for by its number is
// walked to from the start: MaxWalk rows are as far as that goes, and it reads the jobs on the way if the filter needs
// them. It returns fault.ValidationFilterInvalid for a page further away, for a cursor of another list and for a filter
// that nothing can match.
func (s *Store) List(ctx context.Context, q job.Query) (job.Page, error) {
	f, err := newFilter(q)
	if err != nil {
		return job.Page{}, err
	}
	p := paging{size: q.Size, number: q.Page, cursor: q.Cursor, filter: f.String()}
	if err := p.check(); err != nil {
		return job.Page{}, err
	}
	l, err := s.listing(ctx, f, p)
	if err != nil {
		return job.Page{}, err
	}
	if err := l.run(ctx, l.entries); err != nil {
		return job.Page{}, fmt.Errorf("list jobs: %w", err)
	}
	next, err := l.next()
	if err != nil {
		return job.Page{}, err
	}
	return job.Page{Jobs: l.found, Cursor: next}, nil
}

// listing begins a list.
func (s *Store) listing(ctx context.Context, f filter, p paging) (*listing, error) {
	begun, err := s.begun(ctx)
	if err != nil {
		return nil, err
	}
	l := &listing{walk: walk[job.Job]{scale: f.scale(), from: f.From, paging: p}, store: s, filter: f}
	if l.scale != whole {
		l.from, l.to = later(f.From, begun), s.now().Add(2*skew)
	}
	if !f.To.IsZero() {
		l.to = earlier(l.to, f.To)
	}
	return l, l.begin(s.now(), func(sk string) (time.Time, error) {
		t, _, err := parseSortKey(sk)
		return t, err
	})
}

// begun is a moment before which nothing was ever written, as far as clocks differ.
func (s *Store) begun(ctx context.Context) (time.Time, error) {
	seeded, err := s.Seeded(ctx)
	if seeded.IsZero() {
		seeded = firstRelease
	}
	return seeded.Add(-margin), err
}

// entries goes through the rest of the period. Jobs are read in batches, and only as many as the page lacks or the filter
// may need.
func (l *listing) entries(ctx context.Context) iter.Seq2[entry[job.Job], error] {
	return func(yield func(entry[job.Job], error) bool) {
		var rows []indexRow
		for r, err := range l.store.rows(ctx, l.spans()...) {
			if err != nil {
				yield(entry[job.Job]{}, err)
				return
			}
			if rows = append(rows, r); len(rows) < l.want() {
				continue
			}
			if !l.give(ctx, rows, yield) {
				return
			}
			rows = rows[:0]
		}
		l.give(ctx, rows, yield)
	}
}

// spans are what the period has in the index: one of all jobs made in it, or one for each status.
func (l *listing) spans() (spans []span) {
	p := span{index: schema.ByDay, partition: dayPartition(l.at), after: l.after, newest: true, page: l.perShard()}
	p.low, p.high = l.bounds()
	if l.scale == byDays {
		return []span{p}
	}
	p.index = schema.ByStatus
	for _, s := range l.filter.Statuses {
		p.partition = statusPartition(s, l.at)
		spans = append(spans, p)
	}
	return spans
}

// perShard is twice a shard's share of the rows to look at, since shards fill unevenly.
func (l *listing) perShard() int {
	if l.filter.selective() {
		return selectiveRows
	}
	n := min(l.skip+l.paging.size-len(l.found), l.left)
	return min(max(leastRows, 2*n/job.Shards), mostRows)
}

// want is how many rows are worth taking together: those before the page, whose jobs nobody needs, or as many as are worth
// reading the jobs of.
func (l *listing) want() int {
	switch {
	case l.passing():
		return min(l.skip, l.left)
	case l.filter.selective():
		return min(batch, l.left)
	}
	return min(l.paging.size-len(l.found), batch, l.left)
}

// passing reports whether the next rows come before the page, whatever their jobs say.
func (l *listing) passing() bool { return l.skip > 0 && !l.filter.selective() }

// give yields what rows stand for, and reports whether to go on.
func (l *listing) give(ctx context.Context, rows []indexRow, yield func(entry[job.Job], error) bool) bool {
	found, passing := map[job.ID]job.Job{}, l.passing()
	if !passing && len(rows) > 0 {
		ids := make([]job.ID, len(rows))
		for n, r := range rows {
			ids[n] = r.id
		}
		var err error
		if found, err = l.store.jobs(ctx, ids); err != nil {
			yield(entry[job.Job]{}, err)
			return false
		}
	}
	for _, r := range rows {
		j, ok := found[r.id]
		if !yield(entry[job.Job]{sk: r.sk, value: j, matches: passing || ok && l.filter.matches(j)}, nil) {
			return false
		}
	}
	return true
}
