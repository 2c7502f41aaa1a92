package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
)

// maxAnnouncement is the largest JSON body: all that it can hold is a fraction of this.
const maxAnnouncement = 64 << 10

// announcement is a file whose bytes come later.
type announcement struct {
	FileName    string  `json:"fileName" doc:"The file's name, without a folder; at most 255 bytes."`
	Profile     *string `json:"profile,omitempty" nullable:"true" doc:"The profile to sign by; default if it is left out."`
	Format      *string `json:"format,omitempty" nullable:"true" doc:"The signature's format: Pades, Cades or Xades; the profile's own if it is left out."`
	ContentType *string `json:"contentType,omitempty" nullable:"true" doc:"The media type that the bytes will be sent with; application/octet-stream if it is left out."`
}

// parseAnnouncement reads the JSON form. Every mistake is named, unknown fields among them.
func (s *server) parseAnnouncement(body []byte) (incoming, error) {
	if len(body) > maxAnnouncement {
		return incoming{}, fault.New(fault.RequestTooLarge, "a JSON body may have %d bytes", maxAnnouncement)
	}
	var a announcement
	if err := s.announcements.decode(body, &a); err != nil {
		return incoming{}, err
	}
	f := incoming{name: a.FileName, profile: value(a.Profile), format: value(a.Format), contentType: binary, announced: true}
	if given := value(a.ContentType); given != "" {
		if f.contentType = mediaType(given); f.contentType != given {
			return incoming{}, fault.New(fault.RequestInvalid, "contentType is not a media type")
		}
	}
	return f, nil
}

// value is what stands under an optional field.
func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

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

// decode reads body into v. The schema is asked first: it knows names to the letter, which encoding/json does not.
func (c *schemaCheck) decode(body []byte, v any) error {
	var parsed any
	// encoding/json would replace what is not UTF-8, and a name would change in silence.
	if !utf8.Valid(body) || json.Unmarshal(body, &parsed) != nil {
		return fault.New(fault.RequestInvalid, "the body is not JSON")
	}
	if repeats(body) {
		return fault.New(fault.RequestInvalid, "a field stands in the body twice")
	}
	var found huma.ValidateResult
	huma.Validate(c.registry, c.schema, huma.NewPathBuffer([]byte("body"), 4), huma.ModeWriteToServer, parsed, &found)
	if len(found.Errors) > 0 {
		return &invalid{found.Errors}
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("decode what its schema allows: %w", err)
	}
	return nil
}

// repeats reports whether an object has a field twice: JSON leaves open which of the two would count.
func repeats(object []byte) bool {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	for seen := map[any]bool{}; d.More(); {
		name, err := d.Token()
		if err != nil || seen[name] {
			return err == nil
		}
		seen[name] = true
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			return false
		}
	}
	return false
}
