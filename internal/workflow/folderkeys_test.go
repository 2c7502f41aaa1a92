package workflow_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"sync"
	"testing"
	"testing/synctest"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// authority issues what these tests need besides the certificate of all others.
var authority = sync.OnceValue(func() *icpbrasiltest.PKI {
	pki, err := icpbrasiltest.New(day)
	must(err)
	return pki
})

// person is the certificate of a person with the key of all other tests, or with another.
func person(public crypto.PublicKey, opts ...icpbrasiltest.Option) *x509.Certificate {
	cert, err := authority().IssueECPF(public, icpbrasiltest.Maria(), opts...)
	must(err)
	return cert
}

// nobody is a certificate without a CPF.
var nobody = sync.OnceValue(func() *x509.Certificate { return person(key.Public(), icpbrasiltest.WithoutCPF()) })

// TestCurvesSignOneDigest holds what a key on a curve signs: what KMS would, wherever the key is.
func TestCurvesSignOneDigest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		curve  elliptic.Curve
		digest crypto.Hash
		good   bool
	}{
		{"P-256 and SHA-256", elliptic.P256(), crypto.SHA256, true},
		{"P-256 and SHA-384", elliptic.P256(), crypto.SHA384, false},
		{"P-256 and SHA-512", elliptic.P256(), crypto.SHA512, false},
		{"P-384 and SHA-384", elliptic.P384(), crypto.SHA384, true},
		{"P-384 and SHA-256", elliptic.P384(), crypto.SHA256, false},
		{"P-521 and SHA-512", elliptic.P521(), crypto.SHA512, true},
		{"P-521 and SHA-256", elliptic.P521(), crypto.SHA256, false},
		{"P-224 and SHA-256", elliptic.P224(), crypto.SHA256, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			private, err := ecdsa.GenerateKey(tt.curve, rand.Reader)
			must(err)
			cert := person(private.Public())
			synctest.Test(t, func(t *testing.T) {
				s := newFolderScene(t)
				s.Keys.Key, s.Keys.Inner = profile.Key{Certificate: cert}, private
				s.begin(func(o *job.Started) { o.Digest, o.Hash = tt.digest, make([]byte, tt.digest.Size()) })
				s.wait()
				s.swept(t)
				s.deliver()
				j := s.only(t)
				if asked := s.Keys.Count() == 1; asked != tt.good {
					t.Errorf("the key was asked: %t, want %t; the job is %s: %s", asked, tt.good, j.Code, j.Error)
				}
				if !tt.good && j.Code != fault.SignerFolderSignatureFailed {
					t.Errorf("fails with %s, want %s", j.Code, fault.SignerFolderSignatureFailed)
				}
			})
		})
	}
}

// TestDigests signs under each digest with an RSA key.
func TestDigests(t *testing.T) {
	t.Parallel()
	for _, digest := range []crypto.Hash{crypto.SHA256, crypto.SHA384, crypto.SHA512} {
		synctest.Test(t, func(t *testing.T) {
			s := newFolderScene(t)
			s.begin(func(o *job.Started) { o.Digest, o.Hash = digest, make([]byte, digest.Size()) })
			s.wait()
			s.swept(t)
			s.deliver()
			if s.Keys.Count() != 1 {
				t.Errorf("%s: the key was asked %d times: %s", digest, s.Keys.Count(), s.only(t).Error)
			}
		})
	}
}
