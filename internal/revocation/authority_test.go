package revocation_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"bulksigner/internal/revocation"
)

var now = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

// authority issues certificates, lists and OCSP answers.
type authority struct {
	cert *x509.Certificate
	key  crypto.Signer
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// newRoot makes an authority of its own.
func newRoot(t testing.TB) *authority {
	t.Helper()
	return newAuthority(t, nil, template(1, "Autoridade Certificadora Raiz de Teste"))
}

// under makes an authority below a.
func (a *authority) under(t testing.TB, serial int64, urls ...string) *authority {
	t.Helper()
	c := template(serial, "AC Emissora de Teste")
	c.CRLDistributionPoints = urls
	return newAuthority(t, a, c)
}

func newAuthority(t testing.TB, parent *authority, c *x509.Certificate) *authority {
	t.Helper()
	return newAuthorityWith(t, parent, c, newKey(t))
}

func newAuthorityWith(t testing.TB, parent *authority, c *x509.Certificate, key crypto.Signer) *authority {
	t.Helper()
	c.IsCA, c.KeyUsage = true, x509.KeyUsageCertSign|x509.KeyUsageCRLSign
	a := &authority{key: key}
	if parent == nil {
		parent = &authority{c, a.key}
	}
	a.cert = parent.sign(t, c, a.key.Public())
	return a
}

func template(serial int64, name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber:          big.NewInt(serial),
		Subject:               pkix.Name{Country: []string{"BR"}, Organization: []string{"ICP-Brasil"}, CommonName: name},
		NotBefore:             now.AddDate(-1, 0, 0),
		NotAfter:              now.AddDate(1, 0, 0),
		BasicConstraintsValid: true,
	}
}

// sign issues what a template describes.
func (a *authority) sign(t testing.TB, c *x509.Certificate, key crypto.PublicKey) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, key, a.key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// leaf issues a signer's certificate that names sources of its revocation.
func (a *authority) leaf(t testing.TB, serial int64, responders, lists []string) *x509.Certificate {
	t.Helper()
	c := template(serial, "MARIA DE TESTE")
	c.OCSPServer, c.CRLDistributionPoints = responders, lists
	return a.sign(t, c, newKey(t).Public())
}

// list signs a revocation list. change may be nil.
func (a *authority) list(t testing.TB, change func(*x509.RevocationList), revoked ...x509.RevocationListEntry) []byte {
	t.Helper()
	l := &x509.RevocationList{
		Number: big.NewInt(7), ThisUpdate: now.Add(-time.Hour), NextUpdate: now.Add(3 * time.Hour),
		RevokedCertificateEntries: revoked,
	}
	if change != nil {
		change(l)
	}
	der, err := x509.CreateRevocationList(rand.Reader, l, a.cert, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// revoked is an entry of a list.
func revoked(serial int64, at time.Time, reason revocation.Reason) x509.RevocationListEntry {
	return x509.RevocationListEntry{SerialNumber: big.NewInt(serial), RevocationTime: at, ReasonCode: int(reason)}
}

// good is a template of an OCSP answer.
func good(serial int64) ocsp.Response {
	return ocsp.Response{
		Status: ocsp.Good, SerialNumber: big.NewInt(serial), ThisUpdate: now.Add(-time.Hour), NextUpdate: now.Add(time.Hour),
	}
}

// answer signs an OCSP answer as by, or as a itself if by is nil.
func (a *authority) answer(t testing.TB, r ocsp.Response, by *authority) []byte {
	t.Helper()
	if by == nil {
		by = a
	} else if r.Certificate == nil {
		r.Certificate = by.cert
	}
	der, err := ocsp.CreateResponse(a.cert, by.cert, r, by.key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// delegate makes a responder that a appoints, unless change takes back what makes it one.
func (a *authority) delegate(t testing.TB, change func(*x509.Certificate)) *authority {
	t.Helper()
	c := template(900, "Respondedor OCSP de Teste")
	c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning}
	c.ExtraExtensions = []pkix.Extension{{Id: []int{1, 3, 6, 1, 5, 5, 7, 48, 1, 5}, Value: []byte{5, 0}}}
	if change != nil {
		change(c)
	}
	d := &authority{key: newKey(t)}
	d.cert = a.sign(t, c, d.key.Public())
	return d
}

// reseal changes the body of a signed structure, a list or the inner part of an OCSP answer, and signs it again.
func (a *authority) reseal(t testing.TB, der []byte, edit func(body []byte) []byte) []byte {
	t.Helper()
	var s struct {
		Body      asn1.RawValue
		Algorithm asn1.RawValue
		Signature asn1.BitString
		Rest      []asn1.RawValue `asn1:"optional,explicit,tag:0"`
	}
	unmarshal(t, der, &s)
	s.Body = asn1.RawValue{Tag: asn1.TagSequence, IsCompound: true, Bytes: edit(s.Body.Bytes)}
	sum := sha256.Sum256(marshal(t, s.Body))
	signature, err := a.key.Sign(rand.Reader, sum[:], crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	s.Signature = asn1.BitString{Bytes: signature, BitLength: 8 * len(signature)}
	return marshal(t, s)
}

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	der, err := asn1.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func unmarshal(t testing.TB, der []byte, v any) {
	t.Helper()
	if rest, err := asn1.Unmarshal(der, v); err != nil || len(rest) > 0 {
		t.Fatalf("%v, %d bytes left", err, len(rest))
	}
}
