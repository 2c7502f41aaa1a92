package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// idempotencyHeader has the name that a client gives to a request which it may repeat.
const idempotencyHeader = "Idempotency-Key"

// maxIdempotencyKey bounds that name, in bytes.
const maxIdempotencyKey = 255

const idempotencyDoc = "A name that you choose for this request, at most 255 visible ASCII characters without commas, like a UUID. " +
	"For 24 hours the same request with the same name makes nothing new, and is answered with the job of the first."

// repeatableKey says in an operation's metadata that the header counts there.
const repeatableKey = "repeatable"

type idempotencyContext struct{}

// repeatable says of an operation that it may be repeated under a name.
func repeatable(op huma.Operation) huma.Operation {
	metadata := map[string]any{repeatableKey: true}
	maps.Copy(metadata, op.Metadata)
	op.Metadata = metadata
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: idempotencyHeader, In: "header", Description: idempotencyDoc,
		Schema: &huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(maxIdempotencyKey)},
	})
	return op
}

// identify reads the name of a request that may be repeated. One that cannot be used is refused, since the client relies
// on it.
func identify(a huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		given, there := header(ctx, idempotencyHeader)
		if !there || ctx.Operation().Metadata[repeatableKey] != true {
			next(ctx)
			return
		}
		if !isIdempotencyKey(given) {
			refuse(a, ctx, fault.New(fault.RequestInvalid, "%s is not 1 to %d visible ASCII characters without commas, sent once", idempotencyHeader, maxIdempotencyKey))
			return
		}
		next(huma.WithValue(ctx, idempotencyContext{}, keyOf(ctx, given)))
	}
}

// isIdempotencyKey leaves out the comma, which API Gateway joins two headers with.
func isIdempotencyKey(s string) bool {
	return s != "" && len(s) <= maxIdempotencyKey && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == ',' })
}

// keyOf makes the key of a request: the same name means another request on another path.
func keyOf(ctx huma.Context, given string) job.IdempotencyKey {
	u := ctx.URL()
	sum := sha256.Sum256([]byte(ctx.Method() + " " + u.Path + "\n" + given))
	return job.IdempotencyKey(hex.EncodeToString(sum[:]))
}

// idempotencyOf is the key of the request under way, or "".
func idempotencyOf(ctx context.Context) job.IdempotencyKey {
	key, _ := ctx.Value(idempotencyContext{}).(job.IdempotencyKey)
	return key
}
