package api_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"io"
	"strings"
	"sync"
	"testing"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/sign/cades"
	"bulksigner/internal/sign/pades"
	"bulksigner/internal/sign/signtest"
	"bulksigner/internal/sign/xades"
	"bulksigner/internal/verify"
)

// signedContent is what the CMS messages of the tests are over.
const signedContent = "contrato nº 1\n"

// signedFiles are documents with nothing wrong, by Maria, and what they are judged against.
type signedFiles struct {
	pdf, plainPDF, xml, attached, detached []byte

	demands verify.Options
}

// signed makes the files. Its keys take a moment, so all tests share them.
var signed = sync.OnceValues(func() (f signedFiles, err error) {
	pki, err := icpbrasiltest.New(now)
	if err != nil {
		return f, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return f, err
	}
	cert, err := pki.IssueECPF(key.Public(), icpbrasiltest.Maria())
	if err != nil {
		return f, err
	}
	f.demands = verify.Options{Anchors: []*x509.Certificate{pki.Root}, At: now, Policy: true}
	m := maria{key, cert, pki.Chain}
	f.plainPDF = signtest.OnePage("", "").Table("/Root 1 0 R").Bytes()
	if f.pdf, err = m.pdf(f.plainPDF); err != nil {
		return f, err
	}
	if f.xml, err = m.xml(`<nota><valor>10.00</valor></nota>`); err != nil {
		return f, err
	}
	if f.attached, err = m.cms(signedContent, false); err != nil {
		return f, err
	}
	f.detached, err = m.cms(signedContent, true)
	return f, err
})

func signedFor(t testing.TB) signedFiles {
	t.Helper()
	f, err := signed()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// maria signs.
type maria struct {
	key   crypto.Signer
	cert  *x509.Certificate
	chain []*x509.Certificate
}

func (m maria) pdf(doc []byte) ([]byte, error) {
	policy, err := icpbrasil.Current(icpbrasil.PAdES, now)
	if err != nil {
		return nil, err
	}
	o := pades.Options{Certificate: m.cert, Chain: m.chain, Hash: crypto.SHA256, Policy: policy, Time: now}
	d, err := pades.Prepare(bytes.NewReader(doc), int64(len(doc)), o)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	h.Write(doc)
	section, err := d.Sign(h, m.key)
	return append(bytes.Clone(doc), section...), err
}

func (m maria) xml(doc string) ([]byte, error) {
	policy, err := icpbrasil.Current(icpbrasil.XAdES, now)
	if err != nil {
		return nil, err
	}
	o := xades.Options{Certificate: m.cert, Chain: m.chain, Hash: crypto.SHA256, Policy: policy, Time: now}
	d, err := xades.Prepare([]byte(doc), o)
	if err != nil {
		return nil, err
	}
	return d.Sign(m.key)
}

func (m maria) cms(content string, detached bool) ([]byte, error) {
	policy, err := icpbrasil.Current(icpbrasil.CAdES, now)
	if err != nil {
		return nil, err
	}
	o := cades.Options{Certificate: m.cert, Chain: m.chain, Hash: crypto.SHA256, Policy: policy, Time: now, Detached: detached}
	d, err := cades.Prepare(int64(len(content)), o)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	h.Write([]byte(content))
	parts, err := d.Sign(h, m.key)
	if err != nil {
		return nil, err
	}
	if detached {
		content = ""
	}
	return io.ReadAll(parts.Around(strings.NewReader(content), int64(len(content))))
}
