package profile

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"

	"bulksigner/internal/fault"
)

// MaxCertificates is the most bytes that a certificate and its chain may have, in whatever form. A chain of ICP-Brasil
// has about 10 KiB.
const MaxCertificates = 64 << 10

const pemBegin = "-----BEGIN"

// ParseCertificates reads one or more certificates: PEM, base64 of DER, or DER itself. It returns
// fault.CertificateInvalid for everything else, and for a private key, which has no business among them.
func ParseCertificates(data []byte) ([]*x509.Certificate, error) {
	switch {
	case len(data) > MaxCertificates:
		return nil, fault.New(fault.CertificateInvalid, "it has more than %d bytes", MaxCertificates)
	case bytes.Contains(data, []byte(pemBegin)):
		return parsePEM(data)
	}
	// Base64 may be wrapped into lines. DER is never taken for it: a certificate begins with 0x30 0x82.
	if der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(data)), "")); err == nil {
		data = der
	}
	return parseDER(data)
}

func parsePEM(data []byte) ([]*x509.Certificate, error) {
	if bytes.Contains(data, []byte("PRIVATE KEY-----")) {
		return nil, fault.New(fault.CertificateInvalid, "it holds a private key")
	}
	var der []byte
	blocks := bytes.Count(data, []byte(pemBegin))
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			return nil, fault.New(fault.CertificateInvalid, "it has a PEM block that is not a certificate")
		}
		der = append(der, block.Bytes...)
		blocks--
	}
	// Decode skips what it cannot read; a certificate must not get lost like that.
	if blocks != 0 {
		return nil, fault.New(fault.CertificateInvalid, "it has a PEM block that cannot be read")
	}
	return parseDER(der)
}

func parseDER(der []byte) ([]*x509.Certificate, error) {
	certs, err := x509.ParseCertificates(der)
	if err != nil {
		return nil, fault.Wrap(fault.CertificateInvalid, err, "it is neither PEM nor base64 nor DER of a certificate")
	}
	if len(certs) == 0 {
		return nil, fault.New(fault.CertificateInvalid, "it is empty")
	}
	return certs, nil
}
