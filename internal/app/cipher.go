package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/aws/smithy-go"

	"bulksigner/internal/bsenc"
	"bulksigner/internal/fault"
	"bulksigner/internal/settings"
	"bulksigner/internal/workflow"
)

// cipher encrypts outputs. Its key is derived when it is first needed, and kept for as long as the environment lives: a
// password that is changed meanwhile is the next environment's.
type cipher struct {
	password   func(ctx context.Context) (string, error)
	salt       []byte
	iterations int

	mu    sync.Mutex
	key   bsenc.Key
	ready bool
}

// cipher is how outputs are encrypted, or nil in a service that does not.
func (b *base) cipher() workflow.Cipher {
	e := b.settings.Encryption
	if !e.Enabled {
		return nil
	}
	return newCipher(e, asked(b.secret("Encryption:Password", e.Password)))
}

func newCipher(e settings.Encryption, password func(ctx context.Context) (string, error)) *cipher {
	return &cipher{password: password, salt: e.Salt, iterations: e.Iterations}
}

// Ready implements workflow.Cipher. What failed is tried again when it is next asked for.
func (c *cipher) Ready(ctx context.Context) error {
	_, err := c.derived(ctx)
	return err
}

// Seal implements workflow.Cipher.
func (c *cipher) Seal(ctx context.Context, document io.Reader, size int64) ([]byte, error) {
	key, err := c.derived(ctx)
	if err != nil {
		return nil, err
	}
	sealed, err := bsenc.SealFrom(nil, key, document, size)
	if err != nil {
		return nil, fmt.Errorf("encrypt the output: %w", err)
	}
	return sealed, nil
}

// derived makes the key once. Those who ask at the same time wait, since deriving takes a processor for itself.
func (c *cipher) derived(ctx context.Context) (bsenc.Key, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ready {
		return c.key, nil
	}
	password, err := c.password(ctx)
	if err != nil {
		return bsenc.Key{}, noPassword(err)
	}
	key, err := bsenc.DeriveKey(password, c.salt, c.iterations)
	if err != nil {
		return bsenc.Key{}, fault.Wrap(fault.EncryptionUnavailable, err, "Encryption:Password, Salt and Iterations make no key")
	}
	c.key, c.ready = key, true
	return key, nil
}

// unreadable are the answers of Secrets Manager that stay as they are until somebody does something.
var unreadable = []string{"ResourceNotFoundException", "AccessDeniedException", "InvalidRequestException", "DecryptionFailure"}

// noPassword says what it means that the password could not be read. Where nothing is proved, the error has no code.
func noPassword(err error) error {
	if a, ok := errors.AsType[smithy.APIError](err); ok && slices.Contains(unreadable, a.ErrorCode()) {
		return fault.Wrap(fault.EncryptionUnavailable, err, "the secret of Encryption:Password is not there or may not be read (%s)", a.ErrorCode())
	}
	return err
}
