package verify

import (
	"bytes"
	"io"

	"bulksigner/internal/fault"
)

// File judges the signatures of a file of any kind that is known here: PDF, CMS with its content inside, in DER, BER or
// PEM, and XML. The kind is found by what the file begins with, never by a name. What is none of them is
// fault.VerifyUnknownFormat.
func File(file io.ReaderAt, size int64, o Options) (Report, error) {
	head, err := beginning(file, size)
	if err != nil {
		return Report{}, err
	}
	switch {
	case beginsLikeCMS(head):
		return CMS(file, size, o)
	case BeginsLikeXML(head):
		return xmlFile(file, size, o)
	case bytes.Contains(head, []byte("%PDF-")): // comes last: the others can contain a PDF
		return PDF(file, size, o)
	}
	return Report{}, fault.New(fault.VerifyUnknownFormat, "the file is neither PDF nor CMS nor XML")
}

// xmlFile reads a document, once it is known to be small enough.
func xmlFile(file io.ReaderAt, size int64, o Options) (Report, error) {
	if size > maxXML {
		return Report{}, errXMLSize
	}
	document := make([]byte, size)
	if err := readAt(file, document, 0); err != nil {
		return Report{}, err
	}
	return XML(document, o)
}

// beginsLikeCMS looks for signed data behind the first header, or for PEM of that kind.
func beginsLikeCMS(head []byte) bool {
	text := afterSpace(head)
	for _, label := range armorLabels {
		if bytes.HasPrefix(text, []byte(armorBegin+label+"-----")) {
			return true
		}
	}
	if len(head) < 2 || head[0] != tagSequence {
		return false
	}
	skip := 2
	if head[1] > indefinite {
		skip += int(head[1]) - indefinite
	}
	return skip < len(head) && bytes.HasPrefix(head[skip:], []byte(signedDataOID))
}

// BeginsLikeXML looks for the first angle bracket in the beginning of a file, in the encodings that are read here.
func BeginsLikeXML(head []byte) bool {
	for _, begin := range []string{"\xFF\xFE<\x00", "\xFE\xFF\x00<"} {
		if bytes.HasPrefix(head, []byte(begin)) {
			return true
		}
	}
	return bytes.HasPrefix(afterSpace(head), []byte("<"))
}
