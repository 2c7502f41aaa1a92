// Package cades signs content of any kind under the AD-RB policies of ICP-Brasil: CAdES, with the content inside of the
// signature (.p7m) or beside it (.p7s), and further signatures on messages that are signed already.
//
// A result is what stands before the content and what stands after it; the content itself is hashed by the caller, once
// and in passing, and is never copied here. So memory does not grow with it. Everything that can be refused is refused
// before the key is asked; the key is asked once. Earlier signatures, and the certificates that came with them, stay as
// they are to the byte. The signed attributes are the four that AD-RB demands: signingTime is allowed in CAdES but
// proves nothing, and is left out as in PAdES. Verifying the result is left to verify.
package cades

import (
	"crypto"
	"crypto/x509"
	"hash"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cms"
)

// Limits on what is signed.
const (
	// MaxContent is the size of the largest content, in bytes.
	MaxContent = 1 << 30

	// MaxExtras is the size of what an earlier message may carry besides its content, in bytes: certificates, revocation
	// lists and signatures, all of which are held in memory. Lists of authorities with many certificates have a few
	// megabytes each.
	MaxExtras = 16 << 20
)

// Options says who signs, and how.
type Options struct {
	Certificate *x509.Certificate
	Chain       []*x509.Certificate
	Hash        crypto.Hash
	Policy      icpbrasil.Policy
	Time        time.Time // at which certificate and policy must be good; not checked if zero, and written nowhere

	// Detached leaves the content outside. A further signature does not ask: the content stays where it is.
	Detached bool
}

// signer refuses options that would make a signature nobody accepts.
func (o Options) signer() (*cms.Signer, error) {
	if o.Policy.Form != icpbrasil.CAdES {
		return nil, fault.New(fault.PolicyNotInForce, "there is no CAdES policy to sign under")
	}
	p := cms.Params{Certificate: o.Certificate, Chain: o.Chain, Hash: o.Hash, Policy: o.Policy}
	if !o.Time.IsZero() {
		if err := p.CheckTime(o.Time); err != nil {
			return nil, err
		}
	}
	return cms.New(p)
}

// Document is content that is ready to be signed. It may be used concurrently.
type Document struct{ envelope envelope }

// Prepare gets ready to sign content of the given size.
//
// It returns fault.CMSEmpty or JobInputTooLarge for the content, the codes of cms.New, fault.CertificateExpired,
// CertificateNotYetValid and PolicyNotInForce for the options.
func Prepare(size int64, o Options) (*Document, error) {
	if err := checkSize(size); err != nil {
		return nil, err
	}
	signer, err := o.signer()
	if err != nil {
		return nil, err
	}
	d := &Document{envelope{signer: signer, contentType: oidData, size: size, detached: o.Detached}}
	return d, d.envelope.announce()
}

func checkSize(size int64) error {
	if size < 1 {
		return fault.New(fault.CMSEmpty, "the file is empty: there is nothing to sign")
	}
	if size > MaxContent {
		return fault.New(fault.JobInputTooLarge, "the content has %d bytes, %d are allowed", size, int64(MaxContent))
	}
	return nil
}

// Sign asks the key once. content is the state of the hash after all of the content and nothing else; it is not changed.
// Sign returns fault.CertificateMismatch, and no signature, if the key is not the certificate's.
func (d *Document) Sign(content hash.Hash, key crypto.Signer) (Parts, error) {
	return d.envelope.sign(content, key)
}
