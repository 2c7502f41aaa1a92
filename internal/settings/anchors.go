package settings

import (
	"crypto/x509"
	"io/fs"
	"path"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// anchors reads the trust anchors: what is not PEM itself names a file that has it.
func (r reader) anchors(b *block, entries []string) []*x509.Certificate {
	var all []*x509.Certificate
	for i, entry := range entries {
		certs, message, remedy := r.anchor(entry)
		if message != "" {
			b.fault(index("TrustAnchors", i), message, remedy)
		}
		all = append(all, certs...)
	}
	return all
}

func (r reader) anchor(entry string) (certs []*x509.Certificate, message, remedy string) {
	data := []byte(entry)
	if !strings.Contains(entry, "-----BEGIN") {
		if !fs.ValidPath(entry) { // Join below would resolve what leads out
			return nil, "is neither PEM nor the path of a file beside the settings file", "write a relative path without dots, with / between its elements"
		}
		var err error
		if data, err = readFile(r.fsys, path.Join(r.dir, entry), profile.MaxCertificates); err != nil {
			message, remedy = cannotRead(err, profile.MaxCertificates)
			return nil, message, remedy
		}
	}
	return parseAnchors(data)
}

func parseAnchors(data []byte) (certs []*x509.Certificate, message, remedy string) {
	const pem = "set PEM certificates of the roots"
	certs, err := profile.ParseCertificates(data)
	if err != nil {
		return nil, "cannot be used: " + fault.DetailOf(err), pem
	}
	for _, c := range certs {
		if !c.BasicConstraintsValid || !c.IsCA {
			return nil, "is not the certificate of an authority", pem
		}
	}
	return certs, "", ""
}
