package verify_test

import (
	"bytes"
	"crypto/x509"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/verify"
)

// TestCorpusCMS reads a message of another maker.
func TestCorpusCMS(t *testing.T) {
	t.Parallel()
	file := corpus(t, "../other/signed-der.p7m")
	r := judgeCMS(t, file, verify.Options{})
	s := r.Signatures[0]
	for _, name := range []string{verify.Coverage, verify.Message, verify.DEROrder, verify.MessageDigest, verify.SignatureValue, verify.SigningCertificate} {
		if c := s.Check(name); c.Outcome != verify.Passed {
			t.Errorf("%+v, want it to have passed", c)
		}
	}
	if got := string(file[s.Signed[0].From:s.Signed[0].To]); got != "Hello World" {
		t.Errorf("signed is %q", got)
	}
}

// TestOpenSSLsMessages reads what OpenSSL writes, in all of its ways, and shows that it agrees with those of these tests.
func TestOpenSSLsMessages(t *testing.T) {
	t.Parallel()
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not installed")
	}
	p := cast(t)
	dir := t.TempDir()
	key, err := x509.MarshalPKCS8PrivateKey(p.key)
	if err != nil {
		t.Fatal(err)
	}
	content := bytes.Repeat([]byte("content\n"), 10_000)
	for name, data := range map[string][]byte{
		"key.pem": armor("PRIVATE KEY", key), "cert.pem": armor("CERTIFICATE", p.maria.Raw), "root.pem": p.pki.RootPEM(),
		"chain.pem": p.pki.ChainPEM(), "content": content, "ours.p7m": p.goodCMS().make(t, content),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), openssl, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("openssl %v: %v\n%s", args, err, out)
		}
	}
	sign := []string{"cms", "-sign", "-binary", "-cades", "-nodetach", "-signer", "cert.pem", "-inkey", "key.pem", "-certfile", "chain.pem", "-in", "content", "-out", "theirs"}
	o := p.strict()
	o.Policy = false
	for _, more := range [][]string{{"-outform", "DER"}, {"-outform", "DER", "-stream"}, {"-outform", "PEM"}, {"-outform", "PEM", "-stream"}} {
		run(append(slices.Clone(sign), more...)...)
		file, err := os.ReadFile(filepath.Join(dir, "theirs"))
		if err != nil {
			t.Fatal(err)
		}
		if err := judgeCMS(t, file, o).Err(); err != nil {
			t.Errorf("%v: Err = %v", more, err)
		}
	}
	run("cms", "-verify", "-cades", "-binary", "-inform", "DER", "-in", "ours.p7m", "-CAfile", "root.pem", "-purpose", "any",
		"-attime", "1795953600", "-out", "back")
	if back, err := os.ReadFile(filepath.Join(dir, "back")); err != nil || !bytes.Equal(back, content) {
		t.Errorf("OpenSSL reads other content out of the message (%v)", err)
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	p := cast(t)
	cms := p.goodCMS().make(t, newPDF(0, false).Bytes())
	document := signedXML(t, p.goodXML())
	tests := []struct {
		name   string
		file   []byte
		format string
		want   error
	}{
		{"PDF", signed(t, p.good(), dictionary{}), "PAdES", nil},
		{"PDF behind something", append([]byte("junk\n"), newPDF(0, false).Bytes()...), "", fault.PDFMalformed},
		{"CMS that contains a PDF", cms, "CAdES", nil},
		{"CMS in BER", cosigned(t, nil, [][]byte{}, p.goodCMS()), "CAdES", nil},
		{"CMS in PEM", armor("CMS", cms), "CAdES", nil},
		{"XML", []byte(document), "XAdES", nil},
		{"XML with a mark and blanks", []byte("\uFEFF\n" + document), "XAdES", nil},
		{"XML in UTF-16", []byte("\xFF\xFE<\x00r\x00/\x00>\x00"), "XAdES", nil},
		{"XML in UTF-16, big-endian", []byte("\xFE\xFF\x00<\x00r\x00/\x00>"), "XAdES", nil},
		{"XML that is too large", append([]byte("<r>"), make([]byte, 7<<20)...), "", fault.XMLTooLarge},
		{"certificate in PEM", armor("CERTIFICATE", p.maria.Raw), "", fault.VerifyUnknownFormat},
		{"certificate", p.maria.Raw, "", fault.VerifyUnknownFormat},
		{"ZIP", []byte("PK\x03\x04"), "", fault.VerifyUnknownFormat},
		{"nothing", nil, "", fault.VerifyUnknownFormat},
		{"one byte", []byte{0x30}, "", fault.VerifyUnknownFormat},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := verify.File(bytes.NewReader(tt.file), int64(len(tt.file)), p.strict())
			if !errors.Is(err, tt.want) || r.Format != tt.format {
				t.Errorf("File = %q, %v, want %q, %v", r.Format, err, tt.format, tt.want)
			}
		})
	}
}
