// Package secrets reads values from AWS Secrets Manager, by ARN.
//
// A value is read when it is first asked for and kept for five minutes; those who ask at the same time share one call.
// Errors name the secret and never quote what it holds. What a value means, and what to do when one is refused
// somewhere, is left to the caller, who may call Refresh and Get again.
package secrets

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/smithy-go"
)

// Kept is how long a value is used before it is read again.
const Kept = 5 * time.Minute

// api is what is used of Secrets Manager.
type api interface {
	GetSecretValue(context.Context, *secretsmanager.GetSecretValueInput, ...func(*secretsmanager.Options)) (*secretsmanager.GetSecretValueOutput, error)
}

// Store reads secrets and keeps them in memory.
type Store struct {
	client api
	seen   func(value string)

	mu    sync.Mutex
	kept  map[string]value
	calls map[string]*call // under way
}

// Option changes how a Store works.
type Option func(*Store)

// Seen has f told of every value that is text, before anybody else has it, so that it can be kept out of logs. Bytes that
// are no text cannot stand in one.
func Seen(f func(value string)) Option { return func(s *Store) { s.seen = f } }

// New makes a Store.
func New(client api, options ...Option) *Store {
	s := &Store{client: client, seen: func(string) {}, kept: map[string]value{}, calls: map[string]*call{}}
	for _, o := range options {
		o(s)
	}
	return s
}

// value is a secret as it was read.
type value struct {
	text   string
	bytes  []byte
	isText bool
	read   time.Time
}

// Get returns a secret that holds text.
func (s *Store) Get(ctx context.Context, arn string) (string, error) {
	v, err := s.value(ctx, arn)
	if err != nil {
		return "", err
	}
	if !v.isText {
		return "", fmt.Errorf("secret %s holds bytes, and text is wanted", arn)
	}
	return v.text, nil
}

// GetBinary returns the bytes of a secret, be they stored as bytes or as text. They are the caller's own.
func (s *Store) GetBinary(ctx context.Context, arn string) ([]byte, error) {
	v, err := s.value(ctx, arn)
	if err != nil {
		return nil, err
	}
	if v.isText {
		return []byte(v.text), nil
	}
	return slices.Clone(v.bytes), nil
}

// Refresh reads a secret once more, for somebody whose value was refused. If it fails, the kept value stays.
func (s *Store) Refresh(ctx context.Context, arn string) error {
	_, err := s.read(ctx, arn)
	return err
}

func (s *Store) value(ctx context.Context, arn string) (value, error) {
	s.mu.Lock()
	v, ok := s.kept[arn]
	s.mu.Unlock()
	if ok && time.Since(v.read) < Kept {
		return v, nil
	}
	return s.read(ctx, arn)
}

// call is a read that is under way. Its fields are written before done is closed.
type call struct {
	done  chan struct{}
	value value
	err   error
	ended bool // because the time of the one who made it was up
}

// read makes the call, or waits for the one that is under way. Who waits does not suffer from the other's lack of time.
func (s *Store) read(ctx context.Context, arn string) (value, error) {
	for {
		c, ours := s.join(arn)
		if ours {
			s.do(ctx, arn, c)
			return c.value, c.err
		}
		select {
		case <-c.done:
		case <-ctx.Done():
			return value{}, fmt.Errorf("wait for secret %s: %w", arn, ctx.Err())
		}
		if !c.ended || ctx.Err() != nil {
			return c.value, c.err
		}
	}
}

func (s *Store) join(arn string) (c *call, ours bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.calls[arn]; c != nil {
		return c, false
	}
	c = &call{done: make(chan struct{})}
	s.calls[arn] = c
	return c, true
}

// do makes the call and wakes those who wait, whatever happens.
func (s *Store) do(ctx context.Context, arn string, c *call) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if c.err == nil {
			s.kept[arn] = c.value
		}
		delete(s.calls, arn)
		close(c.done)
	}()
	c.err = fmt.Errorf("read secret %s: interrupted", arn) // stands if the client panics
	c.value, c.err = s.ask(ctx, arn)
	c.ended = c.err != nil && ctx.Err() != nil
}

// ask reads the current version of a secret, in the region that its ARN names.
func (s *Store) ask(ctx context.Context, id string) (value, error) {
	a, err := arn.Parse(id)
	if err != nil {
		// What stands here instead of an ARN can be the secret itself, so that it is not quoted.
		return value{}, errors.New("a secret is named by something that is no ARN")
	}
	now := time.Now()
	out, err := s.client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &id}, func(o *secretsmanager.Options) {
		o.Region = a.Region
	})
	if _, broken := errors.AsType[*smithy.DeserializationError](err); broken {
		// It carries the start of the answer, which is the secret.
		return value{}, fmt.Errorf("read secret %s: the answer cannot be read", id)
	}
	if err != nil {
		return value{}, fmt.Errorf("read secret %s: %w", id, err)
	}
	if out.SecretString != nil {
		s.seen(*out.SecretString)
		return value{text: *out.SecretString, isText: true, read: now}, nil
	}
	if utf8.Valid(out.SecretBinary) {
		s.seen(string(out.SecretBinary))
	}
	return value{bytes: out.SecretBinary, read: now}, nil
}
