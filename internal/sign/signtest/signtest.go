// Package signtest is what the tests of the signing packages share: identities to sign with, keys that count how often
// they are asked, the corpus of real documents, and the outside tools that judge signatures.
package signtest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
)

// Identity is a key with its certificate.
type Identity struct {
	Name        string
	Key         crypto.Signer
	Certificate *x509.Certificate
}

// World is a PKI with one identity for each kind of key, and a folder with what outside tools need.
type World struct {
	PKI        *icpbrasiltest.PKI
	RSA, ECDSA Identity
	Now        time.Time

	dir string
	nss func() error // makes the trust store of pdfsig, once
}

// New makes a World. It is of the present, since outside tools judge by the clock. Close removes its folder.
func New() (*World, error) {
	w := &World{Now: time.Now().Truncate(time.Second)}
	var err error
	if w.PKI, err = icpbrasiltest.New(w.Now); err != nil {
		return nil, err
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if w.RSA, err = w.Issue("RSA-2048", rsaKey); err != nil {
		return nil, err
	}
	if w.ECDSA, err = w.Issue("P-256", ecKey); err != nil {
		return nil, err
	}
	return w, w.writeFolder()
}

// Issue makes an identity of a key.
func (w *World) Issue(name string, key crypto.Signer, opts ...icpbrasiltest.Option) (Identity, error) {
	cert, err := w.PKI.IssueECPF(key.Public(), icpbrasiltest.Maria(), opts...)
	if err != nil {
		return Identity{}, fmt.Errorf("issue a certificate for %s: %w", name, err)
	}
	return Identity{name, key, cert}, nil
}

// RootFile is the trust anchor in PEM.
func (w *World) RootFile() string { return filepath.Join(w.dir, "root.pem") }

func (w *World) writeFolder() error {
	dir, err := os.MkdirTemp("", "signtest")
	if err != nil {
		return err
	}
	w.dir = dir
	w.nss = newNSS(w)
	return os.WriteFile(w.RootFile(), w.PKI.RootPEM(), 0o600)
}

// Close removes the folder.
func (w *World) Close() error { return os.RemoveAll(w.dir) }

// Key is a key that counts how often it was asked, and fails if it is told to.
type Key struct {
	crypto.Signer
	Fail  error // returned instead of a signature
	asked atomic.Int64
}

// Asked is how many signatures were asked for.
func (k *Key) Asked() int { return int(k.asked.Load()) }

// Sign implements crypto.Signer.
func (k *Key) Sign(r io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	k.asked.Add(1)
	if len(digest) != opts.HashFunc().Size() {
		return nil, errors.New("the key was given something that is not a digest")
	}
	if k.Fail != nil {
		return nil, k.Fail
	}
	return k.Signer.Sign(r, digest, opts)
}

// Silent is a key that does not say which one it is, as a remote key may not.
type Silent struct{ *Key }

// Public implements crypto.Signer.
func (Silent) Public() crypto.PublicKey { return nil }
