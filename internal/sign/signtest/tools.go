package signtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// skip ends a test for lack of something outside of the project. With BULKSIGNER_NO_SKIP=1 that is a failure, so that a
// machine which is meant to have everything cannot pass by having nothing.
func skip(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("BULKSIGNER_NO_SKIP") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Tool returns the path of an outside tool. Without it the test is skipped.
func Tool(t testing.TB, name, debianPackage string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		skip(t, "%s is not installed: apt-get install %s", name, debianPackage)
	}
	return path
}

// Corpus returns the folder of documents for tests, which lies beside the repository. Without it the test is skipped.
func Corpus(t testing.TB, kind string) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	dir := filepath.Join(filepath.Dir(here), "..", "..", "..", "..", "shared", "corpus", kind)
	if _, err := os.Stat(dir); err != nil {
		skip(t, "the corpus is not there: ../shared/corpus, seen from the repository")
	}
	return dir
}

// newNSS returns what makes the trust store that pdfsig needs, once for all tests.
func newNSS(w *World) func() error {
	return sync.OnceValue(func() error {
		if err := os.Mkdir(w.nssDir(), 0o700); err != nil {
			return err
		}
		for _, args := range [][]string{
			{"-N", "-d", w.nssDir(), "--empty-password"},
			{"-A", "-d", w.nssDir(), "-n", "root", "-t", "C,C,C", "-i", w.RootFile()},
		} {
			if out, err := exec.Command("certutil", args...).CombinedOutput(); err != nil {
				return errors.New("certutil: " + string(out))
			}
		}
		return nil
	})
}

func (w *World) nssDir() string { return filepath.Join(w.dir, "nss") }

// PDFSig returns what pdfsig says about a file. Its exit code says nothing.
func (w *World) PDFSig(t testing.TB, file string) string {
	t.Helper()
	tool := Tool(t, "pdfsig", "poppler-utils")
	Tool(t, "certutil", "libnss3-tools")
	if err := w.nss(); err != nil {
		t.Fatal(err)
	}
	out, _ := exec.CommandContext(t.Context(), tool, "-nssdir", w.nssDir(), "-no-ocsp", file).CombinedOutput()
	return string(out)
}

// PDFSigOf is PDFSig for a document that is no file yet.
func (w *World) PDFSigOf(t testing.TB, doc []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "document.pdf")
	if err := os.WriteFile(file, doc, 0o600); err != nil {
		t.Fatal(err)
	}
	return w.PDFSig(t, file)
}

// QPDF returns the complaints of qpdf about a file, without the file's name.
func QPDF(t testing.TB, file string) []string {
	t.Helper()
	out, _ := exec.CommandContext(t.Context(), Tool(t, "qpdf", "qpdf"), "--check", file).CombinedOutput()
	var lines []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "WARNING") || strings.Contains(line, "ERROR") || strings.Contains(line, file+" (") {
			lines = append(lines, strings.ReplaceAll(strings.TrimSpace(line), file, "FILE"))
		}
	}
	return lines
}

// MuTool returns what mutool says about the signatures of a document. It knows PBAD.PAdES, but no trust anchors.
func MuTool(t testing.TB, doc []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "document.pdf")
	if err := os.WriteFile(file, doc, 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := exec.CommandContext(t.Context(), Tool(t, "mutool", "mupdf-tools"), "sign", "-v", file).CombinedOutput()
	return string(out)
}

// OpenSSL verifies a detached CAdES signature with its certificate chain, and returns what it says against it.
func (w *World) OpenSSL(t testing.TB, signature, content []byte) error {
	t.Helper()
	tool, dir := Tool(t, "openssl", "openssl"), t.TempDir()
	for name, b := range map[string][]byte{"signature": signature, "content": content} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), tool, "cms", "-verify", "-cades", "-binary", "-inform", "DER",
		"-in", filepath.Join(dir, "signature"), "-content", filepath.Join(dir, "content"),
		"-CAfile", w.RootFile(), "-purpose", "any", "-out", os.DevNull).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "CAdES Verification successful") {
		return errors.New("openssl: " + string(out))
	}
	return nil
}
