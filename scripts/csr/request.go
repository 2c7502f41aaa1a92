package main

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
)

// request has the key sign a certificate request, and checks the signature before anybody else does.
func request(ctx context.Context, k *key, o options) ([]byte, error) {
	template := &x509.CertificateRequest{RawSubject: o.subject}
	if o.email != "" {
		template.EmailAddresses = []string{o.email}
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, template, signer{k, ctx})
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	made, err := x509.ParseCertificateRequest(der)
	if err == nil {
		err = made.CheckSignature()
	}
	if err != nil {
		return nil, fmt.Errorf("check the request: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}), nil
}
