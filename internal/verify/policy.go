package verify

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rsa"
	"encoding/asn1"
	"slices"
	"time"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cms"
)

// policyClaim is the policy that a signature names.
type policyClaim struct {
	id       cms.SignaturePolicyID
	present  bool // there is an attribute
	readable bool // it names a policy
	known    bool
	policy   icpbrasil.Policy
}

func (s *subject) claim() policyClaim {
	c := policyClaim{present: s.signed.has(cms.OIDSignaturePolicy)}
	v, ok := s.signed.one(cms.OIDSignaturePolicy)
	if !ok {
		return c
	}
	if rest, err := asn1.Unmarshal(v.FullBytes, &c.id); err != nil || len(rest) > 0 {
		return c // a NULL, which implies a policy without naming it, is unreadable too
	}
	c.readable = true
	c.policy, c.known = icpbrasil.ByOID(c.id.ID)
	return c
}

// name is for the report.
func (c policyClaim) name() string {
	switch {
	case c.known:
		return c.policy.Name
	case c.readable:
		return clip(c.id.ID.String())
	}
	return ""
}

// policyCheck judges the policy. If none is demanded the answer is given all the same, but the report does not depend
// on it.
func (s *subject) policyCheck() finding {
	f := s.judgePolicy()
	if !s.options.Policy {
		f.demanded = false
		if !s.policy.known {
			f = skipped(f.detail)
		}
	}
	return f
}

func (s *subject) judgePolicy() finding {
	c, at := s.policy, s.options.At
	switch {
	case !c.present:
		return fail("there is no signature policy")
	case !c.readable:
		return fail("the signature policy cannot be read")
	case !c.known:
		return fail("the signature policy is none of AD-RB that is known here")
	case c.policy.Form != s.form:
		return fail("%s is not a policy for %s", c.policy.Name, s.form)
	case !c.id.Hash.Algorithm.Algorithm.Equal(cms.OIDSHA256) || !bytes.Equal(c.id.Hash.Value, c.policy.Hash):
		return fail("the hash is not that of %s", c.policy.Name)
	case at.IsZero():
		return unknown("there is no time to judge it at")
	case !c.policy.InForce(at):
		return fail("%s allows signing from %s to %s only", c.policy.Name,
			c.policy.From.Format(time.DateOnly), c.policy.Until.Format(time.DateOnly))
	}
	if detail := s.policyAlgorithms(); detail != "" {
		return fail("%s", detail)
	}
	if newest, err := icpbrasil.Current(s.form, at); err == nil && newest.Name != c.policy.Name {
		return pass(c.policy.Name + " is superseded by " + newest.Name)
	}
	return pass(c.policy.Name)
}

// policyAlgorithms says what the policy does not allow about the algorithms, or nothing.
func (s *subject) policyAlgorithms() string {
	if !slices.Contains(icpbrasil.Digests, s.hash) {
		return "the policy does not allow the digest algorithm"
	}
	switch s.cert.PublicKey.(type) {
	case *rsa.PublicKey:
		if s.info.SignatureAlgorithm.Algorithm.Equal(cms.OIDRSAPSS) {
			return "the policy does not allow RSA-PSS"
		}
	case *ecdsa.PublicKey:
		if !s.policy.policy.ECDSA {
			return "the policy does not allow ECDSA"
		}
	default:
		return "the policy does not allow this kind of key"
	}
	return ""
}
