package verify_test

import (
	"crypto"
	"fmt"
	"strings"
	"testing"

	"bulksigner/internal/verify"
)

// TestOthersXML reads what our signer never makes. Nothing of AD-RB is demanded.
func TestOthersXML(t *testing.T) {
	t.Parallel()
	p := cast(t)
	cert := b64(sum(crypto.SHA256, p.maria.Raw))
	const notRead = "what the signature says about its certificate cannot be read"
	tests := []struct {
		name   string
		change func(*xmlMaker)
		check  string
		want   verify.Outcome
		detail string
	}{
		{"SHA-384", func(m *xmlMaker) { m.hash = crypto.SHA384 }, verify.SignatureValue, verify.Passed, ""},
		{"exclusive form with comments", func(m *xmlMaker) { m.info = replace(excC14N, excC14N+"WithComments") }, verify.SignatureValue, verify.Passed, ""},
		{"certificate named by SHA-1", func(m *xmlMaker) {
			m.props = func(s string) string {
				return replace(cert, b64(sum(crypto.SHA1, p.maria.Raw)))(replace(digestURIs[crypto.SHA256], digestURIs[crypto.SHA1])(s))
			}
		}, verify.SigningCertificate, verify.Passed, "SHA-1"},
		{"certificate named by its hash alone", func(m *xmlMaker) {
			m.v2 = true
			m.props = func(s string) string {
				from, to := strings.Index(s, "<xades:IssuerSerialV2>"), strings.Index(s, "</xades:Cert>")
				return s[:from] + s[to:]
			}
		}, verify.SigningCertificate, verify.Passed, "by its hash alone"},
		{"certificate of another issuer in version 2", func(m *xmlMaker) {
			m.v2 = true
			other := b64(seq(seq(tlv(0xA4, p.joao.RawSubject)), integer(p.maria.SerialNumber)))
			m.props = replace(b64(seq(seq(tlv(0xA4, p.maria.RawIssuer)), integer(p.maria.SerialNumber))), other)
		}, verify.SigningCertificate, verify.Failed, "issuer and number"},
		{"certificate named by no base64", func(m *xmlMaker) { m.props = replace(cert, "?") }, verify.SigningCertificate, verify.Failed, notRead},
		{"certificate named by no digest", func(m *xmlMaker) { m.props = replace("<xades:CertDigest>", "<xades:CertDigest><x></x>") },
			verify.SigningCertificate, verify.Failed, notRead},
		{"certificate named without an issuer", func(m *xmlMaker) {
			m.props = func(s string) string { return strings.ReplaceAll(s, "xades:IssuerSerial>", "xades:Issuer>") }
		}, verify.SigningCertificate, verify.Failed, notRead},
		{"certificate named by a number in words", func(m *xmlMaker) {
			m.props = func(s string) string { return strings.ReplaceAll(s, "ds:X509SerialNumber", "ds:X509Number") }
		}, verify.SigningCertificate, verify.Failed, notRead},
		{"unknown policy", func(m *xmlMaker) { m.policy = "2.16.76.1.7.1.6.99" }, verify.Policy, verify.NotChecked, ""},
		{"policy that cannot be read", func(m *xmlMaker) {
			m.props = func(s string) string { return strings.ReplaceAll(s, "xades:SigPolicyHash>", "xades:Hash>") }
		}, verify.Policy, verify.NotChecked, "cannot be read"},
		{"properties of nothing", func(m *xmlMaker) {
			m.props = func(s string) string { return strings.ReplaceAll(s, "xades:SignedSignatureProperties>", "xades:X>") }
		}, verify.SignedProperties, verify.Failed, "cannot be read"},
		{"key by its name as well", func(m *xmlMaker) { m.after = replace("<ds:KeyInfo>", "<ds:KeyInfo><ds:KeyName>k</ds:KeyName>") },
			verify.XMLSignature, verify.Passed, ""},
		{"certificate that is no base64", func(m *xmlMaker) { m.after = replace("<ds:X509Certificate>", "<ds:X509Certificate>?") },
			verify.XMLSignature, verify.Failed, "base64"},
		{"certificate that is none", func(m *xmlMaker) {
			m.after = replace("<ds:X509Data>", "<ds:X509Data><ds:X509Certificate>AAAA</ds:X509Certificate>")
		},
			verify.XMLSignature, verify.Passed, ""},
		{"value with an element", func(m *xmlMaker) { m.after = replace("</ds:SignatureValue>", "<ds:X/></ds:SignatureValue>") },
			verify.XMLSignature, verify.Failed, "something else than text"},
		{"value in CDATA", func(m *xmlMaker) {
			m.after = func(s string) string {
				return replace("</ds:SignatureValue>", "]]></ds:SignatureValue>")(replace(`Id="value-sig">`, `Id="value-sig"><![CDATA[`)(s))
			}
		}, verify.SignatureValue, verify.Passed, ""},
		{"XPath with an element", func(m *xmlMaker) {
			m.transforms = xpath("http://www.w3.org/2000/09/xmldsig#", "<ds:X></ds:X>") + fmt.Sprintf(transform, excC14N)
		}, verify.References, verify.Failed, "XPath"},
		{"parameters that the form does not have", func(m *xmlMaker) {
			m.transforms = `<ds:Transform Algorithm="` + c14n + `"><ds:X></ds:X></ds:Transform>`
		}, verify.References, verify.Failed, "not supported"},
		{"something with the digest", func(m *xmlMaker) { m.info = replace("<ds:DigestMethod", "<ds:X></ds:X><ds:DigestMethod") }, verify.XMLSignature, verify.Failed, "parts"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := p.goodXML()
			tt.change(&m)
			r := judgeXML(t, signedXML(t, m), verify.Options{At: now})
			got := r.Signatures[0].Check(tt.check)
			if got.Outcome != tt.want || !strings.Contains(got.Detail, tt.detail) {
				t.Errorf("%+v, want it to have %s with %q\n%+v", got, tt.want, tt.detail, r)
			}
			if (r.Err() == nil) != (tt.want != verify.Failed) {
				t.Errorf("Err = %v", r.Err())
			}
		})
	}
}

// TestInclusiveNamespaces: the exclusive form can be told to take prefixes along that only values use.
func TestInclusiveNamespaces(t *testing.T) {
	t.Parallel()
	p := cast(t)
	list := func(prefixes string) string {
		return `<ds:Transform Algorithm="` + excC14N + `"><e:InclusiveNamespaces xmlns:e="` + excC14N + `" PrefixList="` + prefixes + `"></e:InclusiveNamespaces></ds:Transform>`
	}
	const document = `<doc xmlns:a="urn:a&amp;&#10;" xmlns:b="urn:b"><item Id="part">b:x</item>`
	tests := []struct{ name, transform, content string }{
		{"none", fmt.Sprintf(transform, excC14N), `<item Id="part">b:x</item>`},
		{"one", list("b"), `<item xmlns:b="urn:b" Id="part">b:x</item>`},
		{"all", list("#default b\ta none"), `<item xmlns:a="urn:a&amp;&#xA;" xmlns:b="urn:b" Id="part">b:x</item>`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := p.goodXML()
			m.uri, m.transforms = "#part", strings.ReplaceAll(strings.ReplaceAll(tt.transform, "\t", "&#x9;"), "\n", "")
			if err := judgeXML(t, document+m.sign(t, tt.content)+`</doc>`, p.strict()).Err(); err != nil {
				t.Errorf("Err = %v", err)
			}
		})
	}
	m := p.goodXML()
	m.uri, m.transforms = "#part", list(strings.Repeat("p ", 40))
	r := judgeXML(t, document+m.sign(t, "")+`</doc>`, p.strict())
	if got := r.Signatures[0].Check(verify.References).Outcome; got != verify.Failed {
		t.Errorf("with forty prefixes the references have %s, want failed", got)
	}
}

func TestXMLTime(t *testing.T) {
	t.Parallel()
	p := cast(t)
	const as = "2026-11-29T09:00:00-03:00"
	for text, want := range map[string]string{
		as: "2026-11-29T12:00:00Z", "2026-11-29T12:00:00.5Z": "2026-11-29T12:00:00.5Z", "2026-11-29T12:00:00": "2026-11-29T12:00:00Z",
		"yesterday": "", "9999-12-31T23:59:59-01:00": "", "<x></x>": "",
	} {
		m := p.goodXML()
		m.props = replace(as, text)
		got := judgeXML(t, signedXML(t, m), p.strict()).Signatures[0].Time
		if (got == nil) != (want == "") || got != nil && got.Format("2006-01-02T15:04:05.999Z07:00") != want {
			t.Errorf("%s: time = %v, want %s", text, got, want)
		}
	}
}

// TestWeakKeysInXML are reported as such.
func TestWeakKeysInXML(t *testing.T) {
	t.Parallel()
	for name, m := range weakMakers(t) {
		x := xmlMaker{key: m.key, cert: m.cert}
		s := judgeXML(t, signedXML(t, x), verify.Options{At: now}).Signatures[0]
		if got := s.Check(verify.SignatureValue); got.Outcome != verify.Failed || !strings.Contains(got.Detail, "too s") {
			t.Errorf("%s: %+v, want it to be too short or too small", name, got)
		}
	}
	light := lightMaker(t) // a kind of key for which XML has no signature here
	x := xmlMaker{key: newKey(t), cert: light.cert}
	s := judgeXML(t, signedXML(t, x), verify.Options{At: now}).Signatures[0]
	if got := s.Check(verify.SignatureValue).Outcome; got != verify.Failed {
		t.Errorf("Ed25519: the signature is %s, want failed", got)
	}
}

// TestOnlyItselfSigned: a signature over its own parts signs no content.
func TestOnlyItselfSigned(t *testing.T) {
	t.Parallel()
	p := cast(t)
	m := p.goodXML()
	plain := fmt.Sprintf(transform, excC14N)
	m.uri, m.transforms = "#key", plain
	cert := "<ds:X509Certificate>" + b64(p.maria.Raw) + "</ds:X509Certificate>"
	key := `<ds:KeyInfo` + dsigNS + ` Id="key"><ds:X509Data>` + cert + `</ds:X509Data></ds:KeyInfo>`
	m.after = func(s string) string {
		from, to := strings.Index(s, "<ds:KeyInfo>"), strings.Index(s, "</ds:KeyInfo>")+len("</ds:KeyInfo>")
		return s[:from] + key + s[to:]
	}
	s := judgeXML(t, xmlHead+m.sign(t, key)+xmlTail, p.strict()).Signatures[0]
	if got := s.Check(verify.MessageDigest).Outcome; got != verify.Passed {
		t.Errorf("the digest is %s, want passed", got)
	}
	if got := s.Check(verify.Coverage).Outcome; got != verify.Failed || len(s.Signed) > 0 || s.CoversWholeFile {
		t.Errorf("coverage is %s, signed %v, want nothing to be signed", got, s.Signed)
	}
	m.transforms = xpath("http://www.w3.org/2000/09/xmldsig#", "not(ancestor-or-self::s:Signature)") + plain
	s = judgeXML(t, xmlHead+m.sign(t, "")+xmlTail, p.strict()).Signatures[0]
	if got := s.Check(verify.References).Outcome; got != verify.Failed {
		t.Errorf("references to what is left out have %s, want failed", got)
	}
}
