package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
)

// scheme names the API key in the OpenAPI document.
const scheme = "apiKey"

// authenticate lets a request through to an operation that is not anonymous if it has the key.
func (s *server) authenticate(a huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if isAnonymous(ctx.Operation()) {
			next(ctx)
			return
		}
		if err := s.authorize(ctx.Context(), sent(ctx, s.keyHeader)); err != nil {
			if statusOf(fault.CodeOf(err)) == http.StatusUnauthorized {
				ctx.SetHeader("WWW-Authenticate", "ApiKey")
			}
			refuse(a, ctx, err)
			return
		}
		next(ctx)
	}
}

// sent is everything that stands under a header, or "". A header that is sent twice means the list of both values: it is
// no key then, unless the key itself has the comma.
func sent(ctx huma.Context, name string) string {
	value, _ := header(ctx, name)
	return value
}

// header is everything that stands under a header, whatever its case, and whether there is such a one. API Gateway makes
// a list of one that is sent twice; others hand several values over.
func header(ctx huma.Context, name string) (value string, there bool) {
	var values []string
	ctx.EachHeader(func(n, value string) {
		if strings.EqualFold(n, name) {
			values = append(values, value)
		}
	})
	return strings.Join(values, ","), len(values) > 0
}

// authorize compares digests, so that the time tells nothing, not even the key's length.
func (s *server) authorize(ctx context.Context, given string) error {
	key, err := s.Key(ctx)
	if err != nil {
		return fmt.Errorf("read the API key: %w", err)
	}
	if strings.TrimSpace(key) == "" {
		return fault.New(fault.AuthMisconfigured, "the service has no API key; set Auth:ApiKey")
	}
	want, got := sha256.Sum256([]byte(key)), sha256.Sum256([]byte(given))
	if subtle.ConstantTimeCompare(want[:], got[:]) != 1 {
		return fault.New(fault.AuthInvalidCredentials, "send the API key in the header %s, once", s.keyHeader)
	}
	return nil
}

// refuse answers for a middleware.
func refuse(a huma.API, ctx huma.Context, err error) {
	// The error that comes back is about the connection, and huma has reported it.
	_ = huma.WriteErr(a, ctx, statusOf(fault.CodeOf(err)), "refused", err)
}
