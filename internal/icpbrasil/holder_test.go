package icpbrasil_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"strings"
	"sync"
	"testing"
	"time"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
)

// pki is made once: its keys take a moment.
var pki = sync.OnceValues(func() (*icpbrasiltest.PKI, error) {
	return icpbrasiltest.New(time.Date(2026, time.November, 29, 12, 0, 0, 0, time.UTC))
})

// issue makes a person's certificate, or a company's.
func issue(t *testing.T, person *icpbrasiltest.Person, company *icpbrasiltest.Company, opts ...icpbrasiltest.Option) *x509.Certificate {
	t.Helper()
	p, err := pki()
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var cert *x509.Certificate
	if person != nil {
		cert, err = p.IssueECPF(key.Public(), *person, opts...)
	} else {
		cert, err = p.IssueECNPJ(key.Public(), *company, opts...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func TestHolders(t *testing.T) {
	t.Parallel()
	maria, firm := icpbrasiltest.Maria(), icpbrasiltest.Firm()
	zero := icpbrasiltest.Person{Name: "JOSE DE TESTE", CPF: "01234567890", Email: "jose@teste.invalid"}
	letters := icpbrasiltest.Company{Name: "EMPRESA DE TESTE LTDA", CNPJ: "12ABC34501DE35", Responsible: zero}
	next, without := icpbrasiltest.NewGeneration(), icpbrasiltest.WithoutCPF()
	as := icpbrasiltest.OtherNamesAs
	tests := []struct {
		name      string
		person    *icpbrasiltest.Person
		company   *icpbrasiltest.Company
		opts      []icpbrasiltest.Option
		cpf, cnpj string
	}{
		{"e-CPF", &maria, nil, nil, "52998224725", ""},
		{"e-CPF, printable", &maria, nil, []icpbrasiltest.Option{as(icpbrasiltest.Printable)}, "52998224725", ""},
		{"e-CPF, UTF-8", &maria, nil, []icpbrasiltest.Option{as(icpbrasiltest.UTF8)}, "52998224725", ""},
		{"e-CPF with a zero in front and an address", &zero, nil, nil, "01234567890", ""},
		{"e-CPF of the new generation", &zero, nil, []icpbrasiltest.Option{next}, "01234567890", ""},
		{"e-CPF of the new generation with otherNames", &maria, nil, []icpbrasiltest.Option{next, as(icpbrasiltest.Octet)}, "52998224725", ""},
		{"e-CPF of the new generation with printable otherNames", &maria, nil, []icpbrasiltest.Option{next, as(icpbrasiltest.Printable)}, "52998224725", ""},
		{"e-CPF without CPF", &maria, nil, []icpbrasiltest.Option{without}, "", ""},
		{"e-CPF of the new generation without CPF", &maria, nil, []icpbrasiltest.Option{next, without}, "", ""},
		{"e-CNPJ", nil, &firm, nil, "52998224725", "11222333000181"},
		{"e-CNPJ, printable", nil, &firm, []icpbrasiltest.Option{as(icpbrasiltest.Printable)}, "52998224725", "11222333000181"},
		{"e-CNPJ, UTF-8, with letters", nil, &letters, []icpbrasiltest.Option{as(icpbrasiltest.UTF8)}, "01234567890", "12ABC34501DE35"},
		{"e-CNPJ without CPF", nil, &firm, []icpbrasiltest.Option{without}, "", "11222333000181"},
		{"seal", nil, &firm, []icpbrasiltest.Option{next}, "", "11222333000181"},
		{"seal with otherNames", nil, &letters, []icpbrasiltest.Option{next, as(icpbrasiltest.Octet)}, "", "12ABC34501DE35"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checkHolder(t, issue(t, tt.person, tt.company, tt.opts...), tt.cpf, tt.cnpj)
		})
	}
}

func checkHolder(t *testing.T, cert *x509.Certificate, wantCPF, wantCNPJ string) {
	t.Helper()
	if cpf, ok := icpbrasil.HolderCPF(cert); cpf != wantCPF || ok != (wantCPF != "") {
		t.Errorf("HolderCPF = %q, %t, want %q", cpf, ok, wantCPF)
	}
	if cnpj, ok := icpbrasil.HolderCNPJ(cert); cnpj != wantCNPJ || ok != (wantCNPJ != "") {
		t.Errorf("HolderCNPJ = %q, %t, want %q", cnpj, ok, wantCNPJ)
	}
}

// value writes one DER value.
func value(class, tag int, compound bool, content ...[]byte) []byte {
	v := asn1.RawValue{Class: class, Tag: tag, IsCompound: compound}
	for _, c := range content {
		v.Bytes = append(v.Bytes, c...)
	}
	der, err := asn1.Marshal(v)
	if err != nil {
		panic(err) // a test is mistyped
	}
	return der
}

func context0(content ...[]byte) []byte { return value(asn1.ClassContextSpecific, 0, true, content...) }

func sequence(content ...[]byte) []byte {
	return value(asn1.ClassUniversal, asn1.TagSequence, true, content...)
}

func octets(s string) []byte {
	return value(asn1.ClassUniversal, asn1.TagOctetString, false, []byte(s))
}

func oid(arcs ...int) []byte {
	der, err := asn1.Marshal(asn1.ObjectIdentifier(arcs))
	if err != nil {
		panic(err) // a test is mistyped
	}
	return der
}

// name writes an otherName of ICP-Brasil as it should be.
func name(kind int, text string) []byte {
	return context0(oid(2, 16, 76, 1, 3, kind), context0(octets(text)))
}

func withAltName(der []byte) *x509.Certificate {
	return &x509.Certificate{Extensions: []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Value: der}}}
}

func TestHoldersOfOddNames(t *testing.T) {
	t.Parallel()
	const identity = "31011980" + "52998224725" + "00000000000" + "000000123456789" + "SSPSP"
	const other = "00000000" + "11144477735" + "00000000000" + "000000000000000"
	person := oid(2, 16, 76, 1, 3, 1)
	login := context0(oid(1, 3, 6, 1, 4, 1, 311, 20, 2, 3), context0(value(asn1.ClassUniversal, asn1.TagUTF8String, false, []byte("maria@teste"))))
	tests := []struct {
		name, cpf string
		altName   []byte
	}{
		{"as it should be", "52998224725", sequence(name(1, identity))},
		{"nothing after the CPF", "52998224725", sequence(name(1, identity[:19]))},
		{"beside a login and an address", "52998224725",
			sequence(login, value(asn1.ClassContextSpecific, 1, false, []byte("a@b")), name(6, "000000000000"), name(1, identity))},
		{"twice the same", "52998224725", sequence(name(1, identity), name(4, identity))},
		{"beside a missing one", "52998224725", sequence(name(1, identity), name(4, strings.Repeat("0", 45)))},
		{"beside one that is malformed", "52998224725", sequence(context0(person), name(1, identity))},
		{"two people", "", sequence(name(1, identity), name(1, other))},
		{"two people of two kinds", "", sequence(name(1, other), name(4, identity))},

		{"of another kind", "", sequence(name(5, identity))},
		{"of another root", "", sequence(context0(oid(2, 16, 76, 1, 4, 1), context0(octets(identity))))},
		{"of a longer kind", "", sequence(context0(oid(2, 16, 76, 1, 3, 1, 1), context0(octets(identity))))},
		{"zeros", "", sequence(name(1, strings.Repeat("0", 45)))},
		{"eleven equal digits", "", sequence(name(1, "31011980"+"11111111111"))},
		{"wrong check digits", "", sequence(name(1, "31011980"+"52998224726"))},
		{"wrong first check digit", "", sequence(name(1, "31011980"+"52998224733"))},
		{"a sign between digits", "", sequence(name(1, "31011980"+"52998224:78"))},
		{"cut short", "", sequence(name(1, identity[:18]))},
		{"empty", "", sequence(name(1, ""))},
		{"letters for a date", "", sequence(name(1, "31JAN980"+identity[8:]))},
		{"letters in the CPF", "", sequence(name(1, "31011980"+"5299822472X"))},
		{"punctuation in the CPF", "", sequence(name(1, "31011980"+"529.982.247-25"))},
		{"digits of another script", "", sequence(name(1, "31011980"+"٥٢٩٩٨٢٢٤٧٢٥"))},
		{"endless", "", sequence(name(1, identity+strings.Repeat("A", 512)))},

		{"another type of text", "", sequence(context0(person, context0(value(asn1.ClassUniversal, asn1.TagBMPString, false, []byte(identity)))))},
		{"a text made of parts", "", sequence(context0(person, context0(value(asn1.ClassUniversal, asn1.TagOctetString, true, []byte(identity)))))},
		{"a text of the application", "", sequence(context0(person, context0(value(asn1.ClassApplication, asn1.TagOctetString, false, []byte(identity)))))},
		{"a text without its wrapping", "", sequence(context0(person, octets(identity)))},
		{"a wrapping that is not one", "", sequence(context0(person, value(asn1.ClassContextSpecific, 0, false, octets(identity))))},
		{"a wrapping with another number", "", sequence(context0(person, value(asn1.ClassContextSpecific, 1, true, octets(identity))))},
		{"something after the text", "", sequence(context0(person, context0(octets(identity), octets(""))))},
		{"something after the wrapping", "", sequence(context0(person, context0(octets(identity)), octets("")))},
		{"no text", "", sequence(context0(person, context0()))},
		{"no wrapping", "", sequence(context0(person))},
		{"no kind", "", sequence(context0(context0(octets(identity))))},
		{"an otherName that is not one", "", sequence(value(asn1.ClassContextSpecific, 0, false, person, context0(octets(identity))))},
		{"a name of another choice", "", sequence(value(asn1.ClassContextSpecific, 3, true, person, context0(octets(identity))))},
		{"a name of the universe", "", sequence(sequence(person, context0(octets(identity))))},

		{"something after the names", "", append(sequence(name(1, identity)), 0)},
		{"names cut short", "", sequence(name(1, identity))[:60]},
		{"names that are no list", "", name(1, identity)},
		{"a length with zeros in front", "", append([]byte{0x30, 0x81}, sequence(name(1, identity))[1:]...)},
		{"too many names", "", sequence(name(1, identity), octets(strings.Repeat("A", 8<<10)))},
		{"no names", "", sequence()},
		{"nothing", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checkHolder(t, withAltName(tt.altName), tt.cpf, "")
		})
	}
}

func TestHoldersOfOddSubjects(t *testing.T) {
	t.Parallel()
	serial := func(values ...any) *x509.Certificate {
		c := withAltName(sequence(name(1, "00000000"+"11144477735")))
		for _, v := range values {
			c.Subject.Names = append(c.Subject.Names, pkix.AttributeTypeAndValue{Type: asn1.ObjectIdentifier{2, 5, 4, 5}, Value: v})
		}
		return c
	}
	tests := []struct {
		name      string
		cert      *x509.Certificate
		cpf, cnpj string
	}{
		{"the same in both", serial("11144477735"), "11144477735", ""},
		{"two people in two places", serial("52998224725"), "", ""},
		{"two people in one place", serial("52998224725", "12345678909"), "", ""},
		{"a number of something else", serial("12345678901", "A1"), "11144477735", ""},
		{"a number that is no text", serial(52998224725), "11144477735", ""},
		{"a company's number", serial("11222333000181"), "11144477735", "11222333000181"},
		{"two companies", serial("11222333000181", "00000000000191"), "11144477735", ""},
		{"a company's number in small letters", serial("12abc34501de05"), "11144477735", ""},
		{"a company's number with a wrong first check digit", serial("1122233300019" + "0"), "11144477735", ""},
		{"a company's number with wrong check digits", serial("11222333000182"), "11144477735", ""},
		{"a company's number with a letter for a check digit", serial("1122233300018A"), "11144477735", ""},
		{"a company's number that is missing", serial("00000000000000"), "11144477735", ""},
		{"the bank that every example shows", serial("00000000000191"), "11144477735", "00000000000191"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checkHolder(t, tt.cert, tt.cpf, tt.cnpj)
		})
	}
	company := withAltName(sequence(name(3, "11222333000181"), name(8, "12345678909")))
	company.Subject.CommonName = "MARIA DE TESTE:52998224725"
	checkHolder(t, company, "", "11222333000181")
}

// The policy tells a seal, whatever its names say.
func TestSealsAreNobodys(t *testing.T) {
	t.Parallel()
	for kind, want := range map[uint64]string{1: "52998224725", 4: "52998224725", 20: "52998224725", 201: "", 202: "", 203: "", 204: "", 303: "52998224725", 2010: "52998224725", 2040: "52998224725"} {
		policy, err := x509.OIDFromInts([]uint64{2, 16, 76, 1, 2, kind, 7})
		if err != nil {
			t.Fatal(err)
		}
		cert := withAltName(sequence(name(4, "00000000"+"52998224725")))
		cert.Policies = []x509.OID{policy}
		if got, ok := icpbrasil.HolderCPF(cert); got != want || ok != (want != "") {
			t.Errorf("policy %s: HolderCPF = %q, %t, want %q", policy, got, ok, want)
		}
	}
}

// FuzzHolder holds that any extension gives a CPF that is one and stands in it, or none.
func FuzzHolder(f *testing.F) {
	f.Add(sequence(name(1, "31011980"+"52998224725"+"00000000000")), "52998224725")
	f.Add(sequence(name(4, "00000000"+"01234567890"), name(3, "11222333000181")), "")
	f.Add(sequence(context0(oid(2, 16, 76, 1, 3, 1), context0(value(asn1.ClassUniversal, asn1.TagPrintableString, false, []byte("x"))))), "11222333000181")
	f.Fuzz(func(t *testing.T, der []byte, serial string) {
		cert := withAltName(der)
		cert.Subject.Names = []pkix.AttributeTypeAndValue{{Type: asn1.ObjectIdentifier{2, 5, 4, 5}, Value: serial}}
		cpf, ok := icpbrasil.HolderCPF(cert)
		if ok != (len(cpf) == 11) || strings.Trim(cpf, "0123456789") != "" || !strings.Contains(string(der)+" "+serial, cpf) {
			t.Errorf("HolderCPF = %q, %t", cpf, ok)
		}
		cnpj, ok := icpbrasil.HolderCNPJ(cert)
		if ok != (len(cnpj) == 14) || !strings.Contains(string(der)+" "+serial, cnpj) {
			t.Errorf("HolderCNPJ = %q, %t", cnpj, ok)
		}
	})
}
