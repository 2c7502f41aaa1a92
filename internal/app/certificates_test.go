package app_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"slices"
	"testing"
	"time"

	"bulksigner/internal/app"
	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/profile"
)

// opened is what opening a key finds.
type opened struct {
	key   profile.Key
	err   error
	asked int
}

func (o *opened) Open(context.Context, profile.Profile) (profile.Key, error) {
	o.asked++
	return o.key, o.err
}

// shelf has one object, at one location.
type shelf struct {
	location string
	content  []byte
	err      error
}

func (s shelf) Asset(_ context.Context, location string) ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	if location != s.location {
		return nil, fault.New(fault.SealImageMissing, "there is nothing")
	}
	return s.content, nil
}

// issued is a person's certificate with its authorities.
type issued struct {
	person, encryption *x509.Certificate
	chain              []*x509.Certificate
}

func issue(t *testing.T) issued {
	t.Helper()
	pki, err := icpbrasiltest.New(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	who := icpbrasiltest.Person{Name: "Ana Teste", CPF: "52998224725"}
	person, err := pki.IssueECPF(key.Public(), who)
	if err != nil {
		t.Fatal(err)
	}
	encryption, err := pki.IssueECPF(key.Public(), who, icpbrasiltest.KeyUsage(x509.KeyUsageKeyEncipherment))
	if err != nil {
		t.Fatal(err)
	}
	return issued{person, encryption, pki.Chain}
}

func encode(certs ...*x509.Certificate) (all []byte) {
	for _, c := range certs {
		all = append(all, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})...)
	}
	return all
}

func inKMS(certificate string) profile.Profile {
	return profile.Profile{Name: "found", Certificate: &profile.Certificate{Source: profile.Kms, Kms: &profile.KmsKey{Certificate: certificate}}}
}

func TestCertificate(t *testing.T) {
	t.Parallel()
	i := issue(t)
	const place = "s3://certificates/found.pem"
	outage := errors.New("slow down")
	pfx := profile.Profile{Name: "letters", Certificate: &profile.Certificate{Source: profile.Pfx, Pfx: &profile.PfxKey{}}}
	tests := []struct {
		name    string
		profile profile.Profile
		keys    opened
		shelf   shelf
		want    *x509.Certificate
		err     error
		asked   int
	}{
		{name: "beside the key", profile: inKMS(string(encode(i.person))), want: i.person},
		{name: "behind its authorities", profile: inKMS(string(encode(slices.Concat(i.chain, []*x509.Certificate{i.person})...))), want: i.person},
		{name: "in an object", profile: inKMS(place), shelf: shelf{location: place, content: encode(append([]*x509.Certificate{i.person}, i.chain...)...)}, want: i.person},
		{name: "an object that is gone", profile: inKMS(place), err: fault.CertificateMissing},
		{name: "an object out of reach", profile: inKMS(place), shelf: shelf{err: outage}, err: outage},
		{name: "none", profile: inKMS("none"), err: fault.CertificateInvalid},
		{name: "one that must not sign", profile: inKMS(string(encode(i.encryption))), err: fault.CertificateUnsuitable},
		{name: "in a file", profile: pfx, keys: opened{key: profile.Key{Certificate: i.person}}, want: i.person, asked: 1},
		{name: "a file that does not open", profile: pfx, keys: opened{err: fault.CertificateInvalid}, err: fault.CertificateInvalid, asked: 1},
		{name: "no certificate", profile: profile.Profile{Name: "bare"}, keys: opened{err: fault.CertificateMissing}, err: fault.CertificateMissing, asked: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := app.Certificate(t.Context(), &tt.keys, tt.shelf, tt.profile)
			if !errors.Is(err, tt.err) || (tt.want == nil) != (got == nil) || got != nil && !got.Equal(tt.want) {
				t.Errorf("the certificate is %v, %v, want %v", got != nil, err, tt.err)
			}
			if tt.keys.asked != tt.asked {
				t.Errorf("keys were opened %d times, want %d", tt.keys.asked, tt.asked)
			}
		})
	}
}
