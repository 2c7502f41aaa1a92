package cms

import (
	"bytes"
	"encoding/asn1"
	"slices"
)

// Over returns a signer like s for content that is not plain data. The signed attribute contentType must be the type
// that the message gives to its content (RFC 5652, section 11.1), so whoever adds a signature to a message of somebody
// else says which it is.
func (s *Signer) Over(contentType asn1.ObjectIdentifier) (*Signer, error) {
	plain, err := attribute(OIDContentType, OIDData)
	if err != nil {
		return nil, err
	}
	other, err := attribute(OIDContentType, contentType)
	if err != nil {
		return nil, err
	}
	out := *s
	out.constant = slices.Clone(s.constant)
	for i, a := range out.constant {
		if bytes.Equal(a, plain) {
			out.constant[i] = other
		}
	}
	return &out, nil
}
