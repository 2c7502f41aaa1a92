package app

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"bulksigner/internal/aws/secrets"
	"bulksigner/internal/settings"
)

// secret reads a secret of the settings: from there, or from Secrets Manager, which is asked when it is first used. Again
// says that it was refused somewhere, so that it must be read anew; key is its name in the settings.
func (b *base) secret(key string, s settings.Secret) func(ctx context.Context, again bool) (string, error) {
	if !s.Stored() {
		return func(context.Context, bool) (string, error) { return string(s), nil }
	}
	return reading(b.newSecrets(), key, string(s))
}

// newSecrets reads secrets, and keeps them out of the log from then on.
func (b *base) newSecrets() *secrets.Store {
	return secrets.New(secretsmanager.NewFromConfig(b.cloud), secrets.Seen(b.redactor.Add))
}

// secretStore keeps values for a while.
type secretStore interface {
	Get(ctx context.Context, arn string) (string, error)
	Refresh(ctx context.Context, arn string) error
}

func reading(store secretStore, key, arn string) func(ctx context.Context, again bool) (string, error) {
	return func(ctx context.Context, again bool) (string, error) {
		if again {
			if err := store.Refresh(ctx, arn); err != nil {
				return "", fmt.Errorf("read %s anew: %w", key, err)
			}
		}
		v, err := store.Get(ctx, arn)
		if err != nil {
			return "", fmt.Errorf("read %s: %w", key, err)
		}
		return v, nil
	}
}

// asked is a secret for those who compare with it and are not refused.
func asked(secret func(ctx context.Context, again bool) (string, error)) func(ctx context.Context) (string, error) {
	return func(ctx context.Context) (string, error) { return secret(ctx, false) }
}
