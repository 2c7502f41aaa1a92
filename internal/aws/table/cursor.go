package table

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"bulksigner/internal/fault"
)

// Limits of a cursor.
const (
	cursorVersion  = 1
	maxCursorBytes = 512 // as text
	filterBytes    = 12
)

// cursor says where a list goes on. It repeats what was asked, so that it cannot serve another question.
type cursor struct {
	Version int    `json:"v"`
	Filter  string `json:"f,omitempty"`
	Period  string `json:"d,omitempty"`
	After   string `json:"a,omitempty"`
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

// filterOf is a filter in few bytes, since it has names in it that belong into no log.
func filterOf(parts any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return base64.RawURLEncoding.EncodeToString(sum[:filterBytes])
}

// resume moves a walk to where its cursor says, if it is a place of this very list.
func (w *walk[T]) resume(timeOf func(string) (time.Time, error)) error {
	c, err := parseCursor(w.paging.cursor)
	if err != nil {
		return err
	}
	if c.Filter != w.paging.filter {
		return badCursor(fmt.Errorf("it belongs to another filter"))
	}
	if w.at, err = w.scale.parse(c.Period); err != nil {
		return badCursor(err)
	}
	if w.at.Before(w.floor) || w.at.After(w.top) {
		return badCursor(fmt.Errorf("it points outside of the list's time"))
	}
	if w.after = c.After; w.after == "" {
		return nil
	}
	t, err := timeOf(w.after)
	if err != nil {
		return badCursor(err)
	}
	if low, high := w.bounds(); !w.scale.start(t).Equal(w.at) || w.after < low || high != "" && w.after > high {
		return badCursor(fmt.Errorf("its place is not in its period"))
	}
	return nil
}
