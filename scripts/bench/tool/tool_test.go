package tool_test

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bulksigner/scripts/bench/identity"
	"bulksigner/scripts/bench/library"
	"bulksigner/scripts/bench/paper"
	"bulksigner/scripts/bench/tool"
)

// need skips a test for lack of a program.
func need(t *testing.T, program, debianPackage string) {
	t.Helper()
	if why := tool.Missing(program, debianPackage); why != "" {
		t.Skip(why)
	}
}

func newIdentity(t *testing.T) identity.Identity {
	t.Helper()
	id, err := identity.Make(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// files are a document and where its signed form goes.
func files(t *testing.T, d io.WriterTo) (in, out string) {
	t.Helper()
	dir := t.TempDir()
	in, out = filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := paper.Write(in, d); err != nil {
		t.Fatal(err)
	}
	return in, out
}

func TestOpenSSLSigns(t *testing.T) {
	t.Parallel()
	need(t, "openssl", "openssl")
	id := newIdentity(t)
	for _, more := range [][]string{nil, {"-stream"}} {
		in, out := files(t, paper.Noise(100_000))
		took, err := tool.Timed(tool.OpenSSL(id, in, out, more...))(t.Context(), 2)
		if err != nil || took <= 0 {
			t.Fatalf("%v: got %s, %v", more, took, err)
		}
		if err := library.Check(id, out); err != nil {
			t.Errorf("%v: %v", more, err)
		}
	}
}

func TestXMLSecSigns(t *testing.T) {
	t.Parallel()
	need(t, "xmlsec1", "xmlsec1")
	id := newIdentity(t)
	for _, uri := range []string{"", "#" + paper.InvoiceID} {
		in, out := files(t, paper.Invoice{Size: 5000, Signature: tool.Template(uri)})
		if _, err := tool.XMLSecRepeated(id, in, out)(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
		if _, err := tool.Timed(tool.XMLSec(id, in, out))(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if err := library.Check(id, out); err != nil {
			t.Errorf("%q: %v", uri, err)
		}
	}
}

func TestDigestAndCopy(t *testing.T) {
	t.Parallel()
	need(t, "sha256sum", "coreutils")
	in, out := files(t, paper.Noise(1000))
	if _, err := tool.Timed(tool.SHA256Sum(in), tool.Copy(in, out))(t.Context(), 1); err != nil {
		t.Error(err)
	}
}

func TestAProgramThatFailsIsQuoted(t *testing.T) {
	t.Parallel()
	need(t, "sha256sum", "coreutils")
	_, err := tool.Timed(tool.SHA256Sum("not-there"))(t.Context(), 1)
	if err == nil || !strings.Contains(err.Error(), "not-there") {
		t.Errorf("got %v, want what the program said", err)
	}
}

func TestMissingSaysHowToGetIt(t *testing.T) {
	t.Parallel()
	if got := tool.Missing("no-such-program", "some-package"); !strings.Contains(got, "apt-get install some-package") {
		t.Errorf("got %q", got)
	}
}
