package api

import (
	"context"
	"maps"
	"regexp"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

const ifMatch = "If-Match"

const ifMatchDoc = "The ETag of the profile as you know it: if somebody else saved meanwhile, nothing is done. An asterisk stands for " +
	"whatever version there is."

// errUnconditional refuses a change that names no version. Its status is one of its own: the request lacks a condition.
var errUnconditional = fault.New(fault.RequestInvalid, "send %s with the ETag that a read of the profile gave, or an asterisk for any version", ifMatch)

type conditionContext struct{}

// conditional says of an operation that it needs the version of what it changes.
func conditional(op huma.Operation) huma.Operation {
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: ifMatch, In: "header", Description: ifMatchDoc, Required: true, Schema: &huma.Schema{Type: huma.TypeString},
	})
	metadata := map[string]any{conditionalKey: true}
	maps.Copy(metadata, op.Metadata)
	op.Metadata = metadata
	return op
}

// conditionalKey says in an operation's metadata that it needs the header.
const conditionalKey = "conditional"

// conditions hands the header to operations that need it.
func conditions(ctx huma.Context, next func(huma.Context)) {
	if ctx.Operation().Metadata[conditionalKey] == true {
		ctx = huma.WithValue(ctx, conditionContext{}, sent(ctx, ifMatch))
	}
	next(ctx)
}

// etagOf names a version of a profile.
func etagOf(p profile.Profile) string { return `"` + strconv.FormatInt(p.Version, 10) + `"` }

// tagForm is an entity tag of RFC 9110. A weak one matches nothing here.
var tagForm = regexp.MustCompile(`^(W/)?"[\x21\x23-\x7E\x80-\xFF]*"$`)

// precondition is the version that a request wants to change.
func (s *server) precondition(ctx context.Context, name string) (int64, error) {
	if !profile.ValidName(name) {
		return 0, fault.New(fault.ProfileNotFound, "there is no such profile")
	}
	given, _ := ctx.Value(conditionContext{}).(string)
	switch {
	case given == "":
		return 0, errUnconditional
	case given == "*":
		p, err := s.namedProfile(ctx, name)
		return p.Version, err
	case !tagForm.MatchString(given):
		return 0, fault.New(fault.RequestInvalid, "%s is not one ETag, in its quotes", ifMatch)
	}
	version, err := strconv.ParseInt(given[1:len(given)-1], 10, 64)
	if err != nil || version < 1 || etagOf(profile.Profile{Version: version}) != given {
		// A tag that we never gave is no version of anything.
		return 0, fault.New(fault.ProfileChanged, "the profile has no such version; read it again")
	}
	return version, nil
}
