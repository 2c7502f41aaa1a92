package verify_test

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
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
