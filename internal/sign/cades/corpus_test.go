package cades_test

import (
	"bytes"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/cades"
	"bulksigner/internal/sign/signtest"
)

func write(t testing.TB, name string, b []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestCorpus treats each file as its verdict says: one is empty, one is signed already, the others are signed.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(signtest.Corpus(t, "other"), "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			doc, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			kind, err := cades.Inspect(bytes.NewReader(doc), int64(len(doc)))
			if err != nil {
				t.Fatal(err)
			}
			switch filepath.Base(file) {
			case "empty.bin":
				if _, err := sign(t, doc, world.RSA, nil); !errors.Is(err, fault.CMSEmpty) {
					t.Errorf("Prepare = %v, want %s", err, fault.CMSEmpty)
				}
			case "signed-der.p7m":
				judgeSigned(t, kind, doc)
			default:
				if kind != cades.Plain {
					t.Errorf("Inspect = %v, want Plain", kind)
				}
				judge(t, mustSign(t, doc, world.RSA, nil), doc, "DER")
				if err := world.OpenSSL(t, mustSign(t, doc, world.ECDSA, detached), doc); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// judgeSigned adds a signature to one of somebody unknown, whose certificates are taken for good.
func judgeSigned(t *testing.T, kind cades.Kind, doc []byte) {
	t.Helper()
	if kind != cades.Attached {
		t.Errorf("Inspect = %v, want Attached", kind)
	}
	content := []byte("Hello World")
	anchors := world.PKI.RootPEM()
	for _, c := range read(t, doc).Certificates {
		anchors = append(anchors, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.FullBytes})...)
	}
	trusted := []string{"-CAfile", write(t, "anchors.pem", anchors), "-partial_chain", "-no_check_time"}
	judge(t, doc, content, "DER", trusted...)
	signed := mustCoSign(t, doc, world.RSA, nil)
	judge(t, signed, content, "DER", trusted...)
	for _, before := range rawSigners(t, doc) {
		if !slices.ContainsFunc(rawSigners(t, signed), func(b []byte) bool { return bytes.Equal(b, before) }) {
			t.Error("the earlier signature is not there as it was")
		}
	}
}
