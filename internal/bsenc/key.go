package bsenc

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"unicode/utf8"
)

// Bounds of what a key comes from.
const (
	MinSalt           = 16 // bytes; 32 are better
	MinIterations     = 10_000
	DefaultIterations = 600_000
)

const keySize = 32

// Key seals and opens envelopes, in any number of goroutines at the same time. It does not show itself: printing, logging
// and JSON give "(key)". The zero value seals and opens nothing.
type Key struct{ aead cipher.AEAD }

// DeriveKey makes a key from a password by PBKDF2 with HMAC-SHA-256. That takes long on purpose, some tenths of a second
// for the default iterations: a key is derived once and kept in memory, nowhere else. It refuses an empty password and one
// that is not UTF-8, a salt of fewer than MinSalt bytes and fewer iterations than MinIterations.
func DeriveKey(password string, salt []byte, iterations int) (Key, error) {
	if err := badParameters(password, salt, iterations); err != nil {
		return Key{}, err
	}
	raw, err := pbkdf2.Key(sha256.New, password, salt, iterations, keySize)
	if err != nil {
		return Key{}, fmt.Errorf("derive the key: %w", err)
	}
	defer clear(raw)
	block, err := aes.NewCipher(raw)
	if err != nil {
		return Key{}, fmt.Errorf("prepare the key: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return Key{}, fmt.Errorf("prepare the key: %w", err)
	}
	return Key{aead}, nil
}

func badParameters(password string, salt []byte, iterations int) error {
	switch {
	case password == "":
		return errors.New("the password is empty")
	case !utf8.ValidString(password): // other readers replace what is not UTF-8, and arrive at another key
		return errors.New("the password is not UTF-8")
	case len(salt) < MinSalt:
		return fmt.Errorf("the salt has %d bytes, fewer than %d", len(salt), MinSalt)
	case iterations < MinIterations:
		return fmt.Errorf("%d iterations are fewer than %d", iterations, MinIterations)
	}
	return nil
}

const hidden = "(key)"

// Format hides the key from fmt, whatever the verb.
func (Key) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, hidden) // fmt's own buffer: it does not fail
}

// MarshalText hides the key from JSON.
func (Key) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// LogValue hides the key from slog.
func (Key) LogValue() slog.Value { return slog.StringValue(hidden) }
