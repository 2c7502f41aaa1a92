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
	anchors      []string // trust anchors in S3, as bucket/key
	images       []string // images of seals in S3, as bucket/key
	containers   []string // PKCS#12 files in S3, as bucket/key
	signing      []string // secrets that open a signing key in a file
	pins         []string // secrets that open one on a token
	access       []string // secrets that callers are compared with
	signer       []string // the secret with the key for Lacuna Signer
	webhook      []string // the secret that its notifications show
	encryption   []string // the secret that outputs are encrypted with
	holders      holders
	onTokens     []string // profiles whose key is on a PKCS#11 token
}

// holders is where the certificates of SignerFolder profiles are: whose documents to look for stands in them.
type holders struct {
	certificates []string // in S3, as bucket/key
	containers   []string // PKCS#12 files in S3, as bucket/key
	secrets      []string // PKCS#12 files, and passwords of PKCS#12 files
}

// needs are what the settings name, and what the context says that other profiles may.
func (c Config) needs() needs {
	n := needsOf(c.Settings)
	n.addAllowed(c.Options)
	return n.distinct()
}

// needsOf goes through the profiles whether they are enabled or not: enabling one is no new deployment.
func needsOf(s settings.Settings) needs {
	var n needs
	for _, p := range s.Signing.Profiles { // the derived one is among them
		n.add(p)
	}
	for _, location := range s.Signing.AnchorObjects {
		n.anchors = appendObject(n.anchors, location)
	}
	n.access = appendSecret(n.access, string(s.Auth.ApiKey))
	n.signer = appendSecret(n.signer, string(s.Signer.ApiKey))
	n.webhook = appendSecret(n.webhook, string(s.Signer.WebhookSecret))
	if s.Encryption.Enabled {
		n.encryption = appendSecret(n.encryption, string(s.Encryption.Password))
	}
	return n
}

func (n *needs) add(p profile.Profile) {
	if c := p.Certificate; c != nil {
		n.addKey(*c)
		if p.Method == profile.SignerFolder {
			n.holders.add(*c)
		}
		if c.Source == profile.CloudHsm {
			n.onTokens = append(n.onTokens, p.Name)
		}
	}
	if seal := p.Signature.Seal; seal != nil {
		n.images = appendObject(n.images, seal.Image)
	}
}

func (n *needs) addKey(c profile.Certificate) {
	if k := c.Kms; k != nil {
		n.keys = append(n.keys, parseKey(k.KeyID))
		n.certificates = appendObject(n.certificates, k.Certificate)
	}
	if p := c.Pfx; p != nil {
		n.containers = appendObject(n.containers, p.Location)
		n.signing = appendSecret(appendSecret(n.signing, p.Location), p.Password)
	}
	if k := c.CloudHsm; k != nil {
		n.pins = appendSecret(n.pins, k.Pin)
	}
}

// add notes a certificate. One in a PKCS#12 file can only be had by opening the file.
func (h *holders) add(c profile.Certificate) {
	if k := c.Kms; k != nil {
		h.certificates = appendObject(h.certificates, k.Certificate)
	}
	if p := c.Pfx; p != nil {
		h.containers = appendObject(h.containers, p.Location)
		h.secrets = appendSecret(appendSecret(h.secrets, p.Location), p.Password)
	}
}

// appendObject appends what a location names, if it is an object.
func appendObject(objects []string, location string) []string {
	if bucket, key, ok := profile.ObjectAt(location); ok {
		return append(objects, bucket+"/"+key)
	}
	return objects
}

func appendSecret(arns []string, s string) []string {
	if profile.IsSecret(s) {
		return append(arns, s)
	}
	return arns
}

// distinct sorts, so that the order of profiles does not change the template.
func (n needs) distinct() needs {
	for _, list := range []*[]string{&n.certificates, &n.anchors, &n.images, &n.containers, &n.signing, &n.pins,
		&n.holders.certificates, &n.holders.containers, &n.holders.secrets} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	slices.SortFunc(n.keys, func(a, b key) int { return strings.Compare(a.String(), b.String()) })
	n.keys = slices.Compact(n.keys)
	return n
}

// check refuses objects that a role cannot name, since it would read a pattern or a variable into their names.
func (n needs) check() error {
	var faults []error
	for _, o := range slices.Concat(n.certificates, n.anchors, n.images, n.containers) {
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
