package settings

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"bulksigner/internal/profile"
)

// Secret is a secret or the ARN of one. It does not show itself: printing, logging and JSON give "(secret)".
type Secret string

// Stored reports whether s is the ARN of a secret in Secrets Manager, to be read before use.
func (s Secret) Stored() bool { return profile.IsSecret(string(s)) }

const hidden = "(secret)"

// String hides s. The secret itself is string(s).
func (Secret) String() string { return hidden }

// GoString hides s from %#v.
func (Secret) GoString() string { return hidden }

// MarshalText hides s from JSON.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// LogValue hides s from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// minLiteral is how long a secret must be to be looked for in what is written: a shorter one is part of other words.
const minLiteral = 12 // characters

// Literals returns the secrets that stand in the settings themselves, the longest first, so that they can be taken out of
// whatever is logged or shown. Those of Secrets Manager are known to whoever reads them.
func (s Settings) Literals() []string {
	var all []string
	for _, secret := range []Secret{s.Signer.ApiKey, s.Signer.WebhookSecret, s.Encryption.Password, s.Auth.ApiKey} {
		if !secret.Stored() && utf8.RuneCountInString(string(secret)) >= minLiteral {
			all = append(all, string(secret))
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(all)
}

const maxSecret = 512 // bytes

// badSecret says what is wrong with a secret that needs so many characters, or nothing: an empty one is a matter for
// others. It takes no misspelt ARN for a secret: it would be one that everybody can guess.
func badSecret(s Secret, characters int) string {
	text := string(s)
	switch {
	case text == "" || s.Stored():
		return ""
	case strings.HasPrefix(text, "arn:"):
		return "looks like an ARN, but not of a secret"
	case strings.TrimSpace(text) != text || strings.ContainsFunc(text, unicode.IsControl):
		return "has white space around it or control characters in it"
	case utf8.RuneCountInString(text) < characters:
		return fmt.Sprintf("is shorter than %d characters", characters)
	case len(text) > maxSecret:
		return fmt.Sprintf("is longer than %d bytes", maxSecret)
	}
	return ""
}
