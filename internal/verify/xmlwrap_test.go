package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"bulksigner/internal/verify"

	"github.com/google/go-cmp/cmp"
)

// TestWrapping moves what is signed out of the way and puts something else in its place.
func TestWrapping(t *testing.T) {
	t.Parallel()
	p := cast(t)
	part := p.goodXML()
	part.uri, part.transforms = "#part", fmt.Sprintf(transform, excC14N)
	signature := part.sign(t, xmlPart)
	whole := p.goodXML().sign(t, xmlHead+xmlTail)
	const moved = `<item Id="part" price="17">content</item>`
	const fake = `<item Id="fake" price="1">content</item>`
	object := func(content string) string {
		return strings.Replace(signature, "</ds:KeyInfo>", "</ds:KeyInfo><ds:Object>"+content+"</ds:Object>", 1)
	}
	other := xmlMaker{key: p.key, cert: selfSigned(t, p.key, "X"), id: "other", uri: "#fake", transforms: part.transforms, plain: true}
	tests := []struct {
		name, document string
		want           []string
	}{
		{"as it was", `<doc xmlns="urn:doc">` + moved + signature + `</doc>`, nil},
		{"deeper, alone", `<doc xmlns="urn:doc"><x>` + moved + `</x>` + signature + `</doc>`, nil},
		{"other content beside it", `<doc xmlns="urn:doc">` + moved + `<supplement/>` + signature + `</doc>`, nil},
		{"another of the same name", `<doc xmlns="urn:doc">` + fake + `<x>` + moved + `</x>` + signature + `</doc>`, []string{verify.Coverage}},
		{"the same name above it", `<item xmlns="urn:doc" price="1">` + moved + signature + `</item>`, []string{verify.Coverage}},
		{"another within it is signed with it", `<doc xmlns="urn:doc">` + strings.Replace(moved, "content", "content", 1) + signature + `</doc>`, nil},
		{"the same name of another namespace", `<doc xmlns="urn:doc">` + moved + `<item xmlns="urn:other"/>` + signature + `</doc>`, nil},
		{"in the signature's own object", `<doc xmlns="urn:doc">` + fake + object(moved) + `</doc>`, []string{verify.Coverage}},
		{"the false one in the signature's own object", `<doc xmlns="urn:doc">` + object(fake) + moved + `</doc>`, []string{verify.Coverage}},
		{"the false one signed by somebody else",
			`<doc xmlns="urn:doc">` + fake + moved + signature + other.sign(t, `<item xmlns="urn:doc" Id="fake" price="1">content</item>`) + `</doc>`,
			[]string{verify.Coverage}},
		{"content in a signature that signs the document", xmlHead +
			strings.Replace(whole, "</ds:KeyInfo>", `</ds:KeyInfo><ds:Object><evil/></ds:Object>`, 1) + xmlTail, []string{verify.Coverage}},
		{"content beside the properties", xmlHead +
			strings.Replace(whole, "</xades:QualifyingProperties>", `</xades:QualifyingProperties><evil/>`, 1) + xmlTail, []string{verify.Coverage}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := judgeXML(t, tt.document, p.strict())
			if diff := cmp.Diff(tt.want, demanded(r.Signatures[0])); diff != "" {
				t.Errorf("missed (-want +got):\n%s\n%+v", diff, r)
			}
			if (r.Err() == nil) != (tt.want == nil) {
				t.Errorf("Err = %v", r.Err())
			}
		})
	}
}

// TestWrappedProperties: the properties that are read must be those that are signed, and this signature's.
func TestWrappedProperties(t *testing.T) {
	t.Parallel()
	p := cast(t)
	m := p.goodXML()
	qualifying := func(s string) (from, to int) {
		const end = "</xades:QualifyingProperties>"
		return strings.Index(s, "<xades:QualifyingProperties"), strings.Index(s, end) + len(end)
	}
	tests := []struct {
		name   string
		change func(*xmlMaker)
		detail string
	}{
		{"of another signature", func(m *xmlMaker) { m.after = replace(`Target="#sig"`, `Target="#other"`) }, "another signature"},
		{"of no signature", func(m *xmlMaker) { m.after = replace(` Target="#sig"`, ``) }, "another signature"},
		{"of a signature without identifier", func(m *xmlMaker) { m.after = replace(` Id="sig"`, ``) }, "another signature"},
		{"signed ones outside", func(m *xmlMaker) {
			m.after = func(s string) string {
				from, to := qualifying(s)
				false1 := strings.Replace(strings.Replace(s[from:to], `Id="props-sig"`, `Id="x"`, 1), "T09:00", "T10:00", 1)
				return s[:from] + false1 + s[to:] + `<x>` + strings.Replace(s[from:to], `Target="#sig"`, `Target="#no"`, 1) + `</x>`
			}
		}, "not those of this signature"},
		{"two sets", func(m *xmlMaker) {
			m.after = func(s string) string {
				from, to := qualifying(s)
				return s[:to] + strings.Replace(s[from:to], `Id="props-sig"`, `Id="x"`, 1) + s[to:]
			}
		}, "several"},
		{"not referred to as such", func(m *xmlMaker) { m.info = replace("01903#SignedProperties", "01903/v1.3.2#SignedProperties") }, "exactly one reference"},
		{"not signed", func(m *xmlMaker) {
			m.info = func(s string) string { return s[:strings.Index(s, "<ds:Reference Type")] + "</ds:SignedInfo>" }
		}, "exactly one reference"},
		{"a reference to something else", func(m *xmlMaker) { m.info = replace("#props-sig", "#part") }, "not those of this signature"},
		{"of another version", func(m *xmlMaker) {
			m.after = func(s string) string { return strings.ReplaceAll(s, "01903/v1.3.2#", "01903/v1.2.2#") }
		}, "version"},
		{"not readable", func(m *xmlMaker) {
			m.after = replace("</xades:SignedProperties>", "</xades:SignedProperties><xades:X/>")
		}, "cannot be read"},
		{"with other content", func(m *xmlMaker) {
			m.props = replace("</xades:SignedProperties>", "<xades:X></xades:X></xades:SignedProperties>")
		}, "cannot be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := m
			tt.change(&m)
			r := judgeXML(t, signedXML(t, m), p.strict())
			if got := r.Signatures[0].Check(verify.SignedProperties); got.Outcome != verify.Failed || !strings.Contains(got.Detail, tt.detail) {
				t.Errorf("%+v, want it to have failed for %q", got, tt.detail)
			}
			if r.Err() == nil {
				t.Error("Err = nil")
			}
		})
	}
}

// TestCountersignature is over another signature's value, which is all that it signs.
func TestCountersignature(t *testing.T) {
	t.Parallel()
	p := cast(t)
	signature := p.goodXML().sign(t, xmlHead+xmlTail)
	from := strings.Index(signature, "<ds:SignatureValue")
	value := signature[from : strings.Index(signature, "</ds:SignatureValue>")+len("</ds:SignatureValue>")]
	counter := xmlMaker{key: p.curve, cert: p.joao, others: p.pki.Chain, id: "counter", uri: "#value-sig", transforms: fmt.Sprintf(transform, excC14N)}
	inner := counter.sign(t, strings.Replace(value, "<ds:SignatureValue", "<ds:SignatureValue"+dsigNS, 1))
	document := xmlHead + strings.Replace(signature, "</xades:QualifyingProperties>",
		"<xades:UnsignedProperties><xades:UnsignedSignatureProperties><xades:CounterSignature>"+inner+
			"</xades:CounterSignature></xades:UnsignedSignatureProperties></xades:UnsignedProperties></xades:QualifyingProperties>", 1) + xmlTail
	o := p.strict()
	o.Signer = nil
	r := judgeXML(t, document, o)
	if err := r.Err(); err != nil {
		t.Errorf("Err = %v", err)
	}
	if !r.Signatures[0].CoversWholeFile || r.Signatures[1].CoversWholeFile || r.Signatures[1].Signed[0].Element != "SignatureValue" {
		t.Errorf("report = %+v", r)
	}
}
