package table

import (
	"fmt"
	"time"
)

// scale is how a list cuts time: in days, in months, or not at all ("").
type scale string

const (
	whole    scale = ""
	byDays   scale = time.DateOnly
	byMonths scale = monthLayout
)

// start is the beginning of the period that a time is in. The whole of time begins at zero.
func (s scale) start(t time.Time) time.Time {
	y, m, d := t.UTC().Date()
	switch s {
	case byDays:
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	case byMonths:
		return time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)
	default:
		return time.Time{}
	}
}

// before is the beginning of the period before one that begins at a time; after is that of the one that follows.
func (s scale) before(start time.Time) time.Time { return s.start(start.Add(-time.Nanosecond)) }

func (s scale) after(start time.Time) time.Time {
	if s == byMonths {
		return start.AddDate(0, 1, 0)
	}
	return start.AddDate(0, 0, 1)
}

func (s scale) format(t time.Time) string {
	if s == whole {
		return ""
	}
	return t.Format(string(s))
}

// parse reads what format wrote, and nothing else.
func (s scale) parse(text string) (time.Time, error) {
	if s == whole && text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(string(s), text)
	if err != nil {
		return time.Time{}, err
	}
	if s.format(t) != text {
		return time.Time{}, fmt.Errorf("%q is not a period", text)
	}
	return t, nil
}
