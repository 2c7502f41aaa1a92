package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Allowed is something that profiles may name besides what the settings do. Profiles are saved over the API, too, and a role
// cannot know what they will name: the deployment says it.
type Allowed struct {
	ARN    string
	Reason string // why it is a pattern, if it is one
}

// The forms of what may be allowed. A pattern stands for a part of a name, and never for a service, an account or a bucket.
var (
	keyForm    = regexp.MustCompile(`^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:(key/[a-zA-Z0-9*?-]+|alias/[a-zA-Z0-9/_*?-]+)$`)
	secretForm = regexp.MustCompile(`^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[a-zA-Z0-9/_+=.@*?-]+$`)
	objectForm = regexp.MustCompile(`^arn:aws[a-z-]*:s3:::[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/[^$\x00-\x1f]+$`)
)

// leastReason is what a reason for a pattern says at least, in characters.
const leastReason = 10

const maxAllowed = 200

func (a Allowed) isPattern() bool { return strings.ContainsAny(a.ARN, "*?") }

// allowed reads a list: ARNs, or objects with an arn and the reason why it is a pattern. On the command line it is JSON or
// ARNs between commas.
func (r *optionReader) allowed(key string, form *regexp.Regexp) (all []Allowed) {
	entries, ok := entriesOf(r.context(key))
	if !ok || len(entries) > maxAllowed {
		r.fault(key, fmt.Sprintf("it must be a list of at most %d ARNs, or of objects with arn and reason", maxAllowed))
		return nil
	}
	for i, e := range entries {
		a, ok := allowedOf(e)
		switch where := fmt.Sprintf("%s[%d]", key, i); {
		case !ok:
			r.fault(where, "it must be an ARN, or an object with arn and reason alone")
		case !form.MatchString(a.ARN):
			r.fault(where, fmt.Sprintf("%q is not usable", a.ARN))
		case a.isPattern() && len(strings.TrimSpace(a.Reason)) < leastReason:
			r.fault(where, fmt.Sprintf("%q is a pattern: say why in %d characters or more, as {\"arn\": ..., \"reason\": ...}", a.ARN, leastReason))
		default:
			all = append(all, a)
		}
	}
	return all
}

func entriesOf(v any) (entries []any, ok bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case []any:
		return v, true
	case string:
		if strings.HasPrefix(strings.TrimSpace(v), "[") {
			return entries, json.Unmarshal([]byte(v), &entries) == nil
		}
		for part := range strings.SplitSeq(v, ",") {
			entries = append(entries, strings.TrimSpace(part))
		}
		return entries, true
	}
	return nil, false
}

func allowedOf(entry any) (a Allowed, ok bool) {
	switch e := entry.(type) {
	case string:
		return Allowed{ARN: e}, true
	case map[string]any:
		arn, isText := e["arn"].(string)
		reason, hasReason := e["reason"].(string)
		return Allowed{arn, reason}, isText && hasReason && len(e) == 2
	}
	return a, false
}

// addAllowed notes what is named in full; it is no other than what the settings name. Any of it can be the certificate of a
// SignerFolder profile.
func (n *needs) addAllowed(o Options) {
	for _, a := range exact(o.ProfileKeys) {
		n.keys = append(n.keys, parseKey(a))
	}
	n.signing = append(n.signing, exact(o.ProfileSecrets)...)
	n.holders.secrets = append(n.holders.secrets, exact(o.ProfileSecrets)...)
	for _, a := range exact(o.ProfileObjects) {
		_, object, _ := strings.Cut(a, ":s3:::")
		n.certificates, n.holders.certificates = append(n.certificates, object), append(n.holders.certificates, object)
	}
}

func exact(all []Allowed) (arns []string) {
	for _, a := range all {
		if !a.isPattern() {
			arns = append(arns, a.ARN)
		}
	}
	return arns
}

func patterns(all []Allowed) []Allowed {
	return slices.DeleteFunc(slices.Clone(all), func(a Allowed) bool { return !a.isPattern() })
}

// signAsAllowed lets a function sign digests with keys that patterns of the context describe.
func (s *service) signAsAllowed() []grant {
	return s.onAllowedKeys("AllowedSign", "kms:Sign", s.signing())
}

// onAllowedKeys grants one action on keys that patterns describe. The pattern of an alias stands in a condition, as an alias
// does.
func (s *service) onAllowedKeys(id, action string, equals map[string]any) (grants []grant) {
	for i, a := range patterns(s.options.ProfileKeys) {
		g := allow(fmt.Sprintf("%s%d", id, i+1), a.ARN, action).because(a.Reason)
		g.conditions = conditions(equals, nil)
		if place, alias, ok := strings.Cut(a.ARN, ":alias/"); ok {
			g.resources, g.conditions = []string{place + ":key/*"}, aliasLike(equals, "alias/"+alias)
		}
		grants = append(grants, g)
	}
	return grants
}

func aliasLike(equals map[string]any, pattern string) map[string]any {
	all := map[string]any{"ForAnyValue:StringLike": map[string]any{"kms:ResourceAliases": []string{pattern}}}
	maps.Copy(all, conditions(equals, nil))
	return all
}

// readAllowed lets a function read secrets and objects that patterns describe.
func (s *service) readAllowed() (grants []grant) {
	for i, a := range patterns(s.options.ProfileSecrets) {
		grants = append(grants, allow(fmt.Sprintf("AllowedSecret%d", i+1), a.ARN, "secretsmanager:GetSecretValue").because(a.Reason))
	}
	for i, a := range patterns(s.options.ProfileObjects) {
		grants = append(grants, allow(fmt.Sprintf("AllowedObject%d", i+1), a.ARN, "s3:GetObject").because(a.Reason))
	}
	return grants
}
