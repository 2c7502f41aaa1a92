package api

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"bulksigner/internal/fault"
)

// maxNumbered is how far numbered pages reach: a page costs the reading of all before it.
const maxNumbered = 10_000

// checkPaging refuses a page that is named in two ways, or lies too far.
func checkPaging(page, size int, cursor string) error {
	switch {
	case page != 0 && cursor != "":
		return fault.New(fault.ValidationFilterInvalid, "page and cursor name two places; send one of them")
	case page*size > maxNumbered:
		return fault.New(fault.ValidationFilterInvalid, "numbered pages end at entry %d; go on with a cursor", maxNumbered)
	}
	return nil
}

// checkText refuses a text that nothing can contain.
func checkText(name, text string) error {
	if !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) || strings.ContainsFunc(text, unicode.IsControl) {
		return fault.New(fault.ValidationFilterInvalid, "%s has characters that are not text", name)
	}
	return nil
}

// parseRange reads a span of time, of which either end may be left out.
func parseRange(from, to string) (begin, end time.Time, err error) {
	if begin, err = parseTime("from", from); err != nil {
		return begin, end, err
	}
	if end, err = parseTime("to", to); err != nil {
		return begin, end, err
	}
	if from != "" && to != "" && !begin.Before(end) {
		return begin, end, fault.New(fault.ValidationFilterInvalid, "to is not after from")
	}
	return begin, end, nil
}

// parseTime reads a day or a time, or the zero time of nothing.
func parseTime(name, s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil && !t.IsZero() && t.UTC().Year() >= 1970 {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fault.New(fault.ValidationFilterInvalid,
		"%s is neither a day like 2026-03-04 nor a time like 2026-03-04T05:06:07Z, from 1970 on", name)
}

// distinctOf keeps each value once, and nil for none.
func distinctOf[T comparable](values []T) (distinct []T) {
	for _, v := range values {
		if !slices.Contains(distinct, v) {
			distinct = append(distinct, v)
		}
	}
	return distinct
}
