package xades_test

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"bulksigner/internal/sign/xades"
)

// remembered answers at once what the key once answered, so that a benchmark measures our own work. That the same digest
// comes again is no chance: a document that does not change has the same signed properties.
type remembered struct {
	crypto.Signer
	digest, signature []byte
}

func (r *remembered) Sign(_ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	if r.digest == nil {
		sig, err := r.Signer.Sign(rand.Reader, digest, opts)
		r.digest, r.signature = bytes.Clone(digest), sig
		return sig, err
	}
	if !bytes.Equal(r.digest, digest) {
		return nil, errors.New("this is not the digest that was signed")
	}
	return r.signature, nil
}

// largeInvoice is an NF-e of about so many bytes.
func largeInvoice(size int) []byte {
	var out strings.Builder
	out.WriteString(`<NFe xmlns="http://www.portalfiscal.inf.br/nfe"><infNFe Id="NFe35200199999999000191550010000000011062777167" versao="4.00">`)
	for n := 1; out.Len() < size; n++ {
		fmt.Fprintf(&out, `<det nItem="%d"><prod><cProd>E-%[1]d</cProd><xProd>Armário com portas &amp; gavetas</xProd><NCM>94033000</NCM>`+
			`<CFOP>5102</CFOP><uCom>UNID</uCom><qCom>1.0000</qCom><vProd>14.00</vProd></prod><imposto><vTotTrib>0.00</vTotTrib></imposto></det>`, n)
	}
	out.WriteString(`</infNFe></NFe>`)
	return []byte(out.String())
}

func BenchmarkSign(b *testing.B) {
	docs := []struct {
		name    string
		doc     []byte
		element string
	}{
		{"NFe20kB", largeInvoice(20_000), "infNFe"},
		{"5MB", largeInvoice(xades.MaxDocument - 1000), ""},
	}
	keys := []struct {
		name string
		key  crypto.Signer
	}{{"stub", &remembered{Signer: world.RSA.Key}}, {"RSA-2048", world.RSA.Key}}
	for _, d := range docs {
		for _, k := range keys {
			if stub, ok := k.key.(*remembered); ok {
				stub.digest = nil
			}
			b.Run(d.name+"/"+k.name, func(b *testing.B) {
				o := options(b, world.RSA)
				o.Element = d.element
				b.SetBytes(int64(len(d.doc)))
				b.ReportAllocs()
				for b.Loop() {
					p, err := xades.Prepare(d.doc, o)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := p.Sign(k.key); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
