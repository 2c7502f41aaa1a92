// Package pades signs PDF files under the AD-RB policies of ICP-Brasil, by appending to them.
//
// The bytes of the original never change, so that earlier signatures stay valid and the original part of the result need
// not be copied by whoever stores it. Everything that can be refused is refused by Prepare, before the key is asked;
// the key is asked once. Of the document only its structure is read: its bytes are hashed by the caller, once and in
// passing. Verifying the result is left to verify.
package pades

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cms"
	"bulksigner/internal/sign/pdf"
)

// SubFilter says how readers are to understand a signature.
type SubFilter string

// The two that are in use. The policy's own is PBAD.PAdES, which common readers do not know; the other one is ETSI's,
// which they do.
const (
	ETSI SubFilter = "ETSI.CAdES.detached"
	PBAD SubFilter = "PBAD.PAdES"
)

// Options says who signs, and what the signature says about itself.
type Options struct {
	Certificate *x509.Certificate
	Chain       []*x509.Certificate
	Hash        crypto.Hash
	Policy      icpbrasil.Policy

	SubFilter                           SubFilter // ETSI if empty
	Name, Reason, Location, ContactInfo string    // left out if empty
	Time                                time.Time // written to M, left out if zero

	// Field is the full name of an empty signature field to fill. If empty, the signature gets a new field
	// with the first free name of Signature1, Signature2, and so on.
	Field string

	// Seal makes the signature visible on a page, where nil leaves it invisible.
	Seal *Seal
	art  *artwork // what the seal shows, made by check
}

// Document is a file that is ready to be signed. It may be used concurrently.
type Document struct {
	signer   *cms.Signer
	section  []byte // as it will be appended, the signature and the identifier blank
	from, to int    // where in the section the value of Contents stands, brackets included
	id       int    // where the changing half of the identifier stands, 0 if there is none
}

// Prepare reads the structure of a file of the given size, refuses what cannot be signed and lays out what is to be
// appended. It keeps nothing of the file.
//
// It returns fault.PDFNotAPDF, PDFMalformed, PDFEncrypted, PDFCertified, PDFNoPage, PDFField or PDFSealMisplaced for the
// file, the codes of cms.New, fault.CertificateExpired, CertificateNotYetValid, PolicyNotInForce and SettingsInvalid for
// the options, and the error of the reader as it is.
func Prepare(file io.ReaderAt, size int64, o Options) (*Document, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	signer, err := cms.New(cms.Params{Certificate: o.Certificate, Chain: o.Chain, Hash: o.Hash, Policy: o.Policy})
	if err != nil {
		return nil, err
	}
	room, err := signer.MaxSize()
	if err != nil {
		return nil, err
	}
	f, err := pdf.Open(file, size)
	if err != nil {
		return nil, err
	}
	l, err := plan(f, o)
	if err != nil {
		return nil, err
	}
	section, from, to, err := l.write(size, room)
	if err != nil {
		return nil, err
	}
	return &Document{signer: signer, section: section.Bytes, from: from, to: to, id: section.ID}, nil
}

// AppendedSize is the size of what Sign returns.
func (d *Document) AppendedSize() int { return len(d.section) }

// Sign completes the digest, asks the key once and returns the section to be appended to the original bytes. original is
// the state of the hash after all bytes of the original file and nothing else; it is not changed.
func (d *Document) Sign(original hash.Hash, key crypto.Signer) ([]byte, error) {
	section := bytes.Clone(d.section)
	d.renewID(section, original)
	h, err := clone(original)
	if err != nil {
		return nil, err
	}
	h.Write(section[:d.from])
	h.Write(section[d.to:])
	signature, err := d.signer.Detached(key, h.Sum(nil))
	if err != nil {
		return nil, err
	}
	room := section[d.from+1 : d.to-1]
	if hex.EncodedLen(len(signature)) > len(room) {
		return nil, fault.New(fault.Internal, "the signature has %d bytes, the room for it %d", len(signature), len(room)/2)
	}
	hex.Encode(room, signature)
	return section, nil
}

// renewID makes the changing half of the file identifier from all that the new file consists of, but the signature.
func (d *Document) renewID(section []byte, original hash.Hash) {
	if d.id == 0 {
		return
	}
	h := sha256.New()
	h.Write(original.Sum(nil))
	h.Write(section)
	const size = 16
	hex.Encode(section[d.id:d.id+2*size], h.Sum(nil)[:size])
}

func clone(h hash.Hash) (hash.Hash, error) {
	c, ok := h.(hash.Cloner)
	if !ok {
		return nil, errors.New("the hash of the original cannot be cloned")
	}
	out, err := c.Clone()
	if err != nil {
		return nil, fmt.Errorf("clone the hash of the original: %w", err)
	}
	return out, nil
}
