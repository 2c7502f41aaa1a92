package verify_test

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/verify"
)

// padesSign signs with the product's own signer.
func padesSign(t *testing.T, p people, file []byte, sub pades.SubFilter) []byte {
	t.Helper()
	policy, err := icpbrasil.Current(icpbrasil.PAdES, now)
	if err != nil {
		t.Fatal(err)
	}
	d, err := pades.Prepare(bytes.NewReader(file), int64(len(file)), pades.Options{
		Certificate: p.maria, Chain: p.pki.Chain, Hash: crypto.SHA256, Policy: policy, SubFilter: sub, Time: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	h.Write(file)
	section, err := d.Sign(h, p.key)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(file, section)
}

// TestOurOwnSignatures: what sign makes is good in every respect, also the second time.
func TestOurOwnSignatures(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{"table": newPDF(10, false).Bytes(), "streams": newPDF(10, true).Bytes()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			signTwice(t, file)
		})
	}
}

// TestOurOwnSignaturesOnTheCorpus does the same with every kind of document that can be signed.
func TestOurOwnSignaturesOnTheCorpus(t *testing.T) {
	t.Parallel()
	verdicts := string(corpus(t, filepath.Join("..", "verdicts.tsv")))
	files := make(map[string][]byte)
	for line := range strings.Lines(verdicts) {
		path, verdict, _ := strings.Cut(line, "\t")
		if name, ok := strings.CutPrefix(path, "pdf/"); ok && strings.HasPrefix(verdict, "sign\t") {
			files[name] = corpus(t, name)
		}
	}
	if len(files) < 20 {
		t.Fatalf("the corpus has only %d files to be signed", len(files))
	}
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			signTwice(t, file)
		})
	}
}

func signTwice(t *testing.T, file []byte) {
	t.Helper()
	p := cast(t)
	before := len(judge(t, file, verify.Options{}).Signatures)
	once := padesSign(t, p, file, pades.ETSI)
	for i, signed := range [][]byte{once, padesSign(t, p, once, pades.PBAD)} {
		r := judge(t, signed, p.strict())
		if err := r.Err(); err != nil {
			t.Errorf("Err = %v", err)
		}
		if got := len(r.Signatures); got != before+i+1 {
			t.Errorf("there are %d signatures, want %d", got, before+i+1)
		}
	}
}
