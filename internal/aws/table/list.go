package table

import (
	"context"
	"fmt"
	"time"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// Bounds of one call of List. A list that meets one ends its page there, with a cursor.
const (
	MaxPage    = 200
	maxPeriods = 31
	maxRows    = 1000
)

// What clocks may differ by, and how long before the import a list still looks.
const (
	skew   = 5 * time.Minute
	margin = 24 * time.Hour
)

// firstRelease is where lists end in a table into which nothing was ever imported: no release is older.
var firstRelease = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// listing is a list under way: newest first, period by period, back to the installation's first.
type listing struct {
	store *Store
	query job.Query
	scale scale
	floor time.Time // the oldest period
	top   time.Time // the newest that a cursor may name
	at    time.Time // the period that is read
	after string    // the last row that was looked at in it
	seen  int
	jobs  []job.Job
}

// List answers a query, newest first: by when a job was made or, if a status is asked for, by when it got there. A page
// has 1 to MaxPage jobs at most; it can be short, even empty, and still have a cursor, since one call looks only so far.
// Without a cursor the list is at its end. It returns fault.ValidationFilterInvalid for a cursor of another list and for
// a filter that nothing can match.
func (s *Store) List(ctx context.Context, q job.Query) (job.Page, error) {
	if err := checkQuery(q); err != nil {
		return job.Page{}, err
	}
	l, err := s.listing(ctx, q)
	if err != nil {
		return job.Page{}, err
	}
	for range maxPeriods {
		full, err := l.period(ctx)
		if err != nil {
			return job.Page{}, fmt.Errorf("list jobs: %w", err)
		}
		if full {
			break
		}
		if !l.back() {
			return job.Page{Jobs: l.jobs}, nil
		}
	}
	c, err := l.cursor().String()
	return job.Page{Jobs: l.jobs, Cursor: c}, err
}

func checkQuery(q job.Query) error {
	switch {
	case q.Status != "" && !q.Status.Known():
		return fault.New(fault.ValidationFilterInvalid, "there is no such status")
	case q.Profile != "" && !profile.ValidName(q.Profile):
		return fault.New(fault.ValidationFilterInvalid, "no profile can have this name")
	case q.Size < 1 || q.Size > MaxPage:
		return fault.New(fault.ValidationFilterInvalid, "a page has 1 to %d jobs", MaxPage)
	}
	return nil
}

// listing begins a list at its newest period, or where the query's cursor says.
func (s *Store) listing(ctx context.Context, q job.Query) (*listing, error) {
	begun, err := s.Seeded(ctx)
	if err != nil {
		return nil, err
	}
	if begun.IsZero() {
		begun = firstRelease
	}
	c, now := scaleOf(q.Status), s.now()
	l := &listing{
		store: s, query: q, scale: c,
		floor: c.start(begun.Add(-margin)), at: c.start(now.Add(skew)), top: c.start(now.Add(2 * skew)),
	}
	if q.Cursor != "" {
		if err := l.resume(q.Cursor); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// back goes to the period before, and reports whether there is one.
func (l *listing) back() bool {
	if l.scale == whole || !l.at.After(l.floor) {
		return false
	}
	l.at, l.after = l.scale.start(l.at.Add(-time.Nanosecond)), ""
	return true
}

// period reads the rest of the period, and reports whether the page ends before the period does.
func (l *listing) period(ctx context.Context) (full bool, _ error) {
	var rows []indexRow
	for r, err := range l.store.rows(ctx, l.span()) {
		if err != nil {
			return false, err
		}
		if rows = append(rows, r); len(rows) < l.want() {
			continue
		}
		if full, err := l.take(ctx, rows); full || err != nil {
			return full, err
		}
		rows = rows[:0]
	}
	return l.take(ctx, rows)
}

func (l *listing) span() span {
	p := span{index: schema.ByStatus, partition: statusPartition(l.query.Status, l.at), after: l.after, newest: true}
	if l.scale == byDays {
		p.index, p.partition = schema.ByDay, dayPartition(l.at)
	}
	// Twice a shard's share, since shards fill unevenly.
	p.page = max(8, 2*l.want()/job.Shards)
	return p
}

// want is how many rows are worth reading the jobs of: all that the page lacks, or more where a profile is asked for and
// most jobs are of others.
func (l *listing) want() int {
	n := l.query.Size - len(l.jobs)
	if l.query.Profile != "" {
		n = batch
	}
	return min(n, batch, maxRows-l.seen)
}

// take reads the jobs of rows, keeps those that match, and reports whether the page has to end.
func (l *listing) take(ctx context.Context, rows []indexRow) (full bool, _ error) {
	if len(rows) == 0 {
		return false, nil
	}
	ids := make([]job.ID, len(rows))
	for n, r := range rows {
		ids[n] = r.id
	}
	found, err := l.store.jobs(ctx, ids)
	if err != nil {
		return false, err
	}
	for _, r := range rows {
		l.after = r.sk
		l.seen++
		if j, ok := found[r.id]; ok && l.matches(j) {
			l.jobs = append(l.jobs, j)
		}
		if len(l.jobs) == l.query.Size || l.seen == maxRows {
			return true, nil
		}
	}
	return false, nil
}

// matches asks the job itself: the index may be behind it.
func (l *listing) matches(j job.Job) bool {
	return (l.query.Status == "" || j.Status == l.query.Status) && (l.query.Profile == "" || j.Profile == l.query.Profile)
}
