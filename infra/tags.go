package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
)

// Limits of tags: AWS has fifty on a resource, of which some are the stack's and some are for what adds its own.
const maxTags = 40

var (
	tagForm      = regexp.MustCompile(`^[\p{L}\p{N} _.:/=+@-]{1,128}$`)
	tagValueForm = regexp.MustCompile(`^[\p{L}\p{N} _.:/=+@-]{0,256}$`)
)

// stackTags are the keys of the tags that the stack sets by itself.
var stackTags = []string{"service", "stack"}

// tags reads tags: an object, on the command line in JSON. IAM takes keys that differ by case alone for the same.
func (r *optionReader) tags(key string) map[string]string {
	given, ok := objectOf(r.context(key))
	if !ok || len(given) > maxTags {
		r.fault(key, fmt.Sprintf("it must be an object of at most %d texts", maxTags))
		return nil
	}
	all, seen := map[string]string{}, slices.Clone(stackTags)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value, isText := given[name].(string)
		switch lower := strings.ToLower(name); {
		case !tagForm.MatchString(name) || strings.HasPrefix(lower, "aws:") || !isText || !tagValueForm.MatchString(value):
			r.fault(key, fmt.Sprintf("%q is not usable: a key has 1 to 128 characters and does not begin with aws:, a value is a text of "+
				"at most 256, both of letters, digits, blanks and _.:/=+@-", name))
		case slices.Contains(seen, lower):
			r.fault(key, fmt.Sprintf("%q is set already: the stack sets %s itself, and case makes no other key", name, strings.Join(stackTags, " and ")))
		default:
			all[name], seen = value, append(seen, lower)
		}
	}
	return all
}

func objectOf(v any) (object map[string]any, ok bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case map[string]any:
		return v, true
	case string:
		return object, json.Unmarshal([]byte(v), &object) == nil
	}
	return nil, false
}

// tag marks everything that can have tags, so that costs and owners are found.
func (s *service) tag() {
	tags := awscdk.Tags_Of(s.stack)
	tags.Add(jsii.String("service"), jsii.String("bulksigner"), nil)
	tags.Add(jsii.String("stack"), &s.options.Stack, nil)
	for _, name := range slices.Sorted(maps.Keys(s.options.Tags)) {
		tags.Add(&name, jsii.String(s.options.Tags[name]), nil)
	}
}
