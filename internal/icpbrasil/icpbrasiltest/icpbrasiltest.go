// Package icpbrasiltest makes a public key infrastructure shaped like ICP-Brasil, in memory, for tests and for the run
// on one machine: a root, a first-level authority, an issuing authority, and signer certificates of both generations.
//
// What it issues has the names, extensions and encodings of real certificates, so that code which reads them meets what
// it will meet in production. It differs where real ones would be slow: the authorities' keys are RSA-2048, while those
// of ICP-Brasil are RSA-4096. Signatures are SHA-512 with RSA, as there. Nothing that it issues is worth anything
// outside of a test: addresses end in .invalid, and every name says "teste".
package icpbrasiltest

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"time"
)

// authorityBits is the size of the authorities' keys. It is half of the real one, which takes seconds to make.
const authorityBits = 2048

// PKI is a root with two authorities under it. The issuing authority's key stays inside.
type PKI struct {
	Root  *x509.Certificate
	Chain []*x509.Certificate // issuing authority first, then the first-level authority; without the root

	now time.Time
	key crypto.Signer // of Chain[0]
}

// authority is a certificate with its key.
type authority struct {
	cert *x509.Certificate
	key  crypto.Signer
}

// New makes a PKI that is valid at now. Its authorities were made before now and outlive it by years, and certificates
// are valid from the day before for one year unless Validity says otherwise. Every call makes new keys: two PKIs do
// not trust each other, though their names are the same.
func New(now time.Time) (*PKI, error) {
	now = now.UTC().Truncate(time.Second)
	root, err := newAuthority(nil, "Autoridade Certificadora Raiz de Teste", 2, now.AddDate(-2, 0, 0), now.AddDate(12, 0, 0))
	if err != nil {
		return nil, err
	}
	first, err := newAuthority(root, "AC de Primeiro Nivel de Teste", 1, now.AddDate(-1, 0, 0), now.AddDate(10, 0, 0))
	if err != nil {
		return nil, err
	}
	issuing, err := newAuthority(first, "AC Emissora de Teste", 0, now.AddDate(-1, 0, 0), now.AddDate(8, 0, 0))
	if err != nil {
		return nil, err
	}
	return &PKI{
		Root:  root.cert,
		Chain: []*x509.Certificate{issuing.cert, first.cert},
		now:   now,
		key:   issuing.key,
	}, nil
}

// RootPEM returns the trust anchor.
func (p *PKI) RootPEM() []byte { return encodePEM(p.Root) }

// ChainPEM returns the authorities between a certificate and the root, issuing authority first.
func (p *PKI) ChainPEM() []byte { return encodePEM(p.Chain...) }

// newAuthority makes an authority under parent, or a root if parent is nil. depth is how many authorities may follow.
func newAuthority(parent *authority, name string, depth int, from, until time.Time) (*authority, error) {
	key, err := rsa.GenerateKey(rand.Reader, authorityBits)
	if err != nil {
		return nil, fmt.Errorf("make the key of %q: %w", name, err)
	}
	subject, err := marshalName(slices.Concat(authorityName, []attribute{{oidCommonName, name}}))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		RawSubject:            subject,
		NotBefore:             from,
		NotAfter:              until,
		SignatureAlgorithm:    x509.SHA512WithRSA,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLen:            depth,
		MaxPathLenZero:        depth == 0,
	}
	if parent == nil {
		parent = &authority{template, key}
	}
	cert, err := create(template, parent, key.Public())
	if err != nil {
		return nil, fmt.Errorf("issue %q: %w", name, err)
	}
	return &authority{cert, key}, nil
}

func create(template *x509.Certificate, parent *authority, key crypto.PublicKey) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent.cert, key, parent.key)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

func encodePEM(certs ...*x509.Certificate) []byte {
	var out bytes.Buffer
	for _, c := range certs {
		out.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}))
	}
	return out.Bytes()
}
