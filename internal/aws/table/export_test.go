package table

import "bulksigner/internal/job"

// FilterOf is how a cursor names the filter of a query.
func FilterOf(q job.Query) string {
	f, err := newFilter(q)
	if err != nil {
		panic(err)
	}
	return f.String()
}

// EventFilterOf is how a cursor of the journal names the filter of a query.
func EventFilterOf(q job.EventQuery) string { return eventFilter(q) }
