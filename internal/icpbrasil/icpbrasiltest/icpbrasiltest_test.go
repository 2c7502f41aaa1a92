package icpbrasiltest_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bulksigner/internal/icpbrasil/icpbrasiltest"
)

var now = time.Date(2026, time.November, 29, 12, 0, 0, 0, time.UTC)

// pki is made once: three RSA keys take a moment.
var pki = sync.OnceValues(func() (*icpbrasiltest.PKI, error) { return icpbrasiltest.New(now) })

func newPKI(t *testing.T) *icpbrasiltest.PKI {
	t.Helper()
	p, err := pki()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newKey(t *testing.T) crypto.PublicKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key.Public()
}

func verify(p *icpbrasiltest.PKI, cert *x509.Certificate, at time.Time) error {
	roots, between := x509.NewCertPool(), x509.NewCertPool()
	roots.AddCert(p.Root)
	for _, c := range p.Chain {
		between.AddCert(c)
	}
	_, err := cert.Verify(x509.VerifyOptions{
		Roots: roots, Intermediates: between, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	})
	return err
}

func TestLayouts(t *testing.T) {
	t.Parallel()
	maria, firm := icpbrasiltest.Maria(), icpbrasiltest.Firm()
	const identity = "31011980" + "52998224725" + "00000000000" + "000000123456789" + "SSPSP"
	tests := []struct {
		name    string
		company bool
		opts    []icpbrasiltest.Option
		cn, sn  string
		tag     int
		kinds   []int
		first   string
	}{
		{"e-CPF", false, nil, "MARIA DE TESTE:52998224725", "", asn1.TagOctetString, []int{1, 6, 5}, identity},
		{"e-CPF, printable", false, []icpbrasiltest.Option{icpbrasiltest.OtherNamesAs(icpbrasiltest.Printable)},
			"MARIA DE TESTE:52998224725", "", asn1.TagPrintableString, []int{1, 6, 5}, identity},
		{"e-CPF, UTF-8", false, []icpbrasiltest.Option{icpbrasiltest.OtherNamesAs(icpbrasiltest.UTF8)},
			"MARIA DE TESTE:52998224725", "", asn1.TagUTF8String, []int{1, 6, 5}, identity},
		{"e-CPF of the new generation", false, []icpbrasiltest.Option{icpbrasiltest.NewGeneration()}, "MARIA DE TESTE", "52998224725", 0, nil, ""},
		{"e-CPF of the new generation with otherNames", false,
			[]icpbrasiltest.Option{icpbrasiltest.NewGeneration(), icpbrasiltest.OtherNamesAs(icpbrasiltest.Octet)},
			"MARIA DE TESTE", "52998224725", asn1.TagOctetString, []int{1, 6, 5}, identity},
		{"e-CPF without CPF", false, []icpbrasiltest.Option{icpbrasiltest.WithoutCPF()}, "MARIA DE TESTE", "",
			asn1.TagOctetString, []int{1, 6, 5}, strings.Replace(identity, "52998224725", "00000000000", 1)},
		{"e-CNPJ", true, nil, "EMPRESA DE TESTE LTDA:11222333000181", "", asn1.TagOctetString, []int{4, 2, 3, 7}, identity},
		{"electronic seal", true, []icpbrasiltest.Option{icpbrasiltest.NewGeneration()}, "EMPRESA DE TESTE LTDA", "11222333000181", 0, nil, ""},
	}
	p, key := newPKI(t), newKey(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cert, err := p.IssueECPF(key, maria, tt.opts...)
			if tt.company {
				cert, err = p.IssueECNPJ(key, firm, tt.opts...)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := verify(p, cert, now); err != nil {
				t.Errorf("Verify = %v", err)
			}
			if cert.Subject.CommonName != tt.cn || cert.Subject.SerialNumber != tt.sn {
				t.Errorf("subject = %q, %q, want %q, %q", cert.Subject.CommonName, cert.Subject.SerialNumber, tt.cn, tt.sn)
			}
			checkOtherNames(t, cert, tt.tag, tt.kinds, tt.first)
		})
	}
}

// checkOtherNames reads the subject alternative name by hand, so that the writer has a second opinion.
func checkOtherNames(t *testing.T, cert *x509.Certificate, tag int, kinds []int, first string) {
	t.Helper()
	var san []byte
	for _, e := range cert.Extensions {
		if e.Id.String() == "2.5.29.17" {
			san = e.Value
			if e.Critical {
				t.Error("the subject alternative name is critical")
			}
		}
	}
	if len(kinds) == 0 {
		if san != nil {
			t.Error("there is a subject alternative name, want none")
		}
		return
	}
	var names []asn1.RawValue
	if rest, err := asn1.Unmarshal(san, &names); err != nil || len(rest) > 0 || len(names) != len(kinds) {
		t.Fatalf("got %d names, rest %d, err %v, want %d names", len(names), len(rest), err, len(kinds))
	}
	for i, n := range names {
		var id asn1.ObjectIdentifier
		rest, err := asn1.Unmarshal(n.Bytes, &id)
		if err != nil || !id.Equal(asn1.ObjectIdentifier{2, 16, 76, 1, 3, kinds[i]}) {
			t.Errorf("name %d is %v (%v), want kind %d", i, id, err, kinds[i])
		}
		var wrap, text asn1.RawValue
		if _, err := asn1.Unmarshal(rest, &wrap); err != nil {
			t.Fatal(err)
		}
		if _, err := asn1.Unmarshal(wrap.Bytes, &text); err != nil {
			t.Fatal(err)
		}
		if text.Tag != tag {
			t.Errorf("name %d has tag %d, want %d", i, text.Tag, tag)
		}
		if i == 0 && string(text.Bytes) != first {
			t.Errorf("first name = %q, want %q", text.Bytes, first)
		}
	}
}

func TestExtensionsOfASigner(t *testing.T) {
	t.Parallel()
	p := newPKI(t)
	cert, err := p.IssueECPF(newKey(t), icpbrasiltest.Maria())
	if err != nil {
		t.Fatal(err)
	}
	want := x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment | x509.KeyUsageKeyEncipherment
	if cert.KeyUsage != want {
		t.Errorf("key usage = %b, want %b", cert.KeyUsage, want)
	}
	if len(cert.CRLDistributionPoints) != 2 {
		t.Errorf("got %d CRL distribution points, want 2", len(cert.CRLDistributionPoints))
	}
	if len(cert.Policies) != 1 || !strings.HasPrefix(cert.Policies[0].String(), "2.16.76.1.2.1.") {
		t.Errorf("policies = %v, want one of 2.16.76.1.2.1", cert.Policies)
	}
	if string(cert.AuthorityKeyId) != string(p.Chain[0].SubjectKeyId) || len(cert.AuthorityKeyId) == 0 {
		t.Error("the authority key identifier is not the issuing authority's")
	}
	if cert.IsCA {
		t.Error("a signer may issue certificates")
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	p := newPKI(t)
	from, until := now.AddDate(-1, 0, 0), now.Add(-time.Hour)
	cert, err := p.IssueECPF(newKey(t), icpbrasiltest.Maria(),
		icpbrasiltest.Validity(from, until), icpbrasiltest.KeyUsage(x509.KeyUsageKeyEncipherment))
	if err != nil {
		t.Fatal(err)
	}
	if !cert.NotBefore.Equal(from) || !cert.NotAfter.Equal(until) {
		t.Errorf("valid from %v until %v, want %v, %v", cert.NotBefore, cert.NotAfter, from, until)
	}
	if cert.KeyUsage != x509.KeyUsageKeyEncipherment {
		t.Errorf("key usage = %b", cert.KeyUsage)
	}
	if verify(p, cert, now) == nil {
		t.Error("an expired certificate verifies")
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	p, key := newPKI(t), newKey(t)
	if _, err := p.IssueECPF(key, icpbrasiltest.Person{Name: "X", CPF: "123456789012"}); err == nil {
		t.Error("a CPF of twelve digits is accepted")
	}
	if _, err := p.IssueECNPJ(key, icpbrasiltest.Company{Name: "X", CNPJ: "123456789012345"}); err == nil {
		t.Error("a CNPJ of fifteen characters is accepted")
	}
	if _, err := p.IssueECPF(key, icpbrasiltest.Maria(), icpbrasiltest.OtherNamesAs(99)); err == nil {
		t.Error("an unknown encoding is accepted")
	}
	if _, err := p.IssueECPF("no key", icpbrasiltest.Maria()); err == nil {
		t.Error("a string is accepted as a key")
	}
}

func TestOpenSSLAgrees(t *testing.T) {
	t.Parallel()
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not installed")
	}
	p, dir := newPKI(t), t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	person, err := p.IssueECPF(newKey(t), icpbrasiltest.Maria(), icpbrasiltest.Validity(now.AddDate(-1, 0, 0), now.AddDate(1, 0, 0)))
	if err != nil {
		t.Fatal(err)
	}
	firm, err := p.IssueECNPJ(newKey(t), icpbrasiltest.Firm(), icpbrasiltest.NewGeneration())
	if err != nil {
		t.Fatal(err)
	}
	root, chain := write("root.pem", p.RootPEM()), write("chain.pem", p.ChainPEM())
	for name, cert := range map[string]*x509.Certificate{"person": person, "firm": firm} {
		leaf := write(name+".pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}))
		cmd := exec.CommandContext(t.Context(), openssl, "verify", "-x509_strict", "-attime", "1795953600",
			"-CAfile", root, "-untrusted", chain, leaf)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
