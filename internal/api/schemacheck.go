package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
)

// schemaCheck decodes JSON of one type and refuses what its schema does not have. It has a registry of its own, since the
// document says more than huma should check.
type schemaCheck struct {
	registry huma.Registry
	schema   *huma.Schema
}

func newSchemaCheck[T any]() *schemaCheck {
	r := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	return &schemaCheck{r, r.Schema(reflect.TypeFor[T](), true, "")}
}

// decode reads body into v.
func (c *schemaCheck) decode(body []byte, v any) error {
	parsed, err := parseJSON(body)
	if err != nil {
		return err
	}
	return c.fit(parsed, body, v)
}

// fit reads a body that was parsed into v. The schema is asked first: it knows names to the letter, which encoding/json
// does not.
func (c *schemaCheck) fit(parsed any, body []byte, v any) error {
	var found huma.ValidateResult
	huma.Validate(c.registry, c.schema, huma.NewPathBuffer([]byte("body"), 4), huma.ModeWriteToServer, parsed, &found)
	if len(found.Errors) > 0 {
		return &invalid{found.Errors}
	}
	err := json.Unmarshal(body, v)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		// A schema has whole numbers of any size, and in any notation.
		return fault.New(fault.RequestInvalid, "%s is a number that cannot be used", shorten(wrong.Field))
	}
	if err != nil {
		return fmt.Errorf("decode what its schema allows: %w", err)
	}
	return nil
}

// parseJSON reads a body without a type in mind.
func parseJSON(body []byte) (parsed any, err error) {
	// encoding/json would replace what is not UTF-8, and a name would change in silence.
	if !utf8.Valid(body) || json.Unmarshal(body, &parsed) != nil {
		return nil, fault.New(fault.RequestInvalid, "the body is not JSON")
	}
	if repeats(json.NewDecoder(bytes.NewReader(body))) {
		return nil, fault.New(fault.RequestInvalid, "a field stands in the body twice")
	}
	return parsed, nil
}

// repeats reports whether an object, at any depth, has a field twice: JSON leaves open which of the two would count. It
// reads one value of what is known to be JSON.
func repeats(d *json.Decoder) bool {
	t, err := d.Token()
	if err != nil {
		return false
	}
	switch t {
	case json.Delim('{'):
		for seen := map[any]bool{}; d.More(); {
			name, err := d.Token()
			if err != nil {
				return false
			}
			if seen[name] || repeats(d) {
				return true
			}
			seen[name] = true
		}
	case json.Delim('['):
		for d.More() {
			if repeats(d) {
				return true
			}
		}
	default:
		return false
	}
	_, _ = d.Token() // the end of the object or list, which is there
	return false
}

func sortedKeys(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }

// value is what stands under an optional field.
func value[T any](v *T) T {
	if v == nil {
		var nothing T
		return nothing
	}
	return *v
}
