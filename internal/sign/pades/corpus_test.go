package pades_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/signtest"
)

// refusals are the documents of the corpus that must be refused. All others must be signed.
var refusals = map[string]fault.Code{
	"certified-p1.pdf":                 fault.PDFCertified,
	"encrypted-rc4-no-password.pdf":    fault.PDFEncrypted,
	"encrypted-aes128-no-password.pdf": fault.PDFEncrypted,
	"encrypted-aes256-no-password.pdf": fault.PDFEncrypted,
	"circular-prev.pdf":                fault.PDFMalformed,
	"startxref-broken.pdf":             fault.PDFMalformed,
	"zero-page.pdf":                    fault.PDFNoPage,
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(signtest.Corpus(t, "pdf"), "*.pdf"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, file := range files {
		for _, id := range []signtest.Identity{world.RSA, world.ECDSA} {
			t.Run(filepath.Base(file)+"/"+id.Name, func(t *testing.T) {
				t.Parallel()
				doc, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				signed, err := sign(t, doc, id, nil)
				if want, refused := refusals[filepath.Base(file)]; refused {
					if !errors.Is(err, want) {
						t.Errorf("Prepare = %v, want %s", err, want)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				judge(t, doc, signed)
			})
		}
	}
}

// judge lets outside tools look at a signed document that was doc before.
func judge(t *testing.T, doc, signed []byte) {
	t.Helper()
	if !bytes.HasPrefix(signed, doc) {
		t.Fatal("the original is not what the result begins with")
	}
	dir := t.TempDir()
	after := filepath.Join(dir, "after.pdf")
	write(t, after, signed)

	then, now := judgedBefore(t, doc), world.PDFSig(t, after)
	for _, line := range []string{"Signature is Valid.", "Signature Validation:"} {
		if got, want := strings.Count(now, line), strings.Count(then.pdfsig, line)+1; got != want {
			t.Errorf("pdfsig says %q %d times, want %d:\n%s", line, got, want, now)
		}
	}
	last := now[max(0, strings.LastIndex(now, "Signature #")):]
	for _, line := range []string{"Certificate is Trusted.", "  - Total document signed", "Signature Type: ETSI.CAdES.detached"} {
		if !strings.Contains(last, line) {
			t.Errorf("pdfsig does not say %q about the last signature:\n%s", line, last)
		}
	}
	for _, complaint := range signtest.QPDF(t, after) {
		if !strings.Contains(then.qpdf, complaint) {
			t.Errorf("qpdf has a new complaint: %s", complaint)
		}
	}
	signature, content := take(t, signed, len(doc))
	if err := world.OpenSSL(t, signature, content); err != nil {
		t.Error(err)
	}
}

// opinion is what the tools say of a document before it is signed. It is asked for once a document.
type opinion struct{ pdfsig, qpdf string }

var opinions sync.Map // of functions, by document

func judgedBefore(t *testing.T, doc []byte) opinion {
	t.Helper()
	for tool, from := range map[string]string{"pdfsig": "poppler-utils", "certutil": "libnss3-tools", "qpdf": "qpdf"} {
		signtest.Tool(t, tool, from) // a test must not be skipped inside of what is done once for many
	}
	ask, _ := opinions.LoadOrStore(string(doc), sync.OnceValue(func() opinion {
		before := filepath.Join(t.TempDir(), "before.pdf")
		write(t, before, doc)
		return opinion{world.PDFSig(t, before), strings.Join(signtest.QPDF(t, before), "\n")}
	}))
	return ask.(func() opinion)()
}

var rangePattern = regexp.MustCompile(`/ByteRange\[0 (\d+) +(\d+) +(\d+) *\]`)

// take cuts the last signature out of a document, and what it covers.
func take(t *testing.T, signed []byte, size int) (signature, content []byte) {
	t.Helper()
	m := rangePattern.FindSubmatch(signed[size:])
	if m == nil {
		t.Fatal("there is no ByteRange")
	}
	var n [3]int
	for i := range n {
		n[i], _ = strconv.Atoi(string(m[i+1]))
	}
	if n[1]+n[2] != len(signed) {
		t.Fatalf("the ranges %v do not end where the file ends, %d", n, len(signed))
	}
	gap := signed[n[0]:n[1]]
	if gap[0] != '<' || gap[len(gap)-1] != '>' {
		t.Fatalf("the ranges leave out %q to %q, want the hexadecimal string with its brackets", gap[0], gap[len(gap)-1])
	}
	signature = make([]byte, hex.DecodedLen(len(gap)-2))
	if _, err := hex.Decode(signature, gap[1:len(gap)-1]); err != nil {
		t.Fatal(err)
	}
	return signature, append(bytes.Clone(signed[:n[0]]), signed[n[1]:]...)
}

func write(t *testing.T, file string, b []byte) {
	t.Helper()
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(fmt.Errorf("write: %w", err))
	}
}
