package table

import (
	"fmt"
	"time"
)

// momentLayout is RFC 3339 in UTC with exactly three digits of a second, so that stored times sort as text.
const momentLayout = "2006-01-02T15:04:05.000Z"

// moment writes a time; the zero time is "", which is not stored.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(momentLayout)
}

// parseMoment reads what moment wrote.
func parseMoment(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	return time.Parse(momentLayout, s)
}

// moments reads the times of one item and keeps the first fault, so that a record is written down in one piece.
type moments struct{ err error }

func (m *moments) read(name, s string) time.Time {
	t, err := parseMoment(s)
	if err != nil && m.err == nil {
		m.err = fmt.Errorf("read %s: %w", name, err)
	}
	return t
}
