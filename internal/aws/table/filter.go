package table

import (
	"slices"
	"strings"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// filter is what a query asks for of jobs, in one form.
type filter struct {
	job.Query
	name string // in lower case
}

// newFilter refuses what nothing can match.
func newFilter(q job.Query) (f filter, _ error) {
	switch {
	case slices.ContainsFunc(q.Statuses, func(s job.Status) bool { return !s.Known() }):
		return f, fault.New(fault.ValidationFilterInvalid, "there is no such status")
	case q.Profile != "" && !profile.ValidName(q.Profile):
		return f, fault.New(fault.ValidationFilterInvalid, "no profile can have this name")
	case q.Format != "" && !q.Format.Known():
		return f, fault.New(fault.ValidationFilterInvalid, "there is no such format")
	case q.Source != "" && !slices.Contains(job.Sources, q.Source):
		return f, fault.New(fault.ValidationFilterInvalid, "there is no such source")
	}
	q.From, q.To = q.From.Truncate(time.Millisecond), q.To.Truncate(time.Millisecond) // as times are stored
	q.Statuses = slices.Compact(slices.Sorted(slices.Values(q.Statuses)))
	return filter{q, strings.ToLower(q.Name)}, checkTexts(q.Name, q.From, q.To)
}

// checkTexts refuses a text that no name can contain, and an end that is not after its beginning.
func checkTexts(part string, from, to time.Time) error {
	if len(part) > job.MaxNameBytes {
		return fault.New(fault.ValidationFilterInvalid, "the text has more than %d bytes", job.MaxNameBytes)
	}
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return fault.New(fault.ValidationFilterInvalid, "the time ends before it begins")
	}
	return nil
}

// String is the filter in few bytes, "" for one that lets everything pass.
func (f filter) String() string {
	if !f.Filtered() {
		return ""
	}
	return filterOf([]any{"jobs", f.Statuses, f.Profile, f.Format, f.Source, f.name, moment(f.From), moment(f.To)})
}

// scale is how time is cut for the filter. Jobs of some statuses are found by status, by when they got there, since that is
// never before they were made; with an end, by when they were made, since nothing says how much later they got there.
func (f filter) scale() scale {
	switch {
	case len(f.Statuses) == 0 || !f.To.IsZero():
		return byDays
	case slices.ContainsFunc(f.Statuses, job.Status.Final):
		return byMonths
	default:
		return whole
	}
}

// selective reports whether a row of the index does not tell if its job is asked for.
func (f filter) selective() bool {
	rest := len(f.Statuses) > 0 // by day, the index does not tell the status; by status, not when the job was made
	if f.scale() != byDays {
		rest = !f.From.IsZero()
	}
	return rest || f.Profile != "" || f.Format != "" || f.Source != "" || f.name != ""
}

// matches asks the job itself: the index may be behind it. An end of time needs no look, since such a list goes by day and
// never reads what was made later.
func (f filter) matches(j job.Job) bool {
	return (len(f.Statuses) == 0 || slices.Contains(f.Statuses, j.Status)) &&
		(f.Profile == "" || j.Profile == f.Profile) &&
		(f.Format == "" || j.Format == f.Format) &&
		(f.Source == "" || j.Source == f.Source) &&
		(f.From.IsZero() || !j.CreatedAt.Before(f.From)) &&
		strings.Contains(strings.ToLower(j.FileName), f.name)
}
