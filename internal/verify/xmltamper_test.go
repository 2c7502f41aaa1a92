package verify_test

import (
	"crypto"
	"fmt"
	"strings"
	"testing"

	"bulksigner/internal/verify"

	"github.com/google/go-cmp/cmp"
)

// TestTamperedXML finds each fault in a signature by the check that is there for it.
func TestTamperedXML(t *testing.T) {
	t.Parallel()
	p := cast(t)
	weakCert := func(s string) string {
		return strings.Replace(s, fmt.Sprintf(digestTree, dsigNS, digestURIs[crypto.SHA256], dsigNS, b64(sum(crypto.SHA256, p.maria.Raw))),
			fmt.Sprintf(digestTree, dsigNS, digestURIs[crypto.SHA1], dsigNS, b64(sum(crypto.SHA1, p.maria.Raw))), 1)
	}
	const policyStart, policyEnd = "<xades:SignaturePolicyIdentifier>", "</xades:SignaturePolicyIdentifier>"
	withoutCert := func(s string) string {
		from, to := strings.Index(s, "<xades:SigningCertificate>"), strings.Index(s, policyStart)
		return s[:from] + s[to:]
	}
	tests := []struct {
		name   string
		change func(*xmlMaker)
		want   []string
	}{
		{"the time after signing", func(m *xmlMaker) { m.after = replace("T09:00", "T09:01") }, []string{verify.MessageDigest, verify.SignedProperties}},
		{"the digest after signing", func(m *xmlMaker) { m.after = replace("<ds:DigestValue>", "<ds:DigestValue>AA") },
			[]string{verify.Coverage, verify.XMLSignature}}, // no base64 any more
		{"an algorithm after signing", func(m *xmlMaker) { m.after = replace("rsa-sha256", "rsa-sha512") }, []string{verify.SignatureValue}},
		{"the signature", func(m *xmlMaker) {
			m.after = func(s string) string {
				at := strings.Index(s, "<ds:SignatureValue Id=") + 60
				if s[at] == 'A' {
					return s[:at] + "B" + s[at+1:]
				}
				return s[:at] + "A" + s[at+1:]
			}
		}, []string{verify.SignatureValue}},
		{"foreign key", func(m *xmlMaker) { m.key = newKey(t) }, []string{verify.SignatureValue}},
		{"hash of another certificate", func(m *xmlMaker) { m.props = replace(b64(sum(crypto.SHA256, p.maria.Raw)), b64(make([]byte, 32))) },
			[]string{verify.SigningCertificate}},
		{"number of another certificate", func(m *xmlMaker) {
			m.props = replace("SerialNumber"+dsigNS+">"+p.maria.SerialNumber.String(), "SerialNumber"+dsigNS+">17")
		}, []string{verify.SigningCertificate}},
		{"no number", func(m *xmlMaker) {
			m.props = replace("SerialNumber"+dsigNS+">"+p.maria.SerialNumber.String(), "SerialNumber"+dsigNS+">x")
		}, []string{verify.SigningCertificate}},
		{"issuer of another certificate", func(m *xmlMaker) { m.issuer = "CN=AC,O=ICP-Brasil,C=BR" }, []string{verify.SigningCertificate}},
		{"issuer of another certificate in version 2", func(m *xmlMaker) {
			m.v2 = true
			m.props = replace("<xades:IssuerSerialV2>", "<xades:IssuerSerialV2>MAMCAQEA")
		}, []string{verify.SigningCertificate}},
		{"certificate not named", func(m *xmlMaker) { m.props = withoutCert }, []string{verify.SigningCertificate}},
		{"certificate named by SHA-1", func(m *xmlMaker) { m.props = weakCert }, []string{verify.SigningCertificate}},
		{"certificate named twice", func(m *xmlMaker) {
			m.props = replace(policyStart, "<xades:SigningCertificateV2></xades:SigningCertificateV2>"+policyStart)
		},
			[]string{verify.SigningCertificate}},
		{"certificate named by nothing", func(m *xmlMaker) { m.props = replace("<xades:CertDigest>", "<xades:X></xades:X><xades:CertDigest>") },
			[]string{verify.SigningCertificate}},
		{"hash of another policy", func(m *xmlMaker) { m.props = replace(hashXML25, hashXML24) }, []string{verify.Policy}},
		{"unknown policy", func(m *xmlMaker) { m.policy = "2.16.76.1.7.1.6.99" }, []string{verify.Policy}},
		{"policy of CAdES", func(m *xmlMaker) { m.policy = cades24 }, []string{verify.Policy}},
		{"policy that is no identifier", func(m *xmlMaker) { m.policy = "x" }, []string{verify.Policy}},
		{"policy by an address", func(m *xmlMaker) { m.props = replace("urn:oid:", "http://") }, []string{verify.Policy}},
		{"no policy", func(m *xmlMaker) { m.policy = "none" }, []string{verify.Policy}},
		{"two policies", func(m *xmlMaker) { m.props = replace(policyStart, policyStart+policyEnd+policyStart) }, []string{verify.Policy}},
		{"implied policy", func(m *xmlMaker) {
			m.policy = "none"
			m.props = replace("</xades:SignedSig", policyStart+"<xades:SignaturePolicyImplied></xades:SignaturePolicyImplied>"+policyEnd+"</xades:SignedSig")
		}, []string{verify.Policy}},
		{"SHA-384, which the policy does not allow", func(m *xmlMaker) { m.hash = crypto.SHA384 }, []string{verify.Policy}},
		{"SHA-1", func(m *xmlMaker) { m.hash = crypto.SHA1 }, []string{verify.SignatureValue, verify.Policy}},
		{"expired", func(m *xmlMaker) { m.cert = p.expired }, []string{verify.Validity, verify.Chain, verify.Signer}},
		{"not for signatures", func(m *xmlMaker) { m.cert = p.encipherment }, []string{verify.KeyUsage, verify.Signer}},
		{"authorities left out", func(m *xmlMaker) { m.others = nil }, []string{verify.Chain}},
		{"certificate left out", func(m *xmlMaker) { m.after = replace(b64(p.maria.Raw), b64(p.joao.Raw)) },
			[]string{verify.SignatureValue, verify.SigningCertificate, verify.Signer}},
		{"no certificate", func(m *xmlMaker) {
			m.after = func(s string) string { return strings.ReplaceAll(s, "X509Certificate>", "X509CRL>") }
		}, []string{verify.XMLSignature}},
		{"too many certificates", func(m *xmlMaker) { m.others = append(manyOf(p.pki.Chain[1], 31), p.pki.Chain...) }, []string{verify.Coverage, verify.XMLSignature}},

		{"unknown digest", func(m *xmlMaker) { m.info = replace("xmlenc#sha256", "xmlenc#sha255") }, []string{verify.Coverage, verify.MessageDigest}},
		{"unknown algorithm", func(m *xmlMaker) { m.info = replace("rsa-sha256", "rsa-sha255") }, []string{verify.SignatureValue, verify.Policy}},
		{"algorithm for another key", func(m *xmlMaker) { m.info = replace("rsa-sha256", "ecdsa-sha256") }, []string{verify.SignatureValue}},
		{"unknown canonical form", func(m *xmlMaker) { m.info = replace(excC14N, "http://www.w3.org/2006/12/xml-c14n11") }, []string{verify.Coverage, verify.XMLSignature}},
		{"no reference", func(m *xmlMaker) {
			m.info = func(s string) string {
				from, to := strings.Index(s, "<ds:Reference"), strings.LastIndex(s, "</ds:Reference>")
				return s[:from] + s[to+len("</ds:Reference>"):]
			}
		}, []string{verify.Coverage, verify.XMLSignature}},
		{"too many references", func(m *xmlMaker) {
			m.info = func(s string) string {
				from, to := strings.Index(s, "<ds:Reference"), strings.Index(s, "</ds:Reference>")+len("</ds:Reference>")
				return s[:from] + strings.Repeat(s[from:to], 70) + s[to:]
			}
		}, []string{verify.Coverage, verify.XMLSignature}},
		{"parts in another order", func(m *xmlMaker) { m.after = replace("<ds:SignedInfo", "<ds:Object></ds:Object><ds:SignedInfo") }, []string{verify.Coverage, verify.XMLSignature}},
		{"a second signed info", func(m *xmlMaker) { m.after = replace("<ds:KeyInfo>", "<ds:SignedInfo></ds:SignedInfo><ds:KeyInfo>") },
			[]string{verify.Coverage, verify.XMLSignature}},
		{"a comment in a value", func(m *xmlMaker) { m.after = replace("</ds:SignatureValue>", "<!-- --></ds:SignatureValue>") },
			[]string{verify.Coverage, verify.XMLSignature}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := p.goodXML()
			tt.change(&m)
			r := judgeXML(t, signedXML(t, m), p.strict())
			got := demanded(r.Signatures[0])
			if n := len(got); n > 1 && got[n-1] == verify.Signer && got[n-2] == verify.XMLSignature { // unreadable, so nobody's
				got = got[:n-1]
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("missed (-want +got):\n%s\n%+v", diff, r)
			}
			if r.Err() == nil {
				t.Error("Err = nil")
			}
		})
	}
}

// TestReferences follows none that could lead somewhere else for somebody else.
func TestReferences(t *testing.T) {
	t.Parallel()
	p := cast(t)
	tests := []struct{ name, from, to, detail string }{
		{"no URI", ` URI=""`, ``, "does not say"},
		{"another document", ` URI=""`, ` URI="http://example.invalid/"`, "out of the document"},
		{"a file", ` URI=""`, ` URI="file:///etc/passwd"`, "out of the document"},
		{"a pointer", ` URI=""`, ` URI="#xpointer(/)"`, "plain name"},
		{"nothing", ` URI=""`, ` URI="#"`, "plain name"},
		{"no element", ` URI=""`, ` URI="#nobody"`, "leads to no element"},
		{"the signature", ` URI=""`, ` URI="#sig"`, "signature itself"},
		{"base64", enveloped, "http://www.w3.org/2000/09/xmldsig#base64", "not supported"},
		{"XSLT", enveloped, "http://www.w3.org/TR/1999/REC-xslt-19991116", "not supported"},
		{"XPath filter 2.0", enveloped, "http://www.w3.org/2002/06/xmldsig-filter2", "not supported"},
		{"XPath without an expression", enveloped, "http://www.w3.org/TR/1999/REC-xpath-19991116", "XPath"},
		{"C14N 1.1", excC14N + `"></ds:Transform></ds:Transforms>`, `http://www.w3.org/2006/12/xml-c14n11"></ds:Transform></ds:Transforms>`, "not supported"},
		{"something after the canonical form", enveloped, excC14N, "follows the canonical form"},
		{"no transform", "<ds:Transforms>", "<ds:Transforms><ds:X></ds:X>", "cannot be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := p.goodXML()
			m.info = func(s string) string { // behind the algorithm of the signed info itself
				at := strings.Index(s, "<ds:Reference")
				return s[:at] + replace(tt.from, tt.to)(s[at:])
			}
			s := judgeXML(t, signedXML(t, m), p.strict()).Signatures[0]
			if got := s.Check(verify.References); got.Outcome != verify.Failed || !strings.Contains(got.Detail, tt.detail) {
				t.Errorf("%+v, want it to have failed for %q", got, tt.detail)
			}
			if got := s.Check(verify.MessageDigest).Outcome; got != verify.NotChecked {
				t.Errorf("the digest is %s, want not checked", got)
			}
			if len(s.Signed) > 0 || s.CoversWholeFile {
				t.Errorf("signed is %v", s.Signed)
			}
		})
	}
}

// xpath is a transform that leaves out what an expression says.
func xpath(space, expression string) string {
	return `<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><ds:XPath xmlns:s="` + space + `" s:used="">` + expression + `</ds:XPath></ds:Transform>`
}

func TestXPath(t *testing.T) {
	t.Parallel()
	p := cast(t)
	const dsig = "http://www.w3.org/2000/09/xmldsig#"
	tests := []struct {
		name, transform string
		good            bool
	}{
		{"all signatures", xpath(dsig, "not(ancestor-or-self::s:Signature)"), true},
		{"with blanks", xpath(dsig, "\n not( ancestor-or-self::ds:Signature )\n"), true},
		{"of another namespace", xpath("urn:other", "not(ancestor-or-self::s:Signature)"), false},
		{"of no namespace", xpath(dsig, "not(ancestor-or-self::x:Signature)"), false},
		{"more than signatures", xpath(dsig, "not(ancestor-or-self::s:Signature) and not(ancestor-or-self::item)"), false},
		{"another", xpath(dsig, "true()"), false},
		{"two", xpath(dsig, "true()</ds:XPath><ds:XPath>true()"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := p.goodXML()
			m.transforms = tt.transform + fmt.Sprintf(transform, excC14N)
			r := judgeXML(t, signedXML(t, m), p.strict())
			if got := r.Signatures[0].Check(verify.References); (got.Outcome == verify.Passed) != tt.good {
				t.Errorf("%+v, want it to pass: %t", got, tt.good)
			}
			if (r.Err() == nil) != tt.good {
				t.Errorf("Err = %v", r.Err())
			}
		})
	}
}

// TestTwoWholeSignatures: signatures that leave all signatures out can stand beside each other.
func TestTwoWholeSignatures(t *testing.T) {
	t.Parallel()
	p := cast(t)
	m := p.goodXML()
	m.transforms = xpath("http://www.w3.org/2000/09/xmldsig#", "not(ancestor-or-self::s:Signature)") + fmt.Sprintf(transform, excC14N)
	second := m
	second.id = "second"
	document := xmlHead + m.sign(t, xmlHead+xmlTail) + second.sign(t, xmlHead+xmlTail) + xmlTail
	if err := judgeXML(t, document, p.strict()).Err(); err != nil {
		t.Errorf("Err = %v", err)
	}
	enveloped := p.goodXML()
	enveloped.id = "third"
	r := judgeXML(t, xmlHead+enveloped.sign(t, xmlHead+xmlTail)+m.sign(t, xmlHead+xmlTail)+xmlTail, p.strict())
	if got := demanded(r.Signatures[0]); !cmp.Equal(got, []string{verify.Coverage, verify.MessageDigest}) {
		t.Errorf("missed %v, want the first to be broken by the second", got)
	}
}
