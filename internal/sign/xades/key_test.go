package xades_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/signtest"
	"bulksigner/internal/sign/xades"
)

// TestKeys signs with all kinds of keys that the policy allows.
func TestKeys(t *testing.T) {
	t.Parallel()
	curve := func(c elliptic.Curve) func() (crypto.Signer, error) {
		return func() (crypto.Signer, error) { return ecdsa.GenerateKey(c, rand.Reader) }
	}
	tests := []struct {
		name string
		make func() (crypto.Signer, error)
		size int // of the signature value
	}{
		{"RSA-3072", func() (crypto.Signer, error) { return rsa.GenerateKey(rand.Reader, 3072) }, 384},
		{"P-256", curve(elliptic.P256()), 64},
		{"P-384", curve(elliptic.P384()), 96},
		{"P-521", curve(elliptic.P521()), 132},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			key, err := tt.make()
			if err != nil {
				t.Fatal(err)
			}
			id, err := world.Issue(tt.name, key)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range []crypto.Hash{crypto.SHA256, crypto.SHA512} {
				signed := must(t, []byte(invoice), id, func(o *xades.Options) { o.Hash = h })
				_, value, _ := strings.Cut(string(signed), "<ds:SignatureValue>")
				value, _, _ = strings.Cut(value, "<")
				if b, err := base64.StdEncoding.DecodeString(value); err != nil || len(b) != tt.size {
					t.Errorf("the signature value has %d bytes, %v, want %d", len(b), err, tt.size)
				}
				checkXMLSec(t, signed)
			}
		})
	}
}

func TestKeyRefused(t *testing.T) {
	t.Parallel()
	cause := errors.New("throttled")
	tests := []struct {
		name  string
		key   crypto.Signer
		want  error
		asked int
	}{
		{"another key", &signtest.Key{Signer: world.ECDSA.Key}, fault.CertificateMismatch, 0},
		{"another key that does not say so", signtest.Silent{Key: &signtest.Key{Signer: world.ECDSA.Key}}, fault.CertificateMismatch, 1},
		{"key fails", &signtest.Key{Signer: world.RSA.Key, Fail: cause}, cause, 1},
		{"right key that does not say so", signtest.Silent{Key: &signtest.Key{Signer: world.RSA.Key}}, nil, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := xades.Prepare([]byte(invoice), options(t, world.RSA))
			if err != nil {
				t.Fatal(err)
			}
			signed, err := d.Sign(tt.key)
			if !errors.Is(err, tt.want) || err != nil && signed != nil {
				t.Errorf("Sign = %d bytes, %v, want %v", len(signed), err, tt.want)
			}
			if got := tt.key.(interface{ Asked() int }).Asked(); got != tt.asked {
				t.Errorf("the key was asked %d times, want %d", got, tt.asked)
			}
		})
	}
}

// garbled is a P-256 key whose answers are not what they should be.
type garbled struct {
	crypto.Signer
	answer []byte
}

func (g garbled) Public() crypto.PublicKey { return nil }

func (g garbled) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
	return g.answer, nil
}

func TestAnswersThatAreNoSignature(t *testing.T) {
	t.Parallel()
	for _, id := range []signtest.Identity{world.RSA, world.ECDSA} {
		d, err := xades.Prepare([]byte(invoice), options(t, id))
		if err != nil {
			t.Fatal(err)
		}
		for _, answer := range [][]byte{nil, {}, {0x30}, {0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01}, make([]byte, 64), make([]byte, 256)} {
			if signed, err := d.Sign(garbled{answer: answer}); !errors.Is(err, fault.CertificateMismatch) || signed != nil {
				t.Errorf("Sign with the answer %x of %s = %d bytes, %v, want %s", answer, id.Name, len(signed), err, fault.CertificateMismatch)
			}
		}
	}
}
