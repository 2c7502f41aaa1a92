package revocation_test

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/revocation"
)

// TestTrust judges certificates whose lists nobody can reach: their sites end in .invalid.
func TestTrust(t *testing.T) {
	t.Parallel()
	now := time.Now()
	pki, foreign := newPKI(t, now), newPKI(t, now)
	key, err := rsa.GenerateKey(nil, 2048)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := pki.IssueECNPJ(key.Public(), icpbrasiltest.Firm())
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name     string
		anchor   *x509.Certificate
		chain    []*x509.Certificate
		tolerant bool
		at       time.Time
		want     error
	}{
		{"nobody can be asked", pki.Root, pki.Chain, false, now, fault.RevocationUnavailable},
		{"which is put up with", pki.Root, pki.Chain, true, now, nil},
		{"another root", foreign.Root, pki.Chain, true, now, fault.CertificateUntrusted},
		{"a gap in the chain", pki.Root, pki.Chain[1:], true, now, fault.CertificateUntrusted},
		{"after its end", pki.Root, pki.Chain, true, leaf.NotAfter.Add(time.Hour), fault.CertificateUntrusted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			checker := revocation.New(nil, nil, revocation.Options{Timeout: time.Second})
			trust := revocation.Trust{Anchors: []*x509.Certificate{tt.anchor}, Checker: checker, Tolerant: tt.tolerant}
			if err := trust.Validate(ctx, leaf, tt.chain, tt.at); !errors.Is(err, tt.want) {
				t.Errorf("Validate = %v, want %v", err, tt.want)
			}
		})
	}
}

func newPKI(t *testing.T, now time.Time) *icpbrasiltest.PKI {
	t.Helper()
	pki, err := icpbrasiltest.New(now)
	if err != nil {
		t.Fatal(err)
	}
	return pki
}
