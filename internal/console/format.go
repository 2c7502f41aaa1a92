package console

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Number writes a number with the language's separators.
func (l *locale) Number(n int64) string {
	digits, sign := strconv.FormatInt(n, 10), ""
	if n < 0 {
		digits, sign = digits[1:], "-"
	}
	var groups []string
	for len(digits) > 3 {
		groups = append([]string{digits[len(digits)-3:]}, groups...)
		digits = digits[:len(digits)-3]
	}
	return sign + strings.Join(append([]string{digits}, groups...), l.T("format.thousands"))
}

// Ordinal writes the place of something in a list, whose first one is 0.
func (l *locale) Ordinal(i int) string { return l.Number(int64(i) + 1) }

// moment is a time for the part "time", which a script turns into the visitor's own zone; without one it is UTC.
type moment struct{ At, Text string }

// Time writes a moment; nil is none.
func (l *locale) Time(t time.Time) *moment {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &moment{At: t.Format(time.RFC3339Nano), Text: t.Format(l.T("format.time"))}
}

// IsDay reports whether a bound of a filter is a day, or none, and no time of a day.
func (l *locale) IsDay(bound string) bool {
	_, err := time.Parse(time.DateOnly, bound)
	return bound == "" || err == nil
}

// Day writes a date.
func (l *locale) Day(t time.Time) string { return t.UTC().Format(l.T("format.day")) }

// Duration writes how long something took: 421 ms, 3.4 s, 2 min 14 s, 1 h 02 min.
func (l *locale) Duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		s := strconv.FormatFloat(d.Seconds(), 'f', 1, 64)
		return strings.Replace(s, ".", l.T("format.decimal"), 1) + " s"
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
	default:
		return l.N("format.days", int64(d.Hours()/24))
	}
}

// Milliseconds writes a duration that the API gave, or a dash.
func (l *locale) Milliseconds(ms *int64) string {
	if ms == nil {
		return "—"
	}
	return l.Duration(time.Duration(*ms) * time.Millisecond)
}
