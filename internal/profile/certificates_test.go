package profile_test

import (
	"encoding/base64"
	"encoding/pem"
	"errors"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

func TestParseCertificates(t *testing.T) {
	t.Parallel()
	leaf, root := read(t, "leaf.pem"), read(t, "root.pem")
	block, _ := pem.Decode([]byte(leaf))
	der := string(block.Bytes)
	base64DER := base64.StdEncoding.EncodeToString(block.Bytes)
	tests := []struct {
		name, data string
		count      int
		detail     string
	}{
		{"PEM", leaf, 1, ""},
		{"PEM with its chain", leaf + root, 2, ""},
		{"PEM with comments", "subject=CN=Holder\n" + leaf + "\nissuer\n" + root, 2, ""},
		{"DER", der, 1, ""},
		{"DER with its chain", der + der, 2, ""},
		{"base64", base64DER, 1, ""},
		{"base64 in lines", "\n" + base64DER[:64] + "\r\n " + base64DER[64:] + "\n", 1, ""},
		{"empty", "", 0, "it is empty"},
		{"rubbish", "rubbish", 0, "it is neither PEM nor base64 nor DER of a certificate"},
		{"rubbish after it", der + "x", 0, "it is neither PEM nor base64 nor DER of a certificate"},
		{"private key", leaf + "-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----\n", 0, "it holds a private key"},
		{"request", strings.ReplaceAll(leaf, "CERTIFICATE", "CERTIFICATE REQUEST"), 0, "it has a PEM block that is not a certificate"},
		{"damaged PEM before a good one", strings.Replace(leaf, "-----END", "----END", 1) + root, 0, "it has a PEM block that cannot be read"},
		{"damaged PEM after a good one", root + strings.Replace(leaf, "-----END", "----END", 1), 0, "it has a PEM block that cannot be read"},
		{"PEM of nothing", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", 0, "it is empty"},
		{"too large", strings.Repeat("a", profile.MaxCertificates+1), 0, "it has more than 65536 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := profile.ParseCertificates([]byte(tt.data))
			if len(got) != tt.count || fault.DetailOf(err) != tt.detail {
				t.Errorf("%d certificates, %v, want %d, %q", len(got), err, tt.count, tt.detail)
			}
			if tt.detail != "" && !errors.Is(err, fault.CertificateInvalid) {
				t.Errorf("err = %v, want %s", err, fault.CertificateInvalid)
			}
		})
	}
}

// FuzzParseCertificates holds that any bytes give certificates or fault.CertificateInvalid.
func FuzzParseCertificates(f *testing.F) {
	f.Add([]byte(read(f, "leaf.pem") + read(f, "root.pem")))
	f.Add([]byte("MIIB"))
	f.Add([]byte("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----"))
	f.Fuzz(func(t *testing.T, data []byte) {
		certs, err := profile.ParseCertificates(data)
		if (len(certs) == 0) == (err == nil) || err != nil && !errors.Is(err, fault.CertificateInvalid) {
			t.Errorf("%d certificates, %v, want some or %s", len(certs), err, fault.CertificateInvalid)
		}
	})
}
