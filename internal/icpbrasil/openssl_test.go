package icpbrasil_test

import (
	"crypto/x509"
	"encoding/pem"
	"os/exec"
	"testing"
)

// Names that another tool wrote are read like those of the test PKI.
func TestHoldersByOpenSSL(t *testing.T) {
	t.Parallel()
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not installed")
	}
	const identity, login = "3101198052998224725" + "00000000000" + "000000123456789SSPSP", "otherName:1.3.6.1.4.1.311.20.2.3;UTF8:maria@teste.invalid"
	tests := []struct {
		name, subject, altName string
		cpf, cnpj              string
	}{
		{"octets", "/CN=X", "otherName:2.16.76.1.3.1;OCT:" + identity, "52998224725", ""},
		{"printable", "/CN=X", login + ",otherName:2.16.76.1.3.4;PRINTABLE:" + identity + ",otherName:2.16.76.1.3.3;PRINTABLE:11222333000181",
			"52998224725", "11222333000181"},
		{"UTF-8", "/CN=X", "email:maria@teste.invalid,otherName:2.16.76.1.3.1;UTF8:" + identity, "52998224725", ""},
		{"another type", "/CN=X", "otherName:2.16.76.1.3.1;BMP:" + identity, "", ""},
		{"a subject's number", "/C=BR/O=ICP-Brasil/CN=X/serialNumber=01234567890", login, "01234567890", ""},
		{"a common name alone", "/CN=X:52998224725", login, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, err := exec.CommandContext(t.Context(), openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
				"-noenc", "-keyout", "/dev/null", "-subj", tt.subject, "-addext", "subjectAltName="+tt.altName).Output()
			if err != nil {
				t.Fatalf("openssl: %v", err)
			}
			block, _ := pem.Decode(out)
			if block == nil {
				t.Fatal("openssl gave no certificate")
			}
			cert, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			checkHolder(t, cert, tt.cpf, tt.cnpj)
		})
	}
}
