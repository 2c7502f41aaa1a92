// Package signing signs documents as the service does, with a key of each kind that it knows: PAdES for PDF, XAdES for
// XML, CAdES for everything else, and one more signature for a message that is signed already.
//
// Nothing is stored and nobody is asked for revocation. Each signature has a key of its own that counts how often it was
// asked, so that a refusal can be shown to have come before.
package signing

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	_ "crypto/sha512" // the other digest of AD-RB
	"crypto/x509"
	"fmt"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/signtest"
)

// Key is a key with its certificate, and the digest that is used with it.
type Key struct {
	signtest.Identity
	Hash crypto.Hash
}

// Bench is where documents are signed: a PKI that is made anew, with one key of each kind.
type Bench struct {
	Keys []Key

	world *signtest.World
}

// New makes the keys: RSA of both sizes and P-256. The large one goes with the other digest of AD-RB, so that both
// digests come before the judges. Close removes the bench's folder.
func New() (*Bench, error) {
	w, err := signtest.New()
	if err != nil {
		return nil, err
	}
	large, err := rsa.GenerateKey(rand.Reader, 4096)
	if err != nil {
		return nil, fmt.Errorf("make an RSA key of 4096 bits: %w", err)
	}
	id, err := w.Issue("RSA-4096", large)
	if err != nil {
		return nil, err
	}
	return &Bench{world: w, Keys: []Key{{w.RSA, crypto.SHA256}, {id, crypto.SHA512}, {w.ECDSA, crypto.SHA256}}}, nil
}

// Close removes the folder with the trust anchor.
func (b *Bench) Close() error { return b.world.Close() }

// Root is the trust anchor, RootFile the file that has it in PEM.
func (b *Bench) Root() *x509.Certificate { return b.world.PKI.Root }

// RootFile is the trust anchor's file.
func (b *Bench) RootFile() string { return b.world.RootFile() }

// Outcome is what became of a document.
type Outcome struct {
	Signed  []byte // nil if it was refused
	Content []byte // what a detached signature signs, nil for the others

	Refused fault.Code // why it was refused, "" if it was not; fault.Internal is a failure, not a refusal
	Detail  string
	Asked   int // how often the key was
}

// Sign signs a document in a form.
func (b *Bench) Sign(document []byte, form Form, key Key) Outcome {
	counter := &signtest.Key{Signer: key.Key}
	o, err := b.in(form)(document, key, counter)
	if err != nil {
		o = Outcome{Refused: fault.CodeOf(err), Detail: err.Error()}
	}
	o.Asked = counter.Asked()
	return o
}
