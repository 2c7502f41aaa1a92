package verify_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"bulksigner/internal/fault"
	"bulksigner/internal/verify"
)

func reversed(name string) string {
	parts := strings.Split(name, ",")
	for i := range len(parts) / 2 {
		parts[i], parts[len(parts)-1-i] = parts[len(parts)-1-i], parts[i]
	}
	return strings.Join(parts, ", ")
}

// TestEncodings: the digest is over the characters, and the report says where they are in the file.
func TestEncodings(t *testing.T) {
	t.Parallel()
	p := cast(t)
	m := p.goodXML()
	m.uri, m.transforms = "#part", fmt.Sprintf(transform, excC14N)
	long := strings.Repeat("ã€😀", 3000)
	latin := strings.Repeat("ãé", 6000)
	build := func(declaration, text string) (document, element string) {
		element = `<item Id="part">` + text + `</item>`
		return declaration + `<doc>` + text + element + m.sign(t, element) + `</doc>`, element
	}
	wide := func(s string, high, low int) []byte {
		var out []byte
		for _, u := range utf16.Encode([]rune("\uFEFF" + s)) {
			pair := [2]byte{}
			pair[high], pair[low] = byte(u>>8), byte(u)
			out = append(out, pair[:]...)
		}
		return out
	}
	narrow := func(s string) []byte {
		var out []byte
		for _, r := range s {
			out = append(out, byte(r))
		}
		return out
	}
	utf8Document, utf8Element := build("", long)
	utf16Document, _ := build(`<?xml version="1.0" encoding="UTF-16"?>`, long)
	latinDocument, latinElement := build(`<?xml version='1.0' encoding='iso-8859-1' standalone="yes" ?>`, latin)
	tests := []struct {
		name          string
		file, element []byte
	}{
		{"UTF-8", []byte(utf8Document), []byte(utf8Element)},
		{"UTF-8 with a mark", []byte("\uFEFF" + utf8Document), []byte(utf8Element)},
		{"UTF-16, little-endian", wide(utf16Document, 1, 0), wide(utf8Element, 1, 0)[2:]},
		{"UTF-16, big-endian", wide(utf8Document, 0, 1), wide(utf8Element, 0, 1)[2:]},
		{"ISO-8859-1", narrow(latinDocument), narrow(latinElement)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := judgeXML(t, string(tt.file), p.strict())
			if err := r.Err(); err != nil {
				t.Fatalf("Err = %v", err)
			}
			part := r.Signatures[0].Signed[0]
			if got := tt.file[part.From:part.To]; string(got) != string(tt.element) {
				t.Errorf("the signed part is said to be %.40q…, of %d bytes, want %d", got, len(got), len(tt.element))
			}
		})
	}
}

// TestCorpusXML reads signatures of other makers.
func TestCorpusXML(t *testing.T) {
	t.Parallel()
	at := time.Date(2019, 2, 19, 12, 29, 1, 0, time.UTC)
	r := judgeXML(t, string(corpus(t, "../xml/signed-xades-enveloped.xml")), verify.Options{At: at})
	if err := r.Err(); err != nil {
		t.Errorf("Err = %v", err)
	}
	if s := r.Signatures[0]; s.SignerName != "good-user" || !s.CoversWholeFile || s.Time == nil || !s.Time.Equal(at) {
		t.Errorf("signature = %+v", s)
	}
	r = judgeXML(t, string(corpus(t, "../xml/signed-xpath-all-signatures.xml")), verify.Options{At: now})
	if err := r.Err(); err != nil {
		t.Errorf("Err = %v", err)
	}
	for _, name := range []string{"signed-xades-enveloped.xml", "signed-xpath-all-signatures.xml"} {
		document := strings.Replace(string(corpus(t, "../xml/"+name)), "World", "world", 1)
		if got := judgeXML(t, document, verify.Options{}).Signatures[0].Check(verify.MessageDigest).Outcome; got != verify.Failed {
			t.Errorf("%s, changed: the digest is %s", name, got)
		}
	}
	for name, want := range map[string]error{"doctype-external-entity.xml": fault.XMLDoctype, "duplicate-ids.xml": fault.XMLDuplicateID, "nfe.xml": nil} {
		if _, err := verify.XML(corpus(t, "../xml/"+name), verify.Options{}); !errors.Is(err, want) {
			t.Errorf("%s: XML = %v, want %v", name, err, want)
		}
	}
}

// TestXmlsecAgrees shows that the documents of these tests are what others call signed.
func TestXmlsecAgrees(t *testing.T) {
	t.Parallel()
	xmlsec, err := exec.LookPath("xmlsec1")
	if err != nil {
		t.Skip("xmlsec1 is not installed")
	}
	p := cast(t)
	curve := xmlMaker{key: p.curve, cert: p.joao, others: p.pki.Chain}
	part := p.goodXML()
	part.uri, part.transforms = "#part", fmt.Sprintf(transform, excC14N)
	dir := t.TempDir()
	root := filepath.Join(dir, "root.pem")
	if err := os.WriteFile(root, p.pki.RootPEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	documents := map[string]string{"document": signedXML(t, p.goodXML()), "curve": signedXML(t, curve), "part": signedXML(t, part)}
	for name, document := range documents {
		path := filepath.Join(dir, name+".xml")
		if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), xmlsec, "--verify", "--trusted-pem", root, "--verification-gmt-time", "2026-11-29+12:00:00",
			"--id-attr:Id", "http://uri.etsi.org/01903/v1.3.2#:SignedProperties", "--id-attr:Id", "urn:doc:item", path).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "2/2") {
			t.Errorf("%s: xmlsec1 says %v\n%s", name, err, out)
		}
	}
}
