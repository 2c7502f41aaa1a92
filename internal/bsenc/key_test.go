package bsenc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"bulksigner/internal/bsenc"
)

func TestDeriveKeyRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, password, salt string
		iterations           int
		good                 bool
	}{
		{"the least of everything", "p", strings.Repeat("s", bsenc.MinSalt), bsenc.MinIterations, true},
		{"no password", "", salt, iterations, false},
		{"a password that is not UTF-8", "caf\xe9", salt, iterations, false},
		{"no salt", password, "", iterations, false},
		{"a short salt", password, strings.Repeat("s", bsenc.MinSalt-1), iterations, false},
		{"no iterations", password, salt, 0, false},
		{"too few iterations", password, salt, bsenc.MinIterations - 1, false},
		{"fewer than none", password, salt, -bsenc.MinIterations, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			key, err := bsenc.DeriveKey(tt.password, []byte(tt.salt), tt.iterations)
			if (err == nil) != tt.good {
				t.Fatalf("DeriveKey = %v, want success %t", err, tt.good)
			}
			if err != nil && len(tt.password) > 1 && strings.Contains(err.Error(), tt.password) {
				t.Errorf("%q shows the password", err)
			}
			if _, err := bsenc.Seal(key, nil); (err == nil) != tt.good {
				t.Errorf("Seal = %v with what was returned, want success %t", err, tt.good)
			}
		})
	}
}

// TestEverythingMakesTheKey changes password, salt and iterations, one at a time.
func TestEverythingMakesTheKey(t *testing.T) {
	t.Parallel()
	envelope := seal(t, "a document")
	tests := []struct {
		name, password, salt string
		iterations           int
		want                 error
	}{
		{"the same", password, salt, iterations, nil},
		{"another password", password + " ", salt, iterations, bsenc.ErrDecryption},
		{"another salt", password, salt + "0", iterations, bsenc.ErrDecryption},
		{"other iterations", password, salt, iterations + 1, bsenc.ErrDecryption},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			key, err := bsenc.DeriveKey(tt.password, []byte(tt.salt), tt.iterations)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := bsenc.Open(key, envelope); !errors.Is(err, tt.want) {
				t.Errorf("Open = %v, want %v", err, tt.want)
			}
		})
	}
}

func TestKeyThatWasNotDerived(t *testing.T) {
	t.Parallel()
	var none bsenc.Key
	envelope := seal(t, "a document")
	_, sealed := bsenc.Seal(none, []byte("a document"))
	_, from := bsenc.SealFrom(nil, none, strings.NewReader("a document"), 10)
	_, opened := bsenc.Open(none, envelope)
	_, inPlace := bsenc.OpenInPlace(none, envelope)
	for name, err := range map[string]error{"Seal": sealed, "SealFrom": from, "Open": opened, "OpenInPlace": inPlace} {
		if err == nil || errors.Is(err, bsenc.ErrFormat) || errors.Is(err, bsenc.ErrDecryption) {
			t.Errorf("%s = %v, want an error about the key", name, err)
		}
	}
}

func TestKeyDoesNotShowItself(t *testing.T) {
	t.Parallel()
	const hidden = "(key)"
	key := testKey(t)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T%[1]v"} {
		if got := strings.TrimPrefix(fmt.Sprintf(verb, key), "bsenc.Key"); got != hidden {
			t.Errorf("%s gives %q, want %q", verb, got, hidden)
		}
	}
	holder := struct{ Key bsenc.Key }{key}
	if got := fmt.Sprintf("%+v", holder); got != "{Key:(key)}" {
		t.Errorf("inside of a struct: %q", got)
	}
	if got, err := json.Marshal(holder); err != nil || string(got) != `{"Key":"(key)"}` {
		t.Errorf("as JSON: %s, %v", got, err)
	}
	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).Info("m", "key", key)
	slog.New(slog.NewTextHandler(&out, nil)).Info("m", "key", key, "holder", holder)
	if got := strings.Count(out.String(), hidden); got != 3 {
		t.Errorf("logged as %s", &out)
	}
}
