package said_test

import (
	"slices"
	"strings"
	"testing"

	"bulksigner/scripts/conformance/said"

	"github.com/google/go-cmp/cmp"
)

const pdfsigReport = `Digital Signature Info of: 147.pdf
Signature #1:
  - Signature Field Name: Gerente
  The signature form field is not signed.
Signature #2:
  - Signature Field Name: Antes
  - Signing Hash Algorithm: SHA-512
  - Signature Type: adbe.pkcs7.detached
  - Signed Ranges: [0 - 3485], [22223 - 26384]
  - Not total document signed
  - Signature Validation: Signature is Valid.
  - Certificate Validation: Certificate issuer is unknown.
Signature #3:
  - Signature Field Name: Signature1
  - Signer Certificate Common Name: MARIA DE TESTE:52998224725
  - Signing Time: Nov 29 2026 19:01:25
  - Signing Hash Algorithm: SHA-256
  - Signature Type: ETSI.CAdES.detached
  - Signed Ranges: [0 - 963], [8899 - 9308]
  - Total document signed
  - Signature Validation: Signature is Valid.
  - Certificate Validation: Certificate is Trusted.
`

func TestPDFSig(t *testing.T) {
	t.Parallel()
	good := []said.Signature{
		{Field: "Antes", Type: "adbe.pkcs7.detached", Digest: "SHA-512", Valid: true, Ranges: [3]int64{3485, 22223, 26384}},
		{Field: "Signature1", Type: "ETSI.CAdES.detached", Digest: "SHA-256", Valid: true, Trusted: true, Whole: true, Ranges: [3]int64{963, 8899, 9308}},
	}
	bad := slices.Clone(good)
	bad[1].Valid, bad[1].Trusted, bad[1].Whole = false, false, false
	tests := []struct {
		name, text string
		want       []said.Signature
	}{
		{"two of three fields", pdfsigReport, good},
		{"altered", strings.NewReplacer("Signature is Valid.\n  - Certificate Validation: Certificate is Trusted.", "Digest Mismatch.",
			"  - Total document", "  - Not total document").Replace(pdfsigReport), bad},
		{"none", "File 'control.pdf' does not contain any signatures\n", nil},
		{"nothing said", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, said.PDFSig(tt.text)); diff != "" {
				t.Errorf("signatures (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMuTool(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]said.Opinions{
		"Verifying signature 4:\n\tSignature is not signed.\nVerifying signature 6:\n\tCertificate error: Unknown error.\n\tThe document is unchanged since signing.\n":    {Unchanged: 1},
		"Verifying signature 21:\n\tThe signature is valid but there have been edits since signing.\nVerifying signature 6:\n\tThe document is unchanged since signing.\n": {Unchanged: 1, Edited: 1},
		"Verifying signature 6:\n\tCertificate error: Unknown error.\n\tDigest error: Signature invalidated by change to document.\n":                                      {Other: 1},
		"error: cannot find startxref\nwarning: trying to repair\n": {Other: 1},
		"": {},
	} {
		if got := said.MuTool(text); got != want {
			t.Errorf("MuTool(%q) = %+v, want %+v", text, got, want)
		}
	}
}

func TestQPDF(t *testing.T) {
	t.Parallel()
	const good = "checking a.pdf\nPDF Version: 1.7\nNo syntax or stream encoding errors found; the file may still contain\n"
	const size = "WARNING: a.pdf: reported number of objects (2) is not one plus the highest object number (3)"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"sound", good, nil},
		{"warning", "checking a.pdf\n" + size + "\nqpdf: operation succeeded with warnings\n", []string{strings.ReplaceAll(size, "a.pdf", "the file")}},
		{"object", good + "a.pdf (object 4 0, offset 12): expected endobj\n", []string{"the file (object 4 0, offset 12): expected endobj"}},
		{"dies", "", []string{"nothing was found out"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := said.QPDF(tt.text, "a.pdf")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("complaints (-want +got):\n%s", diff)
			}
			if news := said.News(got, got); len(news) != 0 {
				t.Errorf("News of the same = %q", news)
			}
			if news := said.News(nil, got); len(news) != len(got) {
				t.Errorf("News = %q, want all", news)
			}
		})
	}
}

func TestXMLSec(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"good", "OK\nSignedInfo References (ok/all): 2/2\nManifests References (ok/all): 0/0\n", ""},
		{"good, since 1.3", "Verification status: OK\nSignedInfo References (ok/all): 2/2\n", ""},
		{"no properties", "OK\nSignedInfo References (ok/all): 1/1\n", "1/1"},
		{"altered", "FAIL\nSignedInfo References (ok/all): 0/1\n", "not OK"},
		{"altered, and says 2/2", "FAIL\nSignedInfo References (ok/all): 2/2\n", "not OK"},
		{"no chain", "func=x:error=71\nError: signature failed\nERROR\nSignedInfo References (ok/all): 0/0\n", "not OK"},
		{"no signature", "Error: failed to find default node\n", "no references are named: Error: failed"},
		{"nothing said", "", "nothing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := said.XMLSec(tt.text)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("XMLSec = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestJava(t *testing.T) {
	t.Parallel()
	text := "a b.xml signature-1: valid\na b.xml : valid\nc.xml signature-2: valid\nc.xml signature-3: INVALID\n  value: true\nc.xml signature-4: valid\n" +
		"Exception in thread \"main\" java.lang.Error\n"
	want := map[string]bool{"a b.xml": true, "c.xml": false}
	if diff := cmp.Diff(want, said.Java(text)); diff != "" {
		t.Errorf("opinions (-want +got):\n%s", diff)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	text := "chatter\n1\tvalid\n2\tinvalid\tdigest differs\n3\tunable\tit cannot\n4\tinvalid\n5\tapproved\n6\tvalid\n6\tinvalid\ttwice\n6\tvalid\nx\tvalid\n7\n"
	want := map[int]said.Answer{
		1: {Valid: true, Why: "no reason is given"},
		2: {Why: "digest differs"},
		3: {Unable: true, Why: "it cannot"},
		4: {Why: "no reason is given"},
		5: {Why: "no reason is given"},
		6: {Why: "twice"},
	}
	if diff := cmp.Diff(want, said.Answers(text)); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func FuzzReports(f *testing.F) {
	f.Add(pdfsigReport)
	f.Add("1\tvalid\n\n a: valid\nOK\nSignedInfo References (ok/all): 2/2\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range said.PDFSig(text) {
			if s.Valid && !strings.Contains(text, "Signature is Valid.") {
				t.Error("approval that is not there")
			}
		}
		said.MuTool(text)
		said.Java(text)
		said.Answers(text)
		if said.XMLSec(text) == nil && !strings.Contains(text, "2/2") {
			t.Error("xmlsec1 did not say that")
		}
		if said.PAdES.CMS(text, true) == nil && !strings.Contains(text, said.PAdES.Hash) {
			t.Error("the hash is not there")
		}
		if len(said.First(text)) > 200 {
			t.Error("First is longer than it may be")
		}
	})
}
