package api

import (
	"context"
	"log/slog"
	"maps"
	"math"
	"net/netip"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/settings"
)

// The policies that requests are counted under.
const (
	uploadPolicy       = "Upload"
	actionsPolicy      = "Actions"
	notificationPolicy = "SignerNotification"
)

// policyKey names an operation's policy in its metadata.
const policyKey = "policy"

// acts says of an operation that it is an operator's action, which a client address may not ask for at will.
func acts(op huma.Operation) huma.Operation { return under(op, actionsPolicy) }

func under(op huma.Operation, policy string) huma.Operation {
	metadata := map[string]any{policyKey: policy}
	maps.Copy(metadata, op.Metadata)
	op.Metadata = metadata
	return op
}

// policyOf is the policy of an operation, or "".
func policyOf(op *huma.Operation) string {
	policy, _ := op.Metadata[policyKey].(string)
	return policy
}

// limit turns a request away if too many have come from its client. It stands behind the key: whoever has none is turned
// away without a write to the table, and takes nothing from who has one behind the same address.
func (s *server) limit(a huma.API) func(huma.Context, func(huma.Context)) {
	limits := map[string]settings.Policy{uploadPolicy: s.Settings.RateLimiting.Upload, actionsPolicy: s.Settings.RateLimiting.Actions}
	return func(ctx huma.Context, next func(huma.Context)) {
		policy := policyOf(ctx.Operation())
		if !s.Settings.RateLimiting.Enabled || policy == "" {
			next(ctx)
			return
		}
		if wait := allowance(ctx.Context(), s.Limiter, policy, limits[policy], s.Now()); wait > 0 {
			ctx.SetHeader("Retry-After", retryAfter(wait))
			refuse(a, ctx, errLimited)
			return
		}
		next(ctx)
	}
}

var errLimited = fault.New(fault.RateLimited, "too many requests of this kind have come from your address")

// allowance counts a request and returns after what time it may come again, or 0 if it may go on. A table that cannot
// count lets everything pass: a limit is for its protection, and a request that needs it will fail by itself.
func allowance(ctx context.Context, l Limiter, policy string, p settings.Policy, now time.Time) time.Duration {
	wait, err := l.Allow(ctx, policy, clientOf(ctx), p.Permits, p.Window, now)
	if err != nil {
		slog.WarnContext(ctx, "request not counted", "policy", policy, "code", fault.CodeOf(err), "err", err,
			"request", identityOf(ctx).request)
		return 0
	}
	return wait
}

// retryAfter writes whole seconds, since the header has no others; never 0, at which nothing has changed.
func retryAfter(wait time.Duration) string {
	return strconv.Itoa(max(1, int(math.Ceil(wait.Seconds()))))
}

// someClient is who is counted where the gateway told no address.
const someClient = "unknown"

// clientOf is whom a request is counted for: the address that the gateway saw, and never one that a header tells. Of IPv6
// it is the network, since whoever has one address has its 2^64 neighbours.
func clientOf(ctx context.Context) string {
	address, err := netip.ParseAddr(identityOf(ctx).client)
	if err != nil {
		return someClient
	}
	address = address.WithZone("").Unmap()
	if address.Is4() {
		return address.String()
	}
	network, err := address.Prefix(64)
	if err != nil {
		return someClient
	}
	return network.String()
}
