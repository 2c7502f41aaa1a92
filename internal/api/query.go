package api

import (
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
)

// strictly refuses a query that could be read in more than one way: what a filter does not understand it would drop, and
// then answer with more than was asked for.
func strictly(a huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		u := ctx.URL()
		if reason := ambiguous(u.RawQuery, listsOf(ctx.Operation())); reason != "" && !isAnonymous(ctx.Operation()) {
			refuse(a, ctx, fault.New(refusalsOf(ctx.Operation()).invalid, "the query %s", reason))
			return
		}
		next(ctx)
	}
}

// mayBeEmpty are parameters whose empty value says the same as none.
var mayBeEmpty = map[string]bool{"cursor": true, "q": true}

// listsOf are the parameters of an operation that may stand in a query more than once.
func listsOf(op *huma.Operation) map[string]bool {
	lists := map[string]bool{}
	for _, p := range op.Parameters {
		lists[p.Name] = p.In == "query" && p.Explode != nil && *p.Explode
	}
	return lists
}

func ambiguous(query string, lists map[string]bool) (reason string) {
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
		case len(v) > 1 && !lists[name]:
			return "has a parameter twice"
		case slices.Contains(v, "") && !mayBeEmpty[name]:
			return "has a parameter without a value"
		}
	}
	return ""
}
