package main

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/kms/types"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/profile"
	"bulksigner/internal/settings"
)

// issue makes a company's certificate of a key.
func issue(t *testing.T, e emulated, opts ...icpbrasiltest.Option) *x509.Certificate {
	t.Helper()
	c, err := pki().IssueECNPJ(e.public, icpbrasiltest.Firm(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func signing(t *testing.T) emulated {
	t.Helper()
	return newEmulated(t, types.KeySpecEccNistP256, types.KeyUsageTypeSignVerify)
}

// with puts the authorities after a certificate.
func with(c *x509.Certificate) []*x509.Certificate {
	return slices.Concat([]*x509.Certificate{c}, pki().Chain)
}

// blockOf reads what was written as the API does: the names in small letters.
func blockOf(t *testing.T, out []byte) (source, keyID string, certs []*x509.Certificate) {
	t.Helper()
	var b struct {
		Certificate struct {
			Source string `json:"source"`
			Kms    struct {
				KeyID       string `json:"keyId"`
				Certificate string `json:"certificate"`
			} `json:"kms"`
		} `json:"certificate"`
	}
	d := json.NewDecoder(bytes.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	certs, err := profile.ParseCertificates([]byte(b.Certificate.Kms.Certificate))
	if err != nil {
		t.Fatal(err)
	}
	return b.Certificate.Source, b.Certificate.Kms.KeyID, certs
}

func TestCheckWritesTheBlock(t *testing.T) {
	t.Parallel()
	e := signing(t)
	cert := issue(t, e)
	chain := with(cert)
	stray := issue(t, signing(t))
	tests := []struct {
		name  string
		file  []byte
		order bool // says that it was put in order
	}{
		{"in order", []byte(encode(chain)), false},
		{"another order", []byte(encode([]*x509.Certificate{chain[2], chain[0], chain[1]})), true},
		{"with the root and what does not belong", []byte(encode(slices.Concat([]*x509.Certificate{stray}, chain, []*x509.Certificate{pki().Root}))), true},
		{"with text around, as openssl pkcs7 has it", []byte("subject=CN=X\n" + encode(chain)), false},
	}
	roots := put(t, pki().RootPEM())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			if code := d.run(t, "-key", e.alias, "-check", put(t, tt.file), "-anchors", roots); code != 0 {
				t.Fatalf("run = %d: %s", code, &d.stderr)
			}
			source, keyID, certs := blockOf(t, d.stdout.Bytes())
			if source != "Kms" || keyID != e.alias || !slices.EqualFunc(certs, chain, (*x509.Certificate).Equal) {
				t.Errorf("the block has %s, %s and %d certificates, want Kms, %s and the %d in order", source, keyID, len(certs), e.alias, len(chain))
			}
			if got := strings.Contains(d.stderr.String(), "put in order"); got != tt.order {
				t.Errorf("it says %q; that it put them in order: %t, want %t", &d.stderr, got, tt.order)
			}
			d.discreet(t)
		})
	}
}

// What is written fits a settings file as well.
func TestTheBlockFitsSettings(t *testing.T) {
	t.Parallel()
	e, d := signing(t), newDesk()
	if code := d.run(t, "-key", e.alias, "-check", put(t, []byte(encode(with(issue(t, e)))))); code != 0 {
		t.Fatalf("run = %d: %s", code, &d.stderr)
	}
	own := strings.TrimSuffix(strings.TrimSpace(d.stdout.String()), "}")
	file := fmt.Sprintf(`{"Signing": {"Profiles": [%s, "Name": "contracts", "Format": "Pades", "ValidateCertificate": false}]},
		"Storage": {"Inputs": [{"Name": "in", "Prefix": "in/", "Profile": "contracts"}]}}`, own)
	s, err := settings.Load(fstest.MapFS{"settings.json": {Data: []byte(file)}}, "settings.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(s.Signing.Profiles, func(p profile.Profile) bool { return p.Name == "contracts" })
	if i < 0 {
		t.Fatal("the settings have no profile of that name")
	}
	if c := s.Signing.Profiles[i].Certificate; c == nil || c.Source != profile.Kms || c.Kms == nil || c.Kms.KeyID != e.alias {
		t.Errorf("the settings read %+v", c)
	}
}

func TestCheckDescribes(t *testing.T) {
	t.Parallel()
	e := signing(t)
	tests := []struct {
		name string
		opts []icpbrasiltest.Option
		says []string
	}{
		{"legacy e-CNPJ", nil, []string{
			"type         A1: software\n", "from 2026-11-28T12:00:00Z to 2027-11-28T12:00:00Z, 364 days left\n",
			"key usage    digitalSignature, nonRepudiation, keyEncipherment\n", "methods      Local, SignerFolder\n",
			"authority    \"AC Emissora de Teste\"\n", "root         \"Autoridade Certificadora Raiz de Teste\", not checked",
		}},
		{"seal", []icpbrasiltest.Option{icpbrasiltest.NewGeneration()}, []string{
			"type         SE-S: a company's seal, software\n", "methods      Local; not SignerFolder",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			if code := d.run(t, "-key", e.arn, "-check", put(t, []byte(encode(with(issue(t, e, tt.opts...)))))); code != 0 {
				t.Fatalf("run = %d: %s", code, &d.stderr)
			}
			for _, want := range append(tt.says, "key          "+e.arn+", ECC_NIST_P256\n") {
				if !strings.Contains(d.stderr.String(), want) {
					t.Errorf("it says %q, want %q in it", &d.stderr, want)
				}
			}
			d.discreet(t)
		})
	}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	e := signing(t)
	good := issue(t, e)
	file := func(certs ...*x509.Certificate) []byte { return []byte(encode(certs)) }
	valid := func(from, until time.Time) []byte {
		return file(with(issue(t, e, icpbrasiltest.Validity(from, until)))...)
	}
	tests := []struct {
		name    string
		file    []byte
		anchors []byte
		why     string
	}{
		{"another key's certificate", file(with(issue(t, signing(t)))...), nil, "certificate.key-mismatch"},
		{"the authorities alone", file(pki().Chain...), nil, "certificate.key-mismatch"},
		{"not for signing", file(with(issue(t, e, icpbrasiltest.KeyUsage(x509.KeyUsageKeyEncipherment)))...), nil, "certificate.unsuitable"},
		{"expired", valid(now.AddDate(-1, 0, 0), now.AddDate(0, 0, -1)), nil, "certificate.expired"},
		{"not yet valid", valid(now.AddDate(0, 0, 1), now.AddDate(1, 0, 0)), nil, "certificate.not-yet-valid"},
		{"no authorities", file(good), nil, `the file lacks the certificate of "AC Emissora de Teste"`},
		{"an authority is missing", file(good, pki().Chain[0]), pki().RootPEM(), "does not lead to a root"},
		{"another root", file(with(good)...), otherPKI().RootPEM(), "does not lead to a root"},
		{"a root that is none", file(with(good)...), file(good), "it has a certificate that is not an authority's"},
		{"a private key", append(file(with(good)...), "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n"...), nil, "it holds a private key"},
		{"no certificate", []byte("s3://certificates/contracts.pem"), nil, "certificate.invalid"},
		{"too much", bytes.Repeat([]byte("x"), profile.MaxCertificates+1), nil, "it has more than 65536 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, args := newDesk(), []string{"-key", e.alias, "-check", put(t, tt.file)}
			if tt.anchors != nil {
				args = append(args, "-anchors", put(t, tt.anchors))
			}
			d.refused(t, d.run(t, args...), tt.why)
		})
	}
	d := newDesk()
	d.refused(t, d.run(t, "-key", e.alias, "-check", "no-such-file.pem"), "no-such-file.pem")
}

// A check never has the key sign.
func TestCheckSignsNothing(t *testing.T) {
	t.Parallel()
	f, d := newFakeKMS(t), newDesk()
	d.api = f
	c, err := pki().IssueECNPJ(f.public.Public(), icpbrasiltest.Firm())
	if err != nil {
		t.Fatal(err)
	}
	if code := d.run(t, "-key", "alias/contracts", "-check", put(t, []byte(encode(with(c))))); code != 0 {
		t.Fatalf("run = %d: %s", code, &d.stderr)
	}
	if want := "us-east-1 alias/contracts, sa-east-1 " + fakeARN; strings.Join(f.asked, ", ") != want {
		t.Errorf("KMS was asked for %q, want its public key twice", f.asked)
	}
}
