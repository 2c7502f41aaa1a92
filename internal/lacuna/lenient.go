package lacuna

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The types of this file read what a field may hold and take everything that they cannot use for nothing: a field is
// rarely needed, and Signer has more forms than it documents.

// text is a string. A number or a truth value counts as its own text.
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		return json.Unmarshal(b, (*string)(t))
	case '{', '[', 'n':
		*t = ""
	default:
		*t = text(b)
	}
	return nil
}

// whole is an integer, also one in a string.
type whole int

// UnmarshalJSON implements json.Unmarshaler.
func (w *whole) UnmarshalJSON(b []byte) error {
	n, err := strconv.Atoi(strings.Trim(string(b), `"`))
	if err != nil {
		n = 0
	}
	*w = whole(n)
	return nil
}

// truth is a truth value, and whether there is one.
type truth struct{ given, yes bool }

// UnmarshalJSON implements json.Unmarshaler.
func (t *truth) UnmarshalJSON(b []byte) error {
	yes, err := strconv.ParseBool(strings.Trim(string(b), `"`))
	*t = truth{given: err == nil, yes: err == nil && yes}
	return nil
}

// moment is a time, or the zero time where there is none. Without an offset it is UTC.
type moment struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (m *moment) UnmarshalJSON(b []byte) error {
	s := strings.TrimSpace(strings.Trim(string(b), `"`))
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			*m = moment{t.UTC()}
			return nil
		}
	}
	*m = moment{}
	return nil
}

// id is a GUID in lower case, or "".
type id string

// UnmarshalJSON implements json.Unmarshaler.
func (i *id) UnmarshalJSON(b []byte) error {
	var t text
	if err := t.UnmarshalJSON(b); err != nil {
		return err
	}
	*i = id(guid(string(t)))
	return nil
}

var guidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// guid returns a GUID in lower case, or "" for what is none.
func guid(s string) string {
	s = strings.ToLower(s)
	if !guidForm.MatchString(s) {
		return ""
	}
	return s
}

// list is an array without its nulls, and whether there is one: null counts.
type list[T any] struct {
	given bool
	items []T
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *list[T]) UnmarshalJSON(b []byte) error {
	var all []*T
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	*l = list[T]{given: true}
	for _, item := range all {
		if item != nil {
			l.items = append(l.items, *item)
		}
	}
	return nil
}

// digits are the digits of a CPF, however it is written.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// mimeType is a MIME type in lower case, without parameters.
func mimeType(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return strings.ToLower(strings.TrimSpace(s))
}
