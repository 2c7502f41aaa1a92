package cades_test

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bulksigner/internal/sign/signtest"
)

// openSSL runs one of its commands in a folder with files, and returns what it says and whether it is content.
func openSSL(t testing.TB, files map[string][]byte, args ...string) (dir, said string, ok bool) {
	t.Helper()
	tool := signtest.Tool(t, "openssl", "openssl")
	dir = t.TempDir()
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), tool, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return dir, string(out), err == nil
}

// judge lets openssl verify all signatures of a message with its content inside, with their chains, and give the content
// back. form is DER or PEM.
func judge(t testing.TB, message, content []byte, form string, more ...string) {
	t.Helper()
	args := append([]string{"cms", "-verify", "-cades", "-binary", "-inform", form, "-in", "message", "-CAfile", world.RootFile(),
		"-purpose", "any", "-out", "content"}, more...)
	dir, said, ok := openSSL(t, map[string][]byte{"message": message}, args...)
	if !ok || !strings.Contains(said, "CAdES Verification successful") {
		t.Errorf("openssl: %s", said)
		return
	}
	got, err := os.ReadFile(filepath.Join(dir, "content"))
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("openssl finds a content of %d bytes, %v, that is not the one of %d", len(got), err, len(content))
	}
}

// byOpenSSL signs content with openssl, which makes whatever shape the arguments ask for.
func byOpenSSL(t testing.TB, content []byte, id signtest.Identity, args ...string) []byte {
	t.Helper()
	files := map[string][]byte{"content": content, "chain": world.PKI.ChainPEM()}
	dir, said, ok := openSSL(t, files, append([]string{"cms", "-sign", "-binary", "-in", "content", "-certfile", "chain",
		"-signer", certificateFile(t, id), "-inkey", keyFile(t, id), "-out", "message"}, args...)...)
	if !ok {
		t.Fatalf("openssl: %s", said)
	}
	message, err := os.ReadFile(filepath.Join(dir, "message"))
	if err != nil {
		t.Fatal(err)
	}
	return message
}

func certificateFile(t testing.TB, id signtest.Identity) string {
	t.Helper()
	return write(t, "certificate", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: id.Certificate.Raw}))
}

func keyFile(t testing.TB, id signtest.Identity) string {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(id.Key)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, "key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
}
