package said

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Policy is an AD-RB policy as it must stand in a signature: as the ITI publishes it, and not as the signer knows it.
type Policy struct{ OID, Hash string }

// The policies that are signed under, with the hash that the policy gives of itself, in the notation of openssl.
var (
	PAdES = Policy{"2.16.76.1.7.1.11.1.3", "23E4BE4B9B362172E4EBB0E72B86A133ECE5AAD843D8651C6E38A0BA3F08FC60"}
	CAdES = Policy{"2.16.76.1.7.1.1.2.4", "1F3C904C44C392FEEF447E21FAA7A04E85D9C0153346320F557B7042AF5DCF13"}
)

// XAdES is the policy of XML, with its hash in base64.
var XAdES = Policy{"urn:oid:2.16.76.1.7.1.6.2.5", "68MGt+PxAOyh6mLwiAgyBsbsWsQMOuGNQmlR9lbh7hg="}

var element = regexp.MustCompile(`^ *\d+:d= *\d+ +hl=\d+ +l= *(?:\d+|inf) +(?:prim|cons): +(.+?) *(?::(.*))?$`)

// objects are the object identifiers in the report of openssl asn1parse, and, under each identifier, the octet strings
// that follow before the next dotted one.
func objects(text string) (names []string, octets map[string][]string) {
	octets = map[string][]string{}
	last := ""
	for line := range strings.Lines(text) {
		m := element.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		switch {
		case m == nil:
		case m[1] == "OBJECT":
			names = append(names, m[2])
			if strings.HasPrefix(m[2], "2.16.76.") {
				last = m[2]
			}
		case strings.HasPrefix(m[1], "OCTET STRING") && last != "":
			octets[last] = append(octets[last], m[2])
		}
	}
	return names, octets
}

// Attributes that a signature of AD-RB needs, and what PAdES does not allow, in the names of openssl.
var (
	needed    = []string{"contentType", "messageDigest", "id-smime-aa-ets-sigPolicyId", "id-smime-aa-signingCertificateV2", "id-smime-spq-ets-sqt-uri"}
	forbidden = []string{"signingTime", "1.2.840.113583.1.1.8"}
)

// CMS reads the report of openssl asn1parse about a signature, and checks that it names the policy with its hash and
// has the attributes that the policy demands. Strict says that what PAdES forbids must not be there.
func (p Policy) CMS(text string, strict bool) error {
	names, octets := objects(text)
	var wrong []error
	if !slices.Contains(names, p.OID) {
		wrong = append(wrong, fmt.Errorf("policy %s is not named", p.OID))
	} else if found := octets[p.OID]; len(found) == 0 || found[0] != p.Hash {
		wrong = append(wrong, fmt.Errorf("the policy's hash is not %.8s…", p.Hash))
	}
	for _, n := range needed {
		if !slices.Contains(names, n) {
			wrong = append(wrong, fmt.Errorf("%s is missing", n))
		}
	}
	for _, n := range forbidden {
		if strict && slices.Contains(names, n) {
			wrong = append(wrong, fmt.Errorf("%s is there", n))
		}
	}
	return errors.Join(wrong...)
}

// Properties is an XPath for xmllint: what the last signature of a document says about its policy, its reference to its
// own properties and its certificate, each in brackets.
const Properties = `concat(` +
	`'[',normalize-space((//*[local-name()='Signature'])[last()]//*[local-name()='SigPolicyId']/*[local-name()='Identifier']),']',` +
	`'[',(//*[local-name()='Signature'])[last()]//*[local-name()='SigPolicyHash']/*[local-name()='DigestValue'],']',` +
	`'[',(//*[local-name()='Signature'])[last()]//*[local-name()='Reference'][@Type='http://uri.etsi.org/01903#SignedProperties']/@URI,']',` +
	`'[#',(//*[local-name()='Signature'])[last()]//*[local-name()='SignedProperties']/@Id,']',` +
	`'[',(//*[local-name()='Signature'])[last()]//*[local-name()='CertDigest']/*[local-name()='DigestMethod']/@Algorithm,']',` +
	`'[',(//*[local-name()='Signature'])[last()]//*[local-name()='CertDigest']/*[local-name()='DigestValue'],']')`

var bracketed = regexp.MustCompile(`^\[([^]]*)\]\[([^]]*)\]\[([^]]*)\]\[([^]]*)\]\[([^]]*)\]\[([^]]*)\]\s*$`)

// XML reads what xmllint answers to Properties. digest gives the base64 digest of the signer's certificate under the
// name of an algorithm, or "" if it knows none of that name.
func (p Policy) XML(text string, digest func(algorithm string) string) error {
	m := bracketed.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("the properties cannot be read: %s", First(text))
	}
	var wrong []error
	if m[1] != p.OID {
		wrong = append(wrong, fmt.Errorf("policy %q is named, not %s", m[1], p.OID))
	}
	if m[2] != p.Hash {
		wrong = append(wrong, fmt.Errorf("the policy's hash is not %.8s…", p.Hash))
	}
	if m[3] != m[4] || m[3] == "#" {
		wrong = append(wrong, fmt.Errorf("%q is signed, the properties are %q", m[3], m[4]))
	}
	if want := digest(m[5]); want == "" || m[6] != want {
		wrong = append(wrong, errors.New("the certificate's digest is another one"))
	}
	return errors.Join(wrong...)
}
