package job

import (
	"time"

	"bulksigner/internal/profile"
)

// Sources lists all ways in which a job begins.
var Sources = []Source{Watcher, Upload, Rescan, Retry, FromSigner}

// Query asks for jobs, newest first. Its filters narrow each other, and one that is zero lets everything pass.
type Query struct {
	Statuses []Status // any of them
	Profile  string
	Format   profile.Format
	Source   Source
	Name     string    // a part of the file's name, in capitals or not
	From, To time.Time // when the job was made: From is included, To is not

	Size   int
	Cursor string // of the page before
	// Page is the number of a page, from 1, for whoever turns pages; 0 goes by the cursor. A number costs the way there.
	Page int
}

// Filtered reports whether the query asks for less than all jobs.
func (q Query) Filtered() bool {
	return len(q.Statuses) > 0 || q.Profile != "" || q.Format != "" || q.Source != "" || q.Name != "" || !q.From.IsZero() || !q.To.IsZero()
}

// Page is an answer to a Query. A page can be short, even empty, and still have a cursor.
type Page struct {
	Jobs   []Job
	Cursor string // empty: there is no more
}

// EventQuery asks for the journal's entries, newest first. Its filters narrow each other, and one that is zero lets
// everything pass.
type EventQuery struct {
	Types    []string  // any of them
	From, To time.Time // From is included, To is not
	Contains string    // a part of the message, in capitals or not

	Size   int
	Cursor string // of the page before
	Page   int    // as in Query
}

// EventPage is an answer to an EventQuery. A page can be short, even empty, and still have a cursor.
type EventPage struct {
	Events []Event
	Cursor string // empty: there is no more
}
