package cades

import (
	"crypto"
	"encoding/asn1"
	"hash"
	"io"

	"bulksigner/internal/fault"
)

// CoDocument is a signed message that is ready to be signed once more. It may be used concurrently, as long as the file
// can be read.
type CoDocument struct {
	envelope envelope
	octets   *octets
	armored  bool
}

// PrepareCoSign reads a signed message, in DER, BER or PEM, whose content gets one more signature beside those that are
// there. It keeps certificates, revocation lists and signatures; the content it only looks for.
//
// The result is in DER around what is kept: earlier signatures and certificates stay as they are to the byte, even where
// they are in BER. Content that was in pieces is in one piece afterwards, which no signature can tell.
//
// PrepareCoSign returns fault.CMSMalformed, CMSDetached, CMSEmpty or JobInputTooLarge for the file, the codes of Prepare
// for the options, and the error of the reader as it is.
func PrepareCoSign(file io.ReaderAt, size int64, o Options) (*CoDocument, error) {
	signer, err := o.signer()
	if err != nil {
		return nil, err
	}
	d := &CoDocument{}
	if file, size, d.armored, err = withoutArmor(file, size); err != nil {
		return nil, err
	}
	if err := d.read(newCursor(file, size)); err != nil {
		return nil, err
	}
	var contentType asn1.ObjectIdentifier
	if _, err := asn1.Unmarshal([]byte(d.envelope.contentType), &contentType); err != nil {
		return nil, malformed("the type of its content cannot be read")
	}
	if d.envelope.signer, err = signer.Over(contentType); err != nil {
		return nil, err
	}
	return d, d.envelope.announce()
}

// read takes the whole message in, but for its content.
func (d *CoDocument) read(c *cursor) error {
	h, err := c.head()
	if err != nil {
		return err
	}
	switch h.kind {
	case Plain:
		return malformed("it is nothing that a signature can be added to")
	case Detached:
		return fault.New(fault.CMSDetached, "the signature has its content in another file, which a further signature needs")
	}
	if d.octets, err = c.octets(); err != nil {
		return err
	}
	d.envelope = envelope{contentType: h.contentType, size: d.octets.size, algorithms: h.algorithms}
	const wrappings = 2 // around the content
	if err := c.leaveAll(wrappings); err != nil {
		return err
	}
	return d.envelope.readBack(c)
}

// readBack reads what follows the content, up to the end of the file.
func (e *envelope) readBack(c *cursor) (err error) {
	if e.certificates, err = c.takeOptional(tag0); err != nil {
		return err
	}
	if e.revocations, err = c.takeOptional(tag1); err != nil {
		return err
	}
	if e.signers, err = c.takeAll(tagSet); err != nil {
		return err
	}
	for _, s := range e.signers {
		if version, err := firstIn(s); err != nil || s[0] != tagSequence || version[0] != tagInteger {
			return malformed("it has a signature that cannot be read")
		}
	}
	const wrappings = 3 // around the SignedData
	if err := c.leaveAll(wrappings); err != nil {
		return err
	}
	return c.finish()
}

// Content finds what a signed message carries, in DER, BER or PEM. It returns fault.CMSDetached for a message without its
// content, fault.CMSMalformed for what is no signed message, and the error of the reader as it is.
func Content(file io.ReaderAt, size int64) (*io.SectionReader, error) {
	file, size, _, err := withoutArmor(file, size)
	if err != nil {
		return nil, err
	}
	var d CoDocument
	if err := d.read(newCursor(file, size)); err != nil {
		return nil, err
	}
	return d.Content(), nil
}

// Content is what was signed, and is to be hashed. It is read from the file as it is asked for.
func (d *CoDocument) Content() *io.SectionReader {
	return io.NewSectionReader(d.octets, 0, d.octets.size)
}

// Place tells where in the file the content lies, if it lies there as it is, in one piece: then whoever stores the
// result may copy it from the file.
func (d *CoDocument) Place() (offset int64, ok bool) {
	return d.octets.at, !d.armored && !d.octets.many
}

// Sign asks the key once. content is the state of the hash after all of Content and nothing else; it is not changed. What
// Sign returns goes around Content. It returns fault.CertificateMismatch, and no signature, if the key is not the
// certificate's.
func (d *CoDocument) Sign(content hash.Hash, key crypto.Signer) (Parts, error) {
	return d.envelope.sign(content, key)
}
