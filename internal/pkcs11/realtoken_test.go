//go:build pkcs11

package pkcs11_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/pkcs11"
)

func TestSoftHSMSignaturesVerify(t *testing.T) {
	t.Parallel()
	w := softHSM(t)
	for id, name := range map[string]string{"01": "RSA-2048", "02": "P-256", "03": "P-384", "04": "P-521", "05": "RSA that wants the PIN each time"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := w.open(t, id)
			if !k.Certificate.Equal(w.certs[id]) {
				t.Errorf("the certificate is %s's, want %s's", k.Certificate.Subject, w.certs[id].Subject)
			}
			if !slices.EqualFunc(k.Chain, pki().Chain, (*x509.Certificate).Equal) {
				t.Errorf("the chain has %d certificates, want the authorities without the root", len(k.Chain))
			}
			for _, h := range []crypto.Hash{crypto.SHA256, crypto.SHA384, crypto.SHA512} {
				signer := k.Signer(t.Context())
				if got := signer.Public(); !w.certs[id].PublicKey.(interface{ Equal(crypto.PublicKey) bool }).Equal(got) {
					t.Error("the signer has another public key than the certificate")
				}
				signature, err := signer.Sign(rand.Reader, digest(h), h)
				if err != nil {
					t.Fatal(err)
				}
				verify(t, w.keys[id].Public(), h, signature)
			}
		})
	}
}

// PKCS#1 v1.5 leaves no choice: a token makes, to the byte, the signature that Go makes.
func TestSoftHSMSignsLikeGo(t *testing.T) {
	t.Parallel()
	w := softHSM(t)
	got, err := w.open(t, "01").Signer(t.Context()).Sign(nil, digest(crypto.SHA512), crypto.SHA512)
	if err != nil {
		t.Fatal(err)
	}
	want, err := rsa.SignPKCS1v15(nil, rsaKey().(*rsa.PrivateKey), crypto.SHA512, digest(crypto.SHA512))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the token signed %x, want %x", got, want)
	}
}

func TestSoftHSMOpens(t *testing.T) {
	t.Parallel()
	w := softHSM(t)
	unknown, foreign := issue(t, p256Key()), issue(t, weakKey())
	tests := []struct {
		name  string
		set   func(*pkcs11.Options)
		given *x509.Certificate
		want  fault.Code
	}{
		{"by its slot", func(o *pkcs11.Options) { o.Slot, o.TokenLabel = &w.slot, "" }, nil, ""},
		{"with a certificate that the token has not", func(o *pkcs11.Options) { o.Thumbprint = "" }, unknown, ""},
		{"with an unknown thumbprint", func(o *pkcs11.Options) { o.Thumbprint = thumbprint(unknown) }, nil, fault.CertificateMissing},
		{"with a certificate of a weak key", func(o *pkcs11.Options) { o.Thumbprint = "" }, foreign, fault.KeyUnsupported},
		{"with a certificate of a key that is not there", func(o *pkcs11.Options) { o.Thumbprint = "" }, issue(t, otherEC()), fault.KeyNotFound},
		{"on no token", func(o *pkcs11.Options) { o.TokenLabel = "nobody's" }, nil, fault.KeyNotFound},
		{"in no slot", func(o *pkcs11.Options) { o.Slot = new(w.slot + 1) }, nil, fault.KeyNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := w.options("02")
			tt.set(&o)
			k, err := pkcs11.Open(t.Context(), o, tt.given)
			has(t, "Open", err, tt.want)
			if err != nil {
				return
			}
			signature, err := k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
			has(t, "Sign", err, "")
			verify(t, p256Key().Public(), crypto.SHA256, signature)
		})
	}
}

// Sessions that are closed behind the key's back are opened again, and the user with them.
func TestSoftHSMSessionsAreOpenedAgain(t *testing.T) {
	t.Parallel()
	w := softHSM(t)
	m, err := pkcs11.Load(w.module)
	if err != nil {
		t.Fatal(err)
	}
	k := w.open(t, "02")
	for range 3 {
		idle := pkcs11.Idle(k)
		if len(idle) != 1 {
			t.Fatalf("%d sessions are kept, want one", len(idle))
		}
		if err := m.CloseSession(idle[0]); err != nil {
			t.Fatal(err)
		}
		signature, err := k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
		if err != nil {
			t.Fatal(err)
		}
		verify(t, p256Key().Public(), crypto.SHA256, signature)
		if slices.Equal(pkcs11.Idle(k), idle) {
			t.Error("the session that was closed is kept")
		}
	}
}

func TestSoftHSMRefusesAWrongPIN(t *testing.T) {
	t.Parallel()
	w := softHSM(t)
	o := w.options("01")
	o.TokenLabel, o.PIN = labelWrong, "no "+pin
	for range 2 {
		_, err := pkcs11.Open(t.Context(), o, nil)
		has(t, "Open with a wrong PIN", err, fault.KeyUnavailable)
		if strings.Contains(err.Error(), pin) {
			t.Errorf("the error shows the PIN: %v", err)
		}
	}
	o.PIN = pin
	_, err := pkcs11.Open(t.Context(), o, w.certs["01"])
	has(t, "Open with the right PIN", err, fault.KeyNotFound)
}

// counting is a module that knows how many signatures it makes at the same time.
type counting struct {
	pkcs11.Cryptoki
	now, most, all atomic.Int32
}

func (c *counting) Sign(s uint, data []byte) ([]byte, error) {
	n := c.now.Add(1)
	defer c.now.Add(-1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	c.all.Add(1)
	return c.Cryptoki.Sign(s, data)
}

func TestSoftHSMSessionsBoundTheSignatures(t *testing.T) {
	t.Parallel()
	w := softHSM(t)
	c := &counting{}
	p := pkcs11.NewProcess(func(path string) (m pkcs11.Cryptoki, err error) {
		c.Cryptoki, err = pkcs11.Load(path)
		return c, err
	})
	o := w.options("01")
	o.TokenLabel, o.Sessions = labelBound, 2
	k, err := p.Open(t.Context(), o, w.certs["01"])
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			signature, err := k.Signer(t.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256)
			if err != nil {
				t.Error(err)
				return
			}
			verify(t, rsaKey().Public(), crypto.SHA256, signature)
		})
	}
	all.Wait()
	if n := c.all.Load(); n != 32 {
		t.Errorf("C_Sign was called %d times, want 32", n)
	}
	if n := c.most.Load(); n > 2 {
		t.Errorf("%d signatures were made at the same time, want 2 at most", n)
	}
	if n := len(pkcs11.Idle(k)); n > 2 {
		t.Errorf("%d sessions are kept, want 2 at most", n)
	}
	has(t, "Close", k.Close(), "")
}

func BenchmarkSoftHSMSign(b *testing.B) {
	w := softHSM(b)
	k := w.open(b, "02")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Signer(b.Context()).Sign(nil, digest(crypto.SHA256), crypto.SHA256); err != nil {
			b.Fatal(err)
		}
	}
}
