package xades_test

import (
	"bytes"
	"crypto/rand"
	"crypto/x509"
	"encoding/asn1"
	"math/big"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/sign/signtest"
	"bulksigner/internal/sign/xades"
)

// Attributes of names, and types of text.
var (
	commonName   = asn1.ObjectIdentifier{2, 5, 4, 3}
	organization = asn1.ObjectIdentifier{2, 5, 4, 10}
	serialNumber = asn1.ObjectIdentifier{2, 5, 4, 5}
	domain       = asn1.ObjectIdentifier{0, 9, 2342, 19200300, 100, 1, 25}
	email        = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 1}
)

const (
	t61       = asn1.TagT61String
	bmp       = asn1.TagBMPString
	utf8      = asn1.TagUTF8String
	printable = asn1.TagPrintableString
	ia5       = asn1.TagIA5String
)

type part struct {
	ID    asn1.ObjectIdentifier
	Value asn1.RawValue
}

func one(id asn1.ObjectIdentifier, tag int, text string) []part {
	return []part{{id, asn1.RawValue{Tag: tag, Bytes: []byte(text)}}}
}

// issuedBy makes a certificate whose issuer has the given name.
func issuedBy(t *testing.T, name ...[]part) *x509.Certificate {
	t.Helper()
	var sets [][]byte
	for _, relative := range name {
		set, err := asn1.MarshalWithParams(relative, "set")
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, set)
	}
	raw, err := asn1.Marshal(asn1.RawValue{Tag: asn1.TagSequence, IsCompound: true, Bytes: bytes.Join(sets, nil)})
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: new(big.Int).Lsh(big.NewInt(1), 150), NotBefore: world.Now.Add(-time.Hour), NotAfter: world.Now.Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, RawSubject: raw,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, world.ECDSA.Key.Public(), world.ECDSA.Key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestIssuerName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		issuer [][]part
		want   string // as markup
	}{
		{"last part first", [][]part{one(organization, printable, "ICP-Brasil"), one(commonName, utf8, "AC")}, "CN=AC,O=ICP-Brasil"},
		{"several in one", [][]part{append(one(organization, utf8, "A"), one(commonName, utf8, "B")...)}, "CN=B+O=A"},
		{"accents of T61", [][]part{one(organization, t61, "S\xE3o Paulo")}, "O=São Paulo"},
		{"accents of UTF-8", [][]part{one(organization, utf8, "São Paulo")}, "O=São Paulo"},
		{"accents of two bytes", [][]part{one(organization, bmp, "\x00S\x00\xE3\x00o")}, "O=São"},
		{"what has to be escaped", [][]part{one(organization, utf8, `A, B+C"D\E<F>G;H=I`)}, `O=A\, B\+C\"D\\E\&lt;F\&gt;G\;H=I`},
		{"ampersand", [][]part{one(organization, utf8, "A & B")}, "O=A &amp; B"},
		{"number sign", [][]part{one(organization, utf8, "#A#")}, `O=\#A#`},
		{"blanks around", [][]part{one(organization, utf8, " A  ")}, `O=\ A\20\20`},
		{"nothing but blanks", [][]part{one(organization, utf8, "  ")}, `O=\20\20`},
		{"control characters", [][]part{one(organization, utf8, "A\nB\x00")}, `O=A\0AB\00`},
		{"empty", [][]part{one(organization, utf8, "")}, "O="},
		{"domain", [][]part{one(domain, ia5, "teste")}, "DC=teste"},
		{"no name in RFC 2253", [][]part{one(serialNumber, printable, "123"), one(email, ia5, "a@b")},
			"1.2.840.113549.1.9.1=#1603614062,2.5.4.5=#1303313233"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			id := signtest.Identity{Name: "issued", Key: world.ECDSA.Key, Certificate: issuedBy(t, tt.issuer...)}
			signed := string(must(t, []byte("<a/>"), id, func(o *xades.Options) { o.Chain = nil }))
			if got := issuerPattern.FindStringSubmatch(signed)[1]; got != tt.want {
				t.Errorf("issuer = %q, want %q", got, tt.want)
			}
			if want := "<ds:X509SerialNumber>1427247692705959881058285969449495136382746624<"; !strings.Contains(signed, want) {
				t.Errorf("there is no %s", want)
			}
		})
	}
}

var issuerPattern = regexp.MustCompile(`<ds:X509IssuerName>([^<]*)</ds:X509IssuerName>`)

func TestIssuerNameAsOpenSSL(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), signtest.Tool(t, "openssl", "openssl"), "x509", "-inform", "DER", "-noout", "-issuer", "-nameopt", "RFC2253,-esc_msb")
	cmd.Stdin = bytes.NewReader(world.RSA.Certificate.Raw)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want, _ := strings.CutPrefix(strings.TrimSpace(string(out)), "issuer=")
	signed := string(must(t, []byte("<a/>"), world.RSA, nil))
	if got := issuerPattern.FindStringSubmatch(signed)[1]; got != want {
		t.Errorf("issuer = %q, openssl writes %q", got, want)
	}
}
