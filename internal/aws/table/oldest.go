package table

import (
	"context"
	"fmt"
	"iter"
	"time"

	"bulksigner/internal/aws/schema"
	"bulksigner/internal/job"
)

// oldestPage is how many rows of a shard one call reads: with it a pass over a thousand jobs takes a round or two. A row
// with a document has 194 bytes, and DynamoDB counts in steps of 4 KiB, which this number of rows just fills.
const oldestPage = 84

// Oldest goes through the rows of a status at work, from the job that is there longest, beginning after the position of
// a row ("" is the start). Jobs are not read: whoever acts on a row reads its job.
func (s *Store) Oldest(ctx context.Context, st job.Status, after string) iter.Seq2[job.Row, error] {
	return func(yield func(job.Row, error) bool) {
		if st.Final() || !st.Known() {
			yield(job.Row{}, fmt.Errorf("status %q is not one of jobs at work", st))
			return
		}
		at := span{index: schema.ByStatus, partition: statusPartition(st, time.Time{}), after: after, page: oldestPage}
		for r, err := range s.rows(ctx, at) {
			if err != nil {
				yield(job.Row{}, fmt.Errorf("find %s jobs: %w", st, err))
				return
			}
			row := job.Row{ID: r.id, Status: st, Since: r.time, ClaimUntil: r.claimUntil, DocumentID: r.documentID, Position: r.sk}
			if !yield(row, nil) {
				return
			}
		}
	}
}
