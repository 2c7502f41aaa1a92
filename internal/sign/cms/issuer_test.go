package cms_test

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"encoding/asn1"
	"math/big"
	"testing"
	"time"

	"bulksigner/internal/sign/cms"
	"bulksigner/internal/sign/signtest"
)

// TestIssuerIsCopied signs with a certificate whose issuer is written in the oldest of encodings.
func TestIssuerIsCopied(t *testing.T) {
	t.Parallel()
	const t61 = 20
	state, err := asn1.Marshal(struct {
		Type  asn1.ObjectIdentifier
		Value asn1.RawValue
	}{asn1.ObjectIdentifier{2, 5, 4, 8}, asn1.RawValue{Tag: t61, Bytes: []byte("S\xe3o Paulo")}})
	if err != nil {
		t.Fatal(err)
	}
	set := append([]byte{0x31, byte(len(state))}, state...)
	name := append([]byte{0x30, byte(len(set))}, set...)
	id := issuedBy(t, name)

	s, err := cms.New(cms.Params{Certificate: id.Certificate, Hash: crypto.SHA256, Policy: params(t, id, 0).Policy})
	if err != nil {
		t.Fatal(err)
	}
	message, err := s.Detached(id.Key, make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	// In the certificate, in the SignerInfo and in signingCertificateV2.
	if got := bytes.Count(message, name); got != 3 {
		t.Errorf("the issuer stands %d times in the message as it is in the certificate, want 3", got)
	}
}

// issuedBy makes a certificate of an issuer with that encoded name.
func issuedBy(t *testing.T, name []byte) signtest.Identity {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(0x8001), NotBefore: world.Now, NotAfter: world.Now.Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, &x509.Certificate{RawSubject: name}, world.ECDSA.Key.Public(), world.ECDSA.Key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return signtest.Identity{Key: world.ECDSA.Key, Certificate: cert}
}
