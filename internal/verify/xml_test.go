package verify_test

import (
	"crypto"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/verify"

	"github.com/google/go-cmp/cmp"
)

func TestGoodXML(t *testing.T) {
	t.Parallel()
	p := cast(t)
	with := func(change func(*xmlMaker)) string {
		m := p.goodXML()
		change(&m)
		return signedXML(t, m)
	}
	part := []verify.Part{{Element: "item", From: 21, To: 62}}
	whole := func(document string) []verify.Part { return []verify.Part{{Element: "doc", To: int64(len(document))}} }
	tests := []struct {
		name     string
		document string
		signed   []verify.Part
	}{
		{"the document", with(func(*xmlMaker) {}), nil},
		{"an element", with(func(m *xmlMaker) { m.uri, m.transforms = "#part", fmt.Sprintf(transform, excC14N) }), part},
		{"certificate named in version 2", with(func(m *xmlMaker) { m.v2 = true }), nil},
		{"SHA-512", with(func(m *xmlMaker) { m.hash = crypto.SHA512 }), nil},
		{"superseded policy", with(func(m *xmlMaker) { m.policy = xades24 }), nil},
		{"issuer the other way round", with(func(m *xmlMaker) { m.issuer = reversed(p.maria.Issuer.String()) }), nil},
		{"issuer in words that are not known", with(func(m *xmlMaker) { m.issuer = "nickname=AC" }), nil},
		{"broken lines and blanks", with(func(m *xmlMaker) {
			m.after = replace("<ds:KeyInfo>", "\r\n\t<!-- key --><ds:KeyInfo  >\n")
		}), nil},
		{"unsigned properties", with(func(m *xmlMaker) {
			m.after = replace("</xades:QualifyingProperties>", "<xades:UnsignedProperties/></xades:QualifyingProperties>")
		}), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := judgeXML(t, tt.document, p.strict())
			if err := r.Err(); err != nil {
				t.Fatalf("Err = %v", err)
			}
			if tt.signed == nil {
				tt.signed = whole(tt.document)
			}
			s := r.Signatures[0]
			if diff := cmp.Diff(tt.signed, s.Signed); diff != "" {
				t.Errorf("signed (-want +got):\n%s", diff)
			}
			if r.Format != "XAdES" || s.SignerName != "MARIA DE TESTE" || !strings.HasPrefix(s.Policy, "AD-RB XAdES 2.") ||
				s.CoversWholeFile != (s.Signed[0].From == 0) || s.Time == nil || !s.Time.Equal(now) {
				t.Errorf("report = %+v", r)
			}
		})
	}
}

func TestEnveloping(t *testing.T) {
	t.Parallel()
	p := cast(t)
	document := enveloping(t, p.goodXML())
	r := judgeXML(t, document, p.strict())
	if err := r.Err(); err != nil {
		t.Fatalf("Err = %v", err)
	}
	s := r.Signatures[0]
	from := strings.Index(document, `<ds:Object xmlns:ds="http://www.w3.org/2000/09/xmldsig#" Id="object"`)
	want := []verify.Part{{Element: "Object", From: int64(from), To: int64(from + strings.Index(document[from:], "</ds:Object>") + 12)}}
	if diff := cmp.Diff(want, s.Signed); diff != "" || !s.CoversWholeFile {
		t.Errorf("whole %t, signed (-want +got):\n%s", s.CoversWholeFile, diff)
	}
	r = judgeXML(t, strings.Replace(document, "</ds:KeyInfo>", "</ds:KeyInfo><ds:Object>more</ds:Object>", 1), p.strict())
	if got := demanded(r.Signatures[0]); !cmp.Equal(got, []string{verify.Coverage}) {
		t.Errorf("missed %v with an object that is not signed, want the coverage", got)
	}
}

// TestEllipticCurveInXML: the signature is two numbers, not their encoding.
func TestEllipticCurveInXML(t *testing.T) {
	t.Parallel()
	p := cast(t)
	o := p.strict()
	o.Signer = p.joao
	m := xmlMaker{key: p.curve, cert: p.joao, others: p.pki.Chain}
	if err := judgeXML(t, signedXML(t, m), o).Err(); err != nil {
		t.Errorf("Err = %v", err)
	}
	m.policy = xades24
	if got := demanded(judgeXML(t, signedXML(t, m), o).Signatures[0]); !cmp.Equal(got, []string{verify.Policy}) {
		t.Errorf("missed %v under a policy without curves, want the policy", got)
	}
}

// TestOrderOfXMLChecks holds the names, which are part of the report's format.
func TestOrderOfXMLChecks(t *testing.T) {
	t.Parallel()
	p := cast(t)
	r := judgeXML(t, signedXML(t, p.goodXML()), p.strict())
	var names []string
	for _, c := range r.Signatures[0].Checks {
		names = append(names, c.Name)
	}
	want := []string{"coverage", "xml-signature", "references", "message-digest", "signature", "signed-properties",
		"signing-certificate", "policy", "key-usage", "validity", "chain", "revocation", "signer"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "52998224725") {
		t.Errorf("the report contains a CPF: %s", text)
	}
}

// TestPlainXMLSignature is what tax documents have: no properties, the certificate alone.
func TestPlainXMLSignature(t *testing.T) {
	t.Parallel()
	p := cast(t)
	m := p.goodXML()
	m.plain, m.others = true, p.pki.Chain
	document := signedXML(t, m)
	o := p.strict()
	o.Policy = false
	r := judgeXML(t, document, o)
	if err := r.Err(); err != nil {
		t.Errorf("Err = %v", err)
	}
	if got := r.Signatures[0].Check(verify.SignedProperties).Outcome; got != verify.NotChecked {
		t.Errorf("signed-properties is %s, want not checked", got)
	}
	want := []string{verify.SignedProperties, verify.SigningCertificate, verify.Policy}
	if diff := cmp.Diff(want, demanded(judgeXML(t, document, p.strict()).Signatures[0])); diff != "" {
		t.Errorf("missed under a policy (-want +got):\n%s", diff)
	}
}

// TestInclusiveForm signs with Canonical XML 1.0, which takes along what is declared above.
func TestInclusiveForm(t *testing.T) {
	t.Parallel()
	p := cast(t)
	m := p.goodXML()
	m.plain, m.uri = true, "#part"
	m.transforms = fmt.Sprintf(transform, c14n)
	const content = `<item xmlns="urn:doc" xmlns:n="urn:n" Id="part" xml:lang="pt">content</item>`
	document := `<doc xmlns="urn:doc" xmlns:n="urn:n" xml:lang="pt"><item Id="part">content</item>` + m.sign(t, content) + `</doc>`
	o := p.strict()
	o.Policy = false
	if err := judgeXML(t, document, o).Err(); err != nil {
		t.Errorf("Err = %v", err)
	}
	// Of the signature itself as well, where nothing is declared above that it would take along.
	m.uri, m.transforms = "", fmt.Sprintf(transform+transform, enveloped, c14n+"#WithComments")
	for _, form := range []string{c14n, c14n + "#WithComments"} {
		m.info = replace(excC14N, form)
		if err := judgeXML(t, `<doc>`+m.sign(t, `<doc></doc>`)+`<!-- not signed --></doc>`, o).Err(); err != nil {
			t.Errorf("%s: Err = %v", form, err)
		}
	}
}

// TestXMLSignaturesBesideEachOther judges two signers' signatures over two elements.
func TestXMLSignaturesBesideEachOther(t *testing.T) {
	t.Parallel()
	p := cast(t)
	maria, joao := p.goodXML(), xmlMaker{key: p.curve, cert: p.joao, others: p.pki.Chain, id: "other"}
	maria.uri, joao.uri = "#a", "#b"
	maria.transforms = fmt.Sprintf(transform, excC14N)
	joao.transforms = maria.transforms
	build := func(first, second string) string {
		return `<doc><first Id="a">1</first><second Id="b">2</second>` + maria.sign(t, first) + joao.sign(t, second) + `</doc>`
	}
	const one, two = `<first Id="a">1</first>`, `<second Id="b">2</second>`
	if err := judgeXML(t, build(one, two), p.strict()).Err(); err != nil {
		t.Errorf("Err = %v", err)
	}
	r := judgeXML(t, build(one, "something else"), p.strict())
	if got := demanded(r.Signatures[1]); !cmp.Equal(got, []string{verify.MessageDigest}) || demanded(r.Signatures[0]) != nil {
		t.Errorf("missed %v and %v, want the digest of the other alone", demanded(r.Signatures[0]), got)
	}
	joao.cert = selfSigned(t, p.curve, "JOAO") // nobody vouches for it, and it is not asked for
	r = judgeXML(t, build(one, two), p.strict())
	if err := r.Err(); err != nil {
		t.Errorf("Err = %v, want others' certificates not to matter", err)
	}
	o := p.strict()
	o.Signer = nil
	if judgeXML(t, build(one, two), o).Err() == nil {
		t.Error("Err = nil with no signer asked for, want each signature to be judged")
	}
	o.Signer = p.expired
	if got := demanded(judgeXML(t, build(one, two), o).Signatures[1]); !cmp.Equal(got, []string{verify.Chain, verify.Signer}) {
		t.Errorf("missed %v, want all that is wrong and the signer", got)
	}
}

// TestXMLOptions judges one good signature by other demands.
func TestXMLOptions(t *testing.T) {
	t.Parallel()
	p := cast(t)
	document := signedXML(t, p.goodXML())
	tests := []struct {
		name   string
		change func(*verify.Options)
		want   []string
	}{
		{"wrong root", func(o *verify.Options) { o.Anchors = []*x509.Certificate{p.stranger.Root} }, []string{verify.Chain}},
		{"no root", func(o *verify.Options) { o.Anchors = nil }, nil},
		{"another signer", func(o *verify.Options) { o.Signer = p.joao }, []string{verify.Signer}},
		{"no time", func(o *verify.Options) { o.At = time.Time{} }, []string{verify.Policy, verify.Validity, verify.Chain}},
		{"before the policy", func(o *verify.Options) { o.At = time.Date(2025, 6, 11, 0, 0, 0, 0, time.UTC) },
			[]string{verify.Policy, verify.Validity, verify.Chain}},
		{"after the certificate", func(o *verify.Options) { o.At = now.AddDate(2, 0, 0) }, []string{verify.Validity, verify.Chain}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := p.strict()
			tt.change(&o)
			if diff := cmp.Diff(tt.want, demanded(judgeXML(t, document, o).Signatures[0])); diff != "" {
				t.Errorf("missed (-want +got):\n%s", diff)
			}
		})
	}
}
