package api

import (
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
)

// strictly refuses a query that could be read in more than one way: what a filter does not understand it would drop, and
// then answer with more than was asked for.
func strictly(a huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		u := ctx.URL()
		if reason := ambiguous(u.RawQuery); reason != "" && !isAnonymous(ctx.Operation()) {
			refuse(a, ctx, fault.New(refusalsOf(ctx.Operation()).invalid, "the query %s", reason))
			return
		}
		next(ctx)
	}
}

// mayBeEmpty are parameters whose empty value says the same as none.
var mayBeEmpty = map[string]bool{"cursor": true}

func ambiguous(query string) (reason string) {
	for pair := range strings.SplitSeq(query, "&") {
		if pair != "" && !strings.Contains(pair, "=") {
			return "has a parameter without a value"
		}
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return "is not well-formed"
	}
	for name, v := range values {
		switch {
		case len(v) > 1:
			return "has a parameter twice"
		case v[0] == "" && !mayBeEmpty[name]:
			return "has a parameter without a value"
		}
	}
	return ""
}
