package verify_test

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cades"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/xades"
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

// cadesOptions are those of the product's own signer of messages.
func cadesOptions(t *testing.T, m maker) cades.Options {
	t.Helper()
	policy, err := icpbrasil.Current(icpbrasil.CAdES, now)
	if err != nil {
		t.Fatal(err)
	}
	return cades.Options{Certificate: m.cert, Chain: m.others, Hash: crypto.SHA256, Policy: policy, Time: now}
}

// cadesSign signs content, beside it or around it.
func cadesSign(t *testing.T, m maker, content []byte, detached bool) []byte {
	t.Helper()
	o := cadesOptions(t, m)
	o.Detached = detached
	d, err := cades.Prepare(int64(len(content)), o)
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	h.Write(content)
	parts, err := d.Sign(h, m.key)
	if err != nil {
		t.Fatal(err)
	}
	if detached {
		content = nil
	}
	return slices.Concat(parts.Header, content, parts.Trailer)
}

// cadesCoSign adds a signature to a message.
func cadesCoSign(t *testing.T, m maker, file []byte) []byte {
	t.Helper()
	d, err := cades.PrepareCoSign(bytes.NewReader(file), int64(len(file)), cadesOptions(t, m))
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	if _, err := io.Copy(h, d.Content()); err != nil {
		t.Fatal(err)
	}
	parts, err := d.Sign(h, m.key)
	if err != nil {
		t.Fatal(err)
	}
	content := d.Content()
	out, err := io.ReadAll(parts.Around(content, content.Size()))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestOurOwnMessages: what sign/cades makes is good in every respect, also as a further signature.
func TestOurOwnMessages(t *testing.T) {
	t.Parallel()
	p := cast(t)
	joao := maker{key: p.curve, cert: p.joao, others: p.pki.Chain}
	both := verify.Options{Anchors: p.strict().Anchors, At: now, Policy: true}
	for name, content := range map[string][]byte{"one byte": {'A'}, "large": make([]byte, 1<<20)} {
		file := cadesSign(t, p.good(), content, false)
		if err := judgeCMS(t, file, p.strict()).Err(); err != nil {
			t.Errorf("%s: Err = %v", name, err)
		}
		for _, file := range [][]byte{cadesCoSign(t, joao, file), armor("PKCS7", cadesCoSign(t, joao, file))} {
			if r := judgeCMS(t, file, both); r.Err() != nil || len(r.Signatures) != 2 {
				t.Errorf("%s: Err = %v of %d signatures", name, r.Err(), len(r.Signatures))
			}
		}
		r, err := verify.Detached(cadesSign(t, p.good(), content, true), bytes.NewReader(content), p.strict())
		if err != nil || r.Err() != nil {
			t.Errorf("%s: Detached = %v, Err = %v", name, err, r.Err())
		}
	}
	ber := cosigned(t, []byte("content"), [][]byte{octets([]byte("con")), octets([]byte("tent"))}, joao)
	theirs := corpus(t, "../other/signed-der.p7m")
	for name, file := range map[string][]byte{"BER": ber, "another maker's": theirs} {
		if err := judgeCMS(t, cadesCoSign(t, p.good(), file), p.strict()).Err(); err != nil {
			t.Errorf("on %s: Err = %v", name, err)
		}
	}
}

// TestOurOwnXML does the same with sign/xades, on every document of the corpus that can be signed.
func TestOurOwnXML(t *testing.T) {
	t.Parallel()
	p := cast(t)
	documents := map[string][]byte{"ours": []byte(xmlHead + xmlTail)}
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpus", "xml", "*.xml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if documents[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	refused := map[string]error{
		"duplicate-ids.xml": fault.XMLDuplicateID, "doctype-external-entity.xml": fault.XMLDoctype, "signed-xades-enveloped.xml": fault.XMLSigned,
	}
	elements := map[string]string{"nfe.xml": "infNFe", "default-namespace.xml": "infDPS", "ours": "item"}
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, element := range slices.Compact([]string{"", elements[name]}) {
				signXML(t, p.good(), document, element, refused[name])
				signXML(t, maker{key: p.curve, cert: p.joao, others: p.pki.Chain, hash: crypto.SHA512}, document, element, refused[name])
			}
		})
	}
}

// signXML signs a document, unless it is one that must be refused, and judges the result.
func signXML(t *testing.T, m maker, document []byte, element string, refused error) {
	t.Helper()
	policy, err := icpbrasil.Current(icpbrasil.XAdES, now)
	if err != nil {
		t.Fatal(err)
	}
	if m.hash == 0 {
		m.hash = crypto.SHA256
	}
	d, err := xades.Prepare(document, xades.Options{
		Certificate: m.cert, Chain: m.others, Hash: m.hash, Policy: policy, Time: now, Element: element,
	})
	if !errors.Is(err, refused) {
		t.Errorf("element %q: Prepare = %v, want %v", element, err, refused)
	}
	if err != nil {
		return
	}
	out, err := d.Sign(m.key)
	if err != nil {
		t.Fatal(err)
	}
	o := verify.Options{Anchors: []*x509.Certificate{cast(t).pki.Root}, At: now, Policy: true, Signer: m.cert}
	r := judgeXML(t, string(out), o)
	if err := r.Err(); err != nil {
		t.Errorf("element %q: Err = %v", element, err)
	}
	last := r.Signatures[len(r.Signatures)-1]
	if last.CoversWholeFile != (element == "") || element != "" && last.Signed[0].Element != element {
		t.Errorf("element %q: signed is %+v", element, last.Signed)
	}
}
