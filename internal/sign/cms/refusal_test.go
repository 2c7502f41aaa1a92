package cms_test

import (
	"crypto"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/sign/cms"
	"bulksigner/internal/sign/signtest"
)

func TestRefusedBeforeTheKey(t *testing.T) {
	t.Parallel()
	weakRSA, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	issue := func(key crypto.Signer, opts ...icpbrasiltest.Option) signtest.Identity {
		id, err := world.Issue("", key, opts...)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	authority := signtest.Identity{Certificate: world.PKI.Chain[0]}
	tests := []struct {
		name   string
		id     signtest.Identity
		change func(*cms.Params)
		want   fault.Code
	}{
		{"RSA of 1024 bits", issue(weakRSA), nil, fault.KeyUnsupported},
		{"ECDSA of 224 bits", curve(t, elliptic.P224()), nil, fault.KeyUnsupported},
		{"another kind of key", issue(edwards), nil, fault.KeyUnsupported},
		{"SHA-384", world.RSA, func(p *cms.Params) { p.Hash = crypto.SHA384 }, fault.KeyUnsupported},
		{"SHA-1", world.RSA, func(p *cms.Params) { p.Hash = crypto.SHA1 }, fault.KeyUnsupported},
		{"ECDSA where the policy has RSA alone", world.ECDSA, func(p *cms.Params) { p.Policy.ECDSA = false }, fault.KeyUnsupported},
		{"an authority", authority, nil, fault.CertificateUnsuitable},
		{"not for signatures", issue(world.RSA.Key, icpbrasiltest.KeyUsage(x509.KeyUsageKeyEncipherment)), nil, fault.CertificateUnsuitable},
		{"no certificate", signtest.Identity{}, nil, fault.CertificateMissing},
		{"no policy", world.RSA, func(p *cms.Params) { p.Policy = icpbrasil.Policy{} }, fault.PolicyNotInForce},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := params(t, tt.id, crypto.SHA256)
			if tt.change != nil {
				tt.change(&p)
			}
			if _, err := cms.New(p); !errors.Is(err, tt.want) {
				t.Errorf("New = %v, want %s", err, tt.want)
			}
		})
	}
}

func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	s, err := cms.New(params(t, world.RSA, crypto.SHA256))
	if err != nil {
		t.Fatal(err)
	}
	digest := make([]byte, 32)
	other := &signtest.Key{Signer: world.ECDSA.Key}
	if out, err := s.Detached(other, digest); !errors.Is(err, fault.CertificateMismatch) || out != nil || other.Asked() != 0 {
		t.Errorf("another key: %d bytes, %v, asked %d times, want %s unasked", len(out), err, other.Asked(), fault.CertificateMismatch)
	}
	if out, err := s.Detached(signtest.Silent{Key: other}, digest); !errors.Is(err, fault.CertificateMismatch) || out != nil {
		t.Errorf("another key that does not say so: %d bytes, %v, want %s", len(out), err, fault.CertificateMismatch)
	}
	failing := &signtest.Key{Signer: world.RSA.Key, Fail: fault.Throttled}
	if _, err := s.Detached(failing, digest); !errors.Is(err, fault.Throttled) {
		t.Errorf("a key that fails: %v, want its own error", err)
	}
	key := &signtest.Key{Signer: world.RSA.Key}
	if _, err := s.Detached(key, digest[:20]); err == nil || key.Asked() != 0 {
		t.Errorf("a digest of 20 bytes: %v, asked %d times, want an error unasked", err, key.Asked())
	}
}
