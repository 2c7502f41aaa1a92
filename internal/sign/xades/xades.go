// Package xades signs XML documents under the AD-RB policies of ICP-Brasil: enveloped XAdES.
//
// The result is the document with a signature element put in, and nothing else about it changes: not its encoding, not
// its line ends, not a blank. Everything that can be refused is refused by Prepare, before the key is asked; the key is
// asked once. Signatures that a document has already stay valid, or it is refused. Nothing is fetched. Verifying the
// result is left to verify.
package xades

import (
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cms"
	"bulksigner/internal/sign/xades/markup"
)

// MaxDocument is the size up to which a document is read.
const MaxDocument = 5 << 20

// Options says who signs, and what.
type Options struct {
	Certificate *x509.Certificate
	Chain       []*x509.Certificate
	Hash        crypto.Hash
	Policy      icpbrasil.Policy
	Time        time.Time // SigningTime, left out if zero

	// Element is the local name of the element to sign, as infNFe in an NF-e. The signature refers to it by its Id and
	// becomes the last child of its parent. If both Element and ID are empty, the whole document is signed and the
	// signature becomes the last child of the root.
	Element string

	// ID is the identifier of the element to sign, for a document in which Element alone would be ambiguous.
	ID string
}

// Document is a document that is ready to be signed. It may be used concurrently.
type Document struct {
	source        markup.Source
	algorithm     algorithm
	digest        []byte // what the key signs
	before, after []string
}

// Prepare reads a document in UTF-8, or in UTF-16 with a byte-order mark, refuses what cannot be signed and makes the
// signature, but for its value.
//
// It returns fault.XMLTooLarge, XMLTooDeep, XMLMalformed, XMLDoctype, XMLEncodingUnsupported, XMLDuplicateID,
// XMLElementNotFound or XMLSigned for the document, the codes of cms.New, fault.CertificateExpired,
// CertificateNotYetValid and PolicyNotInForce for the options.
func Prepare(document []byte, o Options) (*Document, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	signer, err := cms.New(cms.Params{Certificate: o.Certificate, Chain: o.Chain, Hash: o.Hash, Policy: o.Policy})
	if err != nil {
		return nil, err
	}
	alg, err := chooseAlgorithm(o.Certificate, o.Hash)
	if err != nil {
		return nil, err
	}
	if len(document) > MaxDocument {
		return nil, fault.New(fault.XMLTooLarge, "the document has %d bytes, %d are allowed", len(document), MaxDocument)
	}
	source, err := markup.Decode(document)
	if err != nil {
		return nil, err
	}
	s, err := newSurvey(source, &o)
	if err != nil {
		return nil, err
	}
	e, err := newEnvelope(&o, s, alg, signer.Certificates())
	if err != nil {
		return nil, err
	}
	return s.place.insert(source, alg, e), nil
}

// Sign asks the key once and returns the signed document, in the encoding of the original. It returns
// fault.CertificateMismatch, and no signature, if the key is not the certificate's.
func (d *Document) Sign(key crypto.Signer) ([]byte, error) {
	value, err := d.algorithm.sign(key, d.digest)
	if err != nil {
		return nil, err
	}
	parts := append(d.before[:len(d.before):len(d.before)], base64.StdEncoding.EncodeToString(value))
	return d.source.Encode(append(parts, d.after...)...), nil
}

// insert splits the document where the signature goes. An element that was one tag opens and closes around it: all of its
// bytes stay, in their order.
func (p *place) insert(source markup.Source, alg algorithm, e *envelope) *Document {
	d := &Document{source: source, algorithm: alg, digest: e.digest}
	head, tail := source.Text[:p.at], source.Text[p.at:]
	if !p.empty {
		d.before, d.after = []string{head, e.before}, []string{e.after, tail}
		return d
	}
	d.before, d.after = []string{head, ">", e.before}, []string{e.after, "<", tail[:1], p.name, tail[1:]}
	return d
}
