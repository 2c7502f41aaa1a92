//go:build pkcs11

package pkcs11_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"strings"
	"sync"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
)

// pki is made once: its three RSA keys take a while.
var pki = sync.OnceValue(func() *icpbrasiltest.PKI {
	p, err := icpbrasiltest.New(time.Now())
	if err != nil {
		panic(err)
	}
	return p
})

// Some keys, made once.
var (
	rsaKey   = sync.OnceValue(func() crypto.Signer { return made(rsa.GenerateKey(rand.Reader, 2048)) })
	otherKey = sync.OnceValue(func() crypto.Signer { return made(rsa.GenerateKey(rand.Reader, 2048)) })
	weakKey  = sync.OnceValue(func() crypto.Signer { return made(rsa.GenerateKey(rand.Reader, 1024)) })
	p256Key  = sync.OnceValue(func() crypto.Signer { return made(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
	otherEC  = sync.OnceValue(func() crypto.Signer { return made(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
	p384Key  = sync.OnceValue(func() crypto.Signer { return made(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)) })
	p521Key  = sync.OnceValue(func() crypto.Signer { return made(ecdsa.GenerateKey(elliptic.P521(), rand.Reader)) })
	p224Key  = sync.OnceValue(func() crypto.Signer { return made(ecdsa.GenerateKey(elliptic.P224(), rand.Reader)) })
)

func made[K crypto.Signer](k K, err error) crypto.Signer {
	if err != nil {
		panic(err)
	}
	return k
}

// issue makes a certificate of a key.
func issue(t testing.TB, key crypto.Signer, opts ...icpbrasiltest.Option) *x509.Certificate {
	t.Helper()
	c, err := pki().IssueECPF(key.Public(), icpbrasiltest.Maria(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// has fails the test unless err has a code. "" is no error at all; fault.Internal is an error without a code.
func has(t testing.TB, what string, err error, want fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != want {
		t.Errorf("%s = %v, want code %q", what, err, want)
	}
	if err != nil && strings.Contains(err.Error(), "1234") {
		t.Errorf("%s shows the PIN: %v", what, err)
	}
}

// digest is one of some text.
func digest(h crypto.Hash) []byte {
	w := h.New()
	w.Write([]byte("the signed attributes of a document"))
	return w.Sum(nil)
}

// verify checks a signature with the public key alone.
func verify(t testing.TB, public crypto.PublicKey, h crypto.Hash, signature []byte) {
	t.Helper()
	ok := false
	switch k := public.(type) {
	case *rsa.PublicKey:
		ok = rsa.VerifyPKCS1v15(k, h, digest(h), signature) == nil
	case *ecdsa.PublicKey:
		ok = ecdsa.VerifyASN1(k, digest(h), signature)
	}
	if !ok {
		t.Errorf("the signature with %s does not verify", h)
	}
}
