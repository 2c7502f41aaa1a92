package xades_test

import (
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bulksigner/internal/sign/signtest"
)

// file writes a document for outside tools.
func file(t testing.TB, doc []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "document.xml")
	if err := os.WriteFile(name, doc, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// xmlsec lets xmlsec1 verify the last signature of a document, and returns what it says and whether it is content.
// elements are those that references lead to by their Id.
func xmlsec(t testing.TB, doc []byte, elements ...string) (string, bool) {
	t.Helper()
	return xmlsecAt(t, doc, "(//*[local-name()='Signature'])[last()]", world.RootFile(), elements...)
}

func xmlsecAt(t testing.TB, doc []byte, xpath, trusted string, elements ...string) (string, bool) {
	t.Helper()
	args := []string{"--verify", "--trusted-pem", trusted, "--node-xpath", xpath,
		"--id-attr:Id", "http://uri.etsi.org/01903/v1.3.2#:SignedProperties"}
	for _, e := range elements {
		attribute, element, _ := strings.Cut(e, " ")
		args = append(args, "--id-attr:"+attribute, element)
	}
	cmd := exec.CommandContext(t.Context(), signtest.Tool(t, "xmlsec1", "xmlsec1"), append(args, file(t, doc))...)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// checkXMLSec checks that the last signature of a document is valid and covers the document and its own properties.
func checkXMLSec(t testing.TB, doc []byte, elements ...string) {
	t.Helper()
	out, ok := xmlsec(t, doc, elements...)
	if !ok || !strings.Contains(out, "SignedInfo References (ok/all): 2/2") {
		t.Errorf("xmlsec1 does not accept the signature:\n%s", out)
	}
}

// checkJava lets the Java platform verify all signatures of documents. It runs once for many, since it starts slowly.
func checkJava(t testing.TB, files ...string) {
	t.Helper()
	args := append([]string{"-Xshare:auto", "testdata/Judge.java"}, files...)
	out, err := exec.CommandContext(t.Context(), signtest.Tool(t, "java", "default-jdk-headless"), args...).CombinedOutput()
	if err != nil {
		t.Errorf("java does not accept all signatures:\n%s", out)
	}
	if got := strings.Count(string(out), "valid\n"); got < len(files) {
		t.Errorf("java calls %d signatures valid, want at least %d:\n%s", got, len(files), out)
	}
}

// xpath asks xmllint for a text in a document.
func xpath(t testing.TB, name, expression string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), signtest.Tool(t, "xmllint", "libxml2-utils"), "--xpath", expression, name).Output()
	if err != nil {
		t.Fatalf("xmllint --xpath %s: %v", expression, err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// in makes an XPath out of local names: in("CertDigest", "DigestValue") is the text of the first such element.
func in(names ...string) string {
	var path strings.Builder
	for i, n := range names {
		step := "/"
		if i == 0 {
			step = "//"
		}
		fmt.Fprintf(&path, `%s*[local-name()="%s"]`, step, n)
	}
	return "string(" + path.String() + ")"
}

// certificate writes a base64 certificate from a document as a trust anchor.
func certificate(t testing.TB, der []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "anchor.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
