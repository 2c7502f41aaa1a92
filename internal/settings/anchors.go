package settings

import (
	"crypto/x509"
	"io/fs"
	"path"
	"strings"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// anchors reads the trust anchors: PEM, or what names a file that has it. What names an object is left to be fetched.
func (r reader) anchors(b *block, entries []string) (all []*x509.Certificate, objects []string) {
	for i, entry := range entries {
		if strings.HasPrefix(entry, "s3://") {
			objects = append(objects, entry)
			b.checkObject(index("TrustAnchors", i), entry)
			continue
		}
		certs, message, remedy := r.anchor(entry)
		if message != "" {
			b.fault(index("TrustAnchors", i), message, remedy)
		}
		all = append(all, certs...)
	}
	return all, objects
}

func (b *block) checkObject(key, location string) {
	if _, _, ok := profile.ObjectAt(location); !ok {
		b.fault(key, "is not s3://bucket/key", "set the place of a PEM file in S3 as s3://bucket/key")
	}
}

func (r reader) anchor(entry string) (certs []*x509.Certificate, message, remedy string) {
	data := []byte(entry)
	if !strings.Contains(entry, "-----BEGIN") {
		if !fs.ValidPath(entry) { // Join below would resolve what leads out
			return nil, "is neither PEM nor s3://bucket/key nor the path of a file beside the settings file",
				"write a relative path without dots, with / between its elements"
		}
		var err error
		if data, err = readFile(r.fsys, path.Join(r.dir, entry), profile.MaxCertificates); err != nil {
			message, remedy = cannotRead(err, profile.MaxCertificates)
			return nil, message, remedy
		}
	}
	certs, err := ParseAnchors(data)
	if err != nil {
		return nil, "cannot be used: " + fault.DetailOf(err), "set PEM certificates of the roots"
	}
	return certs, "", ""
}

// ParseAnchors reads trust anchors: one or more certificates of authorities, at most profile.MaxCertificates in all. It
// returns fault.CertificateInvalid for everything else.
func ParseAnchors(data []byte) ([]*x509.Certificate, error) {
	certs, err := profile.ParseCertificates(data)
	if err != nil {
		return nil, err
	}
	for _, c := range certs {
		if !c.BasicConstraintsValid || !c.IsCA {
			return nil, fault.New(fault.CertificateInvalid, "it has a certificate that is not an authority's")
		}
	}
	return certs, nil
}
