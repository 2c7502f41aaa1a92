package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"bulksigner/internal/aws/keys"
	"bulksigner/internal/profile"
	"bulksigner/internal/settings"
)

// check compares a certificate with the key, and makes the block of a profile that names both.
func check(ctx context.Context, k *key, o options, s surroundings) ([]byte, error) {
	certs, err := read(o.check, profile.ParseCertificates)
	if err != nil {
		return nil, err
	}
	opened, err := open(ctx, k, certs)
	if err != nil {
		return nil, fmt.Errorf("compare %s with the key: %w", o.check, err)
	}
	now := s.now()
	path := slices.Concat([]*x509.Certificate{opened.Certificate}, opened.Chain)
	describe(s.stderr, opened, now)
	err = errors.Join(inTime(path, now), complete(opened), o.anchored(s.stderr, opened, now))
	if err != nil {
		return nil, err
	}
	if !slices.EqualFunc(path, certs, (*x509.Certificate).Equal) {
		fmt.Fprintf(s.stderr, "order        %d of the %d certificates belong together; they were put in order\n", len(path), len(certs))
	}
	return block(o.key, path)
}

// open opens the pair as the service does for a profile.
func open(ctx context.Context, k *key, certs []*x509.Certificate) (profile.Key, error) {
	p := profile.New("check")
	p.Certificate = &profile.Certificate{Source: profile.Kms, Kms: &profile.KmsKey{KeyID: k.arn, Certificate: encode(certs)}}
	return keys.New(k.api, nil, nil, 0).Open(ctx, p) // there is nothing in secrets and objects that this profile names
}

// inTime refuses certificates outside of their validity, which would make every signature fail.
func inTime(path []*x509.Certificate, now time.Time) error {
	var faults []error
	for i, c := range path {
		if err := (profile.Key{Certificate: c}).ValidAt(now); err != nil {
			faults = append(faults, fmt.Errorf("certificate %d of the chain: %w", i+1, err))
		}
	}
	return errors.Join(faults...)
}

// complete wants the authority that issued the certificate: in ICP-Brasil that is never a root.
func complete(k profile.Key) error {
	if len(k.Chain) == 0 {
		return fmt.Errorf("the file lacks the certificate of %s, who issued it: put the authorities' certificates after it", authority(k.Certificate.Issuer))
	}
	return nil
}

// anchored wants the chain to lead to one of the roots, if any are given.
func (o options) anchored(out io.Writer, k profile.Key, now time.Time) error {
	last := k.Certificate
	if len(k.Chain) > 0 {
		last = k.Chain[len(k.Chain)-1]
	}
	if o.anchors == "" {
		fmt.Fprintf(out, "root         %s, not checked without -anchors\n", authority(last.Issuer))
		return nil
	}
	roots, err := read(o.anchors, settings.ParseAnchors)
	if err != nil {
		return err
	}
	v := x509.VerifyOptions{Roots: pool(roots), Intermediates: pool(k.Chain), CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}
	if _, err := k.Certificate.Verify(v); err != nil {
		return fmt.Errorf("the certificate does not lead to a root of %s: %w", o.anchors, err)
	}
	fmt.Fprintf(out, "root         %s, of %s\n", authority(last.Issuer), o.anchors)
	return nil
}

func pool(certs []*x509.Certificate) *x509.CertPool {
	p := x509.NewCertPool()
	for _, c := range certs {
		p.AddCert(c)
	}
	return p
}

// read reads a file of certificates, if it is not too large.
func read(name string, parse func([]byte) ([]*x509.Certificate, error)) ([]*x509.Certificate, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, profile.MaxCertificates+1)) // one more, so that parse sees that it is too much
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	certs, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return certs, nil
}

func encode(certs []*x509.Certificate) string {
	var b bytes.Buffer
	for _, c := range certs {
		b.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}))
	}
	return b.String()
}

// block is the part of a profile that names a key and its certificate, as the API takes it and, since the case of keys does
// not count there, the settings file too.
func block(keyID string, path []*x509.Certificate) ([]byte, error) {
	type kms struct {
		KeyID       string `json:"keyId"`
		Certificate string `json:"certificate"`
	}
	type certificate struct {
		Source profile.Source `json:"source"`
		Kms    kms            `json:"kms"`
	}
	type part struct {
		Certificate certificate `json:"certificate"`
	}
	b, err := json.MarshalIndent(part{certificate{profile.Kms, kms{keyID, encode(path)}}}, "", "  ")
	return append(b, '\n'), err
}
