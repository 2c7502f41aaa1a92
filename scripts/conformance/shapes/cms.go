package shapes

import (
	"bytes"
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"slices"

	"bulksigner/internal/fault"
)

// Object identifiers, encoded.
var (
	oidData        = []byte("\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07\x01")
	oidSignedData  = []byte("\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02")
	oidContentType = []byte("\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x09\x03")
	oidDigest      = []byte("\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x09\x04")
	oidTime        = []byte("\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x09\x05")
	oidCertificate = []byte("\x06\x0B\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x02\x2F")
	oidSHA256      = []byte("\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01")
	oidECDSA       = []byte("\x06\x08\x2A\x86\x48\xCE\x3D\x04\x03\x02")
)

// Tags.
const (
	tagOctets  = 0x04
	tagPieces  = 0x24
	tagSeq     = 0x30
	tagSet     = 0x31
	tagUTCTime = 0x17
	tag0       = 0xA0
)

// der is an element of known length.
func der(tag byte, contents ...[]byte) []byte {
	b := bytes.Join(contents, nil)
	switch n := len(b); {
	case n < 1<<7:
		return append([]byte{tag, byte(n)}, b...)
	case n < 1<<8:
		return append([]byte{tag, 0x81, byte(n)}, b...)
	case n < 1<<16:
		return append([]byte{tag, 0x82, byte(n >> 8), byte(n)}, b...)
	default:
		return append([]byte{tag, 0x83, byte(n >> 16), byte(n >> 8), byte(n)}, b...)
	}
}

// ber is an element whose length only its end tells.
func ber(tag byte, contents ...[]byte) []byte {
	return slices.Concat([]byte{tag, 0x80}, bytes.Join(contents, nil), []byte{0, 0})
}

// writer writes the outer elements of a message, der or ber.
type writer func(tag byte, contents ...[]byte) []byte

// message is a signed message: content as it is encoded, or nil, and who signed it.
func (w writer) message(content []byte, certificates []byte, signers ...[]byte) []byte {
	inside := [][]byte{oidData}
	if content != nil {
		inside = append(inside, w(tag0, content))
	}
	return w(tagSeq, oidSignedData, w(tag0, w(tagSeq, []byte{2, 1, 1}, w(tagSet, der(tagSeq, oidSHA256)),
		w(tagSeq, inside...), w(tag0, certificates), w(tagSet, signers...))))
}

// bag is a message that has certificates and nothing else, as authorities hand them out.
func bag(certificates []byte) []byte {
	return der(tagSeq, oidSignedData, der(tag0, der(tagSeq, []byte{2, 1, 1}, der(tagSet), der(tagSeq, oidData), der(tag0, certificates), der(tagSet))))
}

// pieces is content cut up.
func pieces(w writer, content []byte, size int) []byte {
	var out [][]byte
	for piece := range slices.Chunk(content, size) {
		out = append(out, der(tagOctets, piece))
	}
	return w(tagPieces, out...)
}

// signature is a signature over content, as signers write it who follow no policy.
func (s *signer) signature(content []byte) ([]byte, error) {
	digest, named := sha256.Sum256(content), sha256.Sum256(s.certificate.Raw)
	attributes := [][]byte{
		der(tagSeq, oidContentType, der(tagSet, oidData)),
		der(tagSeq, oidTime, der(tagSet, der(tagUTCTime, []byte("260102030405Z")))),
		der(tagSeq, oidDigest, der(tagSet, der(tagOctets, digest[:]))),
		der(tagSeq, oidCertificate, der(tagSet, der(tagSeq, der(tagSeq, der(tagSeq, der(tagOctets, named[:])))))),
	}
	slices.SortFunc(attributes, bytes.Compare)
	value, err := s.sign(der(tagSet, attributes...))
	if err != nil {
		return nil, err
	}
	return der(tagSeq, []byte{2, 1, 1}, der(tagSeq, s.certificate.RawIssuer, der(2, s.certificate.SerialNumber.Bytes())),
		der(tagSeq, oidSHA256), der(tag0, attributes...), der(tagSeq, oidECDSA), der(tagOctets, value)), nil
}

// messages are signed messages of all encodings, and what is none or cannot be signed once more.
func messages() ([]File, error) {
	content := []byte("Contrato de teste.\r\nLinha 2.\n")
	long := bytes.Repeat(content, 200)
	first, err := newSigner("PRIMEIRO SIGNATARIO DE TESTE", 11)
	if err != nil {
		return nil, err
	}
	second, err := newSigner("SEGUNDO SIGNATARIO DE TESTE", 12)
	if err != nil {
		return nil, err
	}
	of := map[string][]byte{}
	for name, job := range map[string]struct {
		by   *signer
		over []byte
	}{"short": {first, content}, "long": {first, long}, "second": {second, content}} {
		if of[name], err = job.by.signature(job.over); err != nil {
			return nil, fmt.Errorf("sign %s: %w", name, err)
		}
	}
	one := first.certificate.Raw
	whole := writer(der).message(der(tagOctets, content), one, of["short"])
	both := slices.Concat(one, second.certificate.Raw)
	text := func(label string, b []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: label, Bytes: b}) }
	return []File{
		sign("cms/der.p7m", whole, "DER; the signature that is there must stay valid"),
		sign("cms/pem.p7m", text("PKCS7", whole), "PEM, labelled PKCS7"),
		sign("cms/pem-cms.p7m", text("CMS", whole), "PEM, labelled CMS"),
		sign("cms/pem-crlf.p7m", bytes.ReplaceAll(text("PKCS7", whole), []byte("\n"), []byte("\r\n")), "PEM with CRLF line ends"),
		sign("cms/ber.p7m", writer(ber).message(der(tagOctets, content), one, of["short"]), "BER, all lengths indefinite"),
		sign("cms/ber-pieces.p7m", writer(ber).message(pieces(ber, long, 1000), one, of["long"]), "BER, the content in pieces of 1 000 bytes"),
		sign("cms/ber-pieces-tiny.p7m", writer(ber).message(pieces(ber, content, 3), one, of["short"]), "BER, the content in pieces of three bytes"),
		sign("cms/ber-pieces-known.p7m", writer(der).message(pieces(der, content, 10), one, of["short"]), "the content in pieces, all lengths known"),
		sign("cms/two-signers.p7m", writer(der).message(der(tagOctets, content), both, of["short"], of["second"]), "two signatures, both of which must stay valid"),
		sign("cms/no-extension", whole, "a signed message under a name that does not say so"),
		sign("cms/certificates.p7b", bag(both), "a bag of certificates, which is signed like any file"),
		sign("cms/certificate.pem", text("CERTIFICATE", one), "a certificate is no message"),
		refuse("cms/detached.p7s", writer(der).message(nil, one, of["short"]), fault.CMSDetached, "the content is not there"),
		refuse("cms/detached-pem.p7s", text("PKCS7", writer(der).message(nil, one, of["short"])), fault.CMSDetached, "the same in PEM"),
		refuse("cms/detached-ber.p7s", writer(ber).message(nil, one, of["short"]), fault.CMSDetached, "the same in BER"),
		refuse("cms/cut-off.p7m", whole[:len(whole)-40], fault.CMSMalformed, "the end is missing"),
		refuse("cms/cut-off-ber.p7m", writer(ber).message(pieces(ber, long, 1000), one, of["long"])[:3000], fault.CMSMalformed, "BER that ends in the content"),
		refuse("cms/bytes-after.p7m", append(bytes.Clone(whole), "more"...), fault.CMSMalformed, "bytes after the end"),
	}, nil
}
