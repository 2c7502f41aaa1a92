package verify_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"sync"
	"testing"
	"time"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/verify"
)

var now = time.Date(2026, time.November, 29, 12, 0, 0, 0, time.UTC)

// people is a PKI with signers. Making RSA keys takes a moment, so all tests share them.
type people struct {
	pki          *icpbrasiltest.PKI
	key          *rsa.PrivateKey
	maria        *x509.Certificate
	expired      *x509.Certificate // Maria's of last year, for the same key
	encipherment *x509.Certificate // for the same key, and not for signatures
	curve        *ecdsa.PrivateKey
	joao         *x509.Certificate // for the curve
	stranger     *icpbrasiltest.PKI
}

var everybody = sync.OnceValues(func() (p people, err error) {
	if p.pki, err = icpbrasiltest.New(now); err != nil {
		return p, err
	}
	if p.stranger, err = icpbrasiltest.New(now); err != nil {
		return p, err
	}
	if p.key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		return p, err
	}
	if p.curve, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return p, err
	}
	who := icpbrasiltest.Maria()
	if p.maria, err = p.pki.IssueECPF(p.key.Public(), who); err != nil {
		return p, err
	}
	p.expired, err = p.pki.IssueECPF(p.key.Public(), who, icpbrasiltest.Validity(now.AddDate(0, -6, 0), now.Add(-time.Hour)))
	if err != nil {
		return p, err
	}
	p.encipherment, err = p.pki.IssueECPF(p.key.Public(), who, icpbrasiltest.KeyUsage(x509.KeyUsageKeyEncipherment))
	if err != nil {
		return p, err
	}
	who.Name, who.CPF = "JOAO DE TESTE", "11144477735"
	p.joao, err = p.pki.IssueECPF(p.curve.Public(), who)
	return p, err
})

func cast(t testing.TB) people {
	t.Helper()
	p, err := everybody()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// good is a signature by Maria with which nothing is wrong.
func (p people) good() maker {
	return maker{key: p.key, cert: p.maria, others: p.pki.Chain}
}

// strict is everything that can be demanded of Maria's signature.
func (p people) strict() verify.Options {
	return verify.Options{Anchors: []*x509.Certificate{p.pki.Root}, At: now, Policy: true, Signer: p.maria}
}

// newKey makes a key that nobody has a certificate for.
func newKey(t testing.TB) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// weakMakers sign with keys that are too short.
func weakMakers(t testing.TB) map[string]maker {
	t.Helper()
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P224(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]maker{
		"RSA-1024": {key: short, cert: selfSigned(t, short, "RSA")},
		"P-224":    {key: curve, cert: selfSigned(t, curve, "P-224"), algorithm: "1.2.840.10045.4.3.2"},
	}
}

// selfSigned makes a short certificate that nobody else vouches for.
func selfSigned(t testing.TB, key crypto.Signer, cn string) *x509.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: cn}, SubjectKeyId: []byte("identifier"),
		NotBefore: now.AddDate(0, -1, 0), NotAfter: now.AddDate(1, 0, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// criticalExtension is one that nobody knows.
func criticalExtension() pkix.Extension {
	return pkix.Extension{Id: asn1.ObjectIdentifier{1, 2, 3}, Critical: true, Value: []byte{5, 0}}
}
