package verify_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/verify"
)

// lightMaker signs with a certificate that is quickly made, short, and the same in every process of a fuzz run.
func lightMaker(t testing.TB) maker {
	t.Helper()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	return maker{key: key, cert: selfSigned(t, key, "TESTE"), hash: crypto.SHA512, algorithm: "1.3.101.112"}
}

func TestEd25519(t *testing.T) {
	t.Parallel()
	m := lightMaker(t)
	o := verify.Options{Anchors: []*x509.Certificate{m.cert}, At: now, Signer: m.cert}
	file := signed(t, m, dictionary{})
	if err := judge(t, file, o).Err(); err != nil {
		t.Errorf("Err = %v", err)
	}
	m.noPolicy = true
	m.after = swap(oid(idCertV2), oid(idTimestamp))
	if got := judge(t, signed(t, m, dictionary{}), o).Signatures[0].Check(verify.SignatureValue).Outcome; got != verify.Failed {
		t.Errorf("the signature of changed attributes is %s, want failed", got)
	}
}

// FuzzPDF looks for panics, for errors without a code, and for changed files that pass for the signed one.
func FuzzPDF(f *testing.F) {
	m := lightMaker(f)
	o := verify.Options{Anchors: []*x509.Certificate{m.cert}, At: now, Signer: m.cert}
	d := dictionary{room: 1 << 10}
	originals := [][]byte{newPDF(10, false).sign(f, m, d), newPDF(10, true).sign(f, m, d)}
	for _, file := range originals {
		f.Add(file)
	}
	f.Add(raw([]string{"<</AcroForm<</Fields[<</T(A)/V<</Contents<3080>/ByteRange[0 1 2 3]>>>>]>>>>"}, "<</Root 1 0 R>>"))
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := verify.PDF(bytes.NewReader(file), int64(len(file)), o)
		if err != nil {
			if fault.CodeOf(err) == fault.Internal {
				t.Errorf("an error without a code: %v", err)
			}
			return
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("the report cannot be written: %v", err)
		}
		if r.Err() == nil && !sameSigned(file, originals) {
			t.Error("a file that nobody signed is good")
		}
	})
}

// sameSigned compares outside of the signature's hex string: within it, letters have two cases and zeros follow.
func sameSigned(file []byte, originals [][]byte) bool {
	for _, o := range originals {
		from := bytes.Index(o, []byte("/Contents <")) + len("/Contents ")
		to := from + bytes.IndexByte(o[from:], '>') + 1
		if len(file) == len(o) && bytes.Equal(file[:from], o[:from]) && bytes.Equal(file[to:], o[to:]) {
			return true
		}
	}
	return false
}

// FuzzXML looks for panics, for errors without a code, and for documents that another reader finds other text in than was
// signed.
func FuzzXML(f *testing.F) {
	m := lightXML(f)
	part := m
	part.uri, part.transforms = "#part", fmt.Sprintf(transform, excC14N)
	o := verify.Options{Anchors: []*x509.Certificate{m.cert}, At: now, Signer: m.cert}
	f.Add([]byte(signedXML(f, m)))
	f.Add([]byte(signedXML(f, part)))
	f.Add([]byte(enveloping(f, m)))
	for _, text := range oddities {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		r, err := verify.XML(document, o)
		if err != nil {
			if fault.CodeOf(err) == fault.Internal {
				t.Errorf("an error without a code: %v", err)
			}
			return
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("the report cannot be written: %v", err)
		}
		once, err := verify.Canonical(document, "", true, true)
		if err != nil {
			t.Fatalf("the document can be read and Canonical = %v", err)
		}
		if twice, err := verify.Canonical(once, "", true, true); err != nil || !bytes.Equal(once, twice) {
			t.Errorf("the canonical form of a canonical form is another: %v", err)
		}
		if r.Err() == nil && !strings.Contains(otherReader(document), "content") {
			t.Errorf("another reader sees %q", otherReader(document))
		}
	})
}

// otherReader returns the text that the standard library's reader finds, without signatures unless they contain it all.
func otherReader(document []byte) string {
	d := xml.NewDecoder(bytes.NewReader(document))
	var text strings.Builder
	for {
		token, err := d.Token()
		if err != nil {
			return text.String()
		}
		if chars, ok := token.(xml.CharData); ok {
			text.Write(chars)
		}
	}
}

// lightXML signs with a key that is quickly made and the same in every process.
func lightXML(t testing.TB) xmlMaker {
	t.Helper()
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return xmlMaker{key: key, cert: selfSigned(t, key, "TESTE")}
}
