// Package icpbrasil knows the rules of ICP-Brasil that a signature must follow: the AD-RB signature policies with their
// identifiers, hashes, signing periods and algorithms, and where a certificate says whose it is.
//
// It takes no part in making or checking a signature; sign and verify ask it what is allowed.
package icpbrasil

import (
	"crypto"
	"encoding/asn1"
	"encoding/hex"
	"slices"
	"time"

	"bulksigner/internal/fault"
)

// Form is a form of advanced electronic signature.
type Form string

// The forms for which AD-RB is defined here.
const (
	PAdES Form = "PAdES"
	CAdES Form = "CAdES"
	XAdES Form = "XAdES"
)

// Policy is one version of a signature policy of type AD-RB (referência básica).
type Policy struct {
	Name string
	Form Form
	OID  asn1.ObjectIdentifier
	URI  string // goes into the SPuri qualifier

	// Hash is the policy's own signPolicyHash, SHA-256 whatever digest the signature uses. It is not the hash of the
	// policy file, which signatures must not carry (DOC-ICP-15.03, annex 1, note 2).
	Hash []byte

	From, Until time.Time // signing period, both ends included
	Revoked     time.Time // zero: not revoked

	ECDSA bool // the versions of 2025 allow ECDSA, the earlier ones RSA alone
}

// policies lists the newest version of each form first. Periods, OIDs and URIs are those of the policy files; the hashes
// were recomputed from them.
var policies = []Policy{
	policy("AD-RB PAdES 1.3", PAdES, "11.1.3", "PA_PAdES_AD_RB_v1_3.der", "23e4be4b9b362172e4ebb0e72b86a133ece5aad843d8651c6e38a0ba3f08fc60", day(2025, 7, 23), day(2037, 10, 22), true),
	policy("AD-RB PAdES 1.1", PAdES, "11.1.1", "PA_PAdES_AD_RB_v1_1.der", "44fc5816eb2d705d8c8f022a7f93b3fb49edfae1a7b9149ef6fab833e9bb63f8", day(2018, 5, 14), day(2029, 3, 2), false),
	policy("AD-RB CAdES 2.4", CAdES, "1.2.4", "PA_AD_RB_v2_4.der", "1f3c904c44c392feef447e21faa7a04e85d9c0153346320f557b7042af5dcf13", day(2025, 6, 12), day(2037, 10, 22), true),
	policy("AD-RB CAdES 2.3", CAdES, "1.2.3", "PA_AD_RB_v2_3.der", "b16e88bbf77322a67995b79078778ed3d0ea7c88587b6f6d518b715e8f76a3d5", day(2018, 5, 14), day(2029, 3, 2), false),
	policy("AD-RB XAdES 2.5", XAdES, "6.2.5", "PA_AD_RB_v2_5.xml", "ebc306b7e3f100eca1ea62f088083206c6ec5ac40c3ae18d426951f656e1ee18", day(2025, 6, 12), day(2037, 10, 22), true),
	policy("AD-RB XAdES 2.4", XAdES, "6.2.4", "PA_AD_RB_v2_4.xml", "575a317afdfe679b626bba1589f1ed78f897b244dbe8b3fd2b5404daed73a15e", day(2018, 5, 14), day(2029, 3, 2), false),
}

// Current returns the newest AD-RB policy of a form, the one to sign with at the given time. It returns
// fault.PolicyNotInForce outside of its signing period: a clock that is years off must not sign.
func Current(form Form, at time.Time) (Policy, error) {
	for _, p := range policies {
		if p.Form != form {
			continue
		}
		if !p.InForce(at) {
			return Policy{}, fault.New(fault.PolicyNotInForce, "%s allows signing from %s to %s", p.Name,
				p.From.Format(time.DateOnly), p.Until.Format(time.DateOnly))
		}
		return p, nil
	}
	return Policy{}, fault.New(fault.PolicyNotInForce, "there is no AD-RB policy for %q", form)
}

// ByOID finds a policy that is known here, current or superseded.
func ByOID(oid asn1.ObjectIdentifier) (Policy, bool) {
	i := slices.IndexFunc(policies, func(p Policy) bool { return p.OID.Equal(oid) })
	if i < 0 {
		return Policy{}, false
	}
	return policies[i], true
}

// InForce reports whether the policy allows signing at the given time.
func (p Policy) InForce(at time.Time) bool {
	return !at.Before(p.From) && at.Before(p.Until.AddDate(0, 0, 1)) && (p.Revoked.IsZero() || at.Before(p.Revoked))
}

// Smallest keys, in bits.
const (
	MinRSABits   = 2048
	MinECDSABits = 256
)

// Digests are the digest algorithms of all AD-RB policies listed here; SHA-384 is not among them.
var Digests = []crypto.Hash{crypto.SHA256, crypto.SHA512}

func policy(name string, form Form, suffix, file, hash string, from, until time.Time, ecdsa bool) Policy {
	h, err := hex.DecodeString(hash)
	if err != nil {
		panic(err) // a constant above is mistyped
	}
	var tail asn1.ObjectIdentifier
	for n, s := 0, suffix+"."; s != ""; s = s[1:] {
		if s[0] == '.' {
			tail, n = append(tail, n), 0
			continue
		}
		n = n*10 + int(s[0]-'0')
	}
	return Policy{
		Name: name, Form: form, Hash: h, From: from, Until: until, ECDSA: ecdsa,
		OID: append(asn1.ObjectIdentifier{2, 16, 76, 1, 7, 1}, tail...),
		URI: "http://politicas.icpbrasil.gov.br/" + file,
	}
}

func day(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }
