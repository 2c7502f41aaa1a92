package table

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// Limits of a cursor.
const (
	cursorVersion  = 1
	maxCursorBytes = 512 // as text
)

// cursor says where a list goes on. It repeats what was asked, so that it cannot serve another question.
type cursor struct {
	Version int        `json:"v"`
	Status  job.Status `json:"s,omitempty"`
	Profile string     `json:"p,omitempty"`
	Period  string     `json:"d,omitempty"`
	After   string     `json:"a,omitempty"`
}

func (c cursor) String() (string, error) {
	b, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("encode a cursor: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// parseCursor reads a cursor that came from outside. There is one way to write each, and no other is read. What it says
// is checked by the list that it belongs to.
func parseCursor(text string) (c cursor, _ error) {
	if len(text) > maxCursorBytes {
		return c, badCursor(fmt.Errorf("it has more than %d bytes", maxCursorBytes))
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return c, badCursor(err)
	}
	if err := json.Unmarshal(b, &c); err != nil {
		return c, badCursor(err)
	}
	again, err := c.String()
	if err != nil {
		return c, err
	}
	if c.Version != cursorVersion || again != text {
		return c, badCursor(fmt.Errorf("it is not written as version %d", cursorVersion))
	}
	return c, nil
}

func badCursor(cause error) error {
	return fault.Wrap(fault.ValidationFilterInvalid, cause, "the cursor is not one that this list gave")
}

// resume moves a list to where a cursor says, if it is a place of this very list.
func (l *listing) resume(text string) error {
	c, err := parseCursor(text)
	if err != nil {
		return err
	}
	if c.Status != l.query.Status || c.Profile != l.query.Profile {
		return badCursor(fmt.Errorf("it belongs to another filter"))
	}
	at, err := l.scale.parse(c.Period)
	if err != nil {
		return badCursor(err)
	}
	if at.Before(l.floor) || at.After(l.top) {
		return badCursor(fmt.Errorf("it points outside of the list's time"))
	}
	if c.After != "" {
		t, _, err := parseSortKey(c.After)
		if err != nil {
			return badCursor(err)
		}
		if !l.scale.start(t).Equal(at) {
			return badCursor(fmt.Errorf("its place is not in its period"))
		}
	}
	l.at, l.after = at, c.After
	return nil
}

// cursor says where the list stands.
func (l *listing) cursor() cursor {
	return cursor{Version: cursorVersion, Status: l.query.Status, Profile: l.query.Profile, Period: l.scale.format(l.at), After: l.after}
}

// scale is how a list cuts time: in days, in months, or not at all ("").
type scale string

const (
	whole    scale = ""
	byDays   scale = time.DateOnly
	byMonths scale = monthLayout
)

func scaleOf(s job.Status) scale {
	switch {
	case s == "":
		return byDays
	case s.Final():
		return byMonths
	default:
		return whole
	}
}

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
