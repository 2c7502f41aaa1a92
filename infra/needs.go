package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"bulksigner/internal/profile"
	"bulksigner/internal/settings"
)

// needs is what the settings name outside of this stack, and what roles therefore must name: keys, objects, secrets.
type needs struct {
	keys         []key
	certificates []string // certificates in S3, as bucket/key
	containers   []string // PKCS#12 files in S3, as bucket/key
	signing      []string // secrets that open a signing key
	access       []string // secrets that callers are compared with
}

// needsOf goes through the profiles whether they are enabled or not: enabling one is no new deployment.
func needsOf(s settings.Settings) needs {
	var n needs
	if s.Signing.Certificate != nil {
		n.add(*s.Signing.Certificate)
	}
	for _, p := range s.Signing.Profiles {
		if p.Certificate != nil {
			n.add(*p.Certificate)
		}
	}
	if s.Auth.ApiKey.Stored() {
		n.access = append(n.access, string(s.Auth.ApiKey))
	}
	return n.distinct()
}

func (n *needs) add(c profile.Certificate) {
	if k := c.Kms; k != nil {
		n.keys = append(n.keys, parseKey(k.KeyID))
		if bucket, object, ok := profile.ObjectAt(k.Certificate); ok {
			n.certificates = append(n.certificates, bucket+"/"+object)
		}
	}
	if p := c.Pfx; p != nil {
		if bucket, object, ok := profile.ObjectAt(p.Location); ok {
			n.containers = append(n.containers, bucket+"/"+object)
		}
		for _, s := range []string{p.Location, p.Password} {
			if profile.IsSecret(s) {
				n.signing = append(n.signing, s)
			}
		}
	}
}

// distinct sorts, so that the order of profiles does not change the template.
func (n needs) distinct() needs {
	for _, list := range []*[]string{&n.certificates, &n.containers, &n.signing, &n.access} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	slices.SortFunc(n.keys, func(a, b key) int { return strings.Compare(a.String(), b.String()) })
	n.keys = slices.Compact(n.keys)
	return n
}

// check refuses objects that a role cannot name: it would read a pattern or a variable into their names.
func (n needs) check() error {
	var faults []error
	for _, o := range slices.Concat(n.certificates, n.containers) {
		if strings.ContainsAny(o, "*?$") {
			faults = append(faults, fmt.Errorf("s3://%s: a role cannot name an object with *, ? or $ in its name; copy it to "+
				"another", o))
		}
	}
	return errors.Join(faults...)
}

// key names a KMS key. Where place is empty, the key is in the stack's own account and region.
type key struct {
	place string // arn:<partition>:kms:<region>:<account>
	id    string // of the key, or empty
	alias string // alias/<name>, or empty
}

func (k key) String() string { return k.place + ":" + k.id + k.alias }

// parseKey reads a key id, a key ARN, an alias or an alias ARN, which the settings have checked.
func parseKey(s string) key {
	var k key
	if strings.HasPrefix(s, "arn:") {
		cut := strings.LastIndexByte(s, ':')
		k.place, s = s[:cut], s[cut+1:]
	}
	if strings.HasPrefix(s, "alias/") {
		k.alias = s
		return k
	}
	k.id = strings.ToLower(strings.TrimPrefix(s, "key/")) // as KMS writes it, and policies compare it
	return k
}

// byPlace groups aliases by the account and region that they are in.
func byPlace(keys []key) map[string][]string {
	groups := map[string][]string{}
	for _, k := range keys {
		if k.alias != "" {
			groups[k.place] = append(groups[k.place], k.alias)
		}
	}
	return groups
}

var wholeSecret = regexp.MustCompile(`-[a-zA-Z0-9]{6}$`)

// secretPattern completes an ARN that lacks the six random characters at the end of a secret's name: a request may leave
// them out, a policy may not.
func secretPattern(arn string) string {
	if wholeSecret.MatchString(arn) {
		return arn
	}
	return arn + "-??????"
}
