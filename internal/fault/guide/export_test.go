package guide

import (
	"maps"
	"slices"

	"bulksigner/internal/fault"
)

// Parse reads a catalogue.
var Parse = parse

// Codes are all codes that a catalogue knows.
func Codes(language string) ([]fault.Code, error) {
	entries, err := catalogues[language]()
	return slices.Sorted(maps.Keys(entries)), err
}
