package app

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"bulksigner/internal/api"
	"bulksigner/internal/console"
)

// console puts the operators' pages before the API.
func (b *base) console(rest http.Handler, key func(ctx context.Context, again bool) (string, error)) http.Handler {
	return console.New(console.Parts{
		API: rest, KeyHeader: b.settings.Auth.ApiKeyHeader, Key: key, Limiter: b.table, Client: api.ClientOf,
		UploadOrigin: b.uploadOrigin, Version: Version(),
	})
}

// uploadOrigin is where links for uploads lead. Making one asks nobody.
func (b *base) uploadOrigin(ctx context.Context) (string, error) {
	link, err := b.inputs.PresignPut(ctx, "uploads/", "", time.Minute)
	if err != nil {
		return "", fmt.Errorf("make a link: %w", err)
	}
	u, err := url.Parse(link.URL)
	if err != nil {
		return "", fmt.Errorf("read a link: %w", err)
	}
	return u.Scheme + "://" + u.Host, nil
}
