package icpbrasiltest

import (
	"crypto"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"slices"
	"time"
)

// Person is who a certificate of a natural person belongs to. Only Name and CPF are needed; a number that is left out
// is written as zeros, as authorities do.
type Person struct {
	Name, CPF string
	Birth     time.Time
	NIS       string // social identification, up to 11 digits
	RG        string // identity card, up to 15 digits
	RGIssuer  string // who issued it, with the state: "SSPSP"; left out with RG
	CEI       string // up to 12 digits
	Voter     string // number, zone and section of the voter's card, 19 digits
	City      string // city and state of the voter's card; left out with Voter
	Email     string // an rfc822Name, if set
}

// Company is who a certificate of a legal person belongs to.
type Company struct {
	Name, CNPJ  string
	CEI         string
	Responsible Person
}

// Maria returns a person with a valid CPF, for tests that need somebody.
func Maria() Person {
	return Person{
		Name: "MARIA DE TESTE", CPF: "52998224725", Birth: time.Date(1980, time.January, 31, 0, 0, 0, 0, time.UTC),
		RG: "123456789", RGIssuer: "SSPSP",
	}
}

// Firm returns a company with a valid CNPJ, for tests that need one. Maria is responsible for it.
func Firm() Company {
	return Company{Name: "EMPRESA DE TESTE LTDA", CNPJ: "11222333000181", Responsible: Maria()}
}

// Types of signer certificates: 2.16.76.1.2.type.n is their policy, in which n is the authority's own.
const (
	typeA1  = 1
	typeSES = 201 // selo eletrônico, kept in software
)

var oidSubjectAltName = asn1.ObjectIdentifier{2, 5, 29, 17}

// IssueECPF issues a signer certificate to a person, in the legacy layout unless an option says otherwise: the CPF
// stands in the common name after a colon and in the subject alternative name.
func (p *PKI) IssueECPF(key crypto.PublicKey, who Person, opts ...Option) (*x509.Certificate, error) {
	o := p.options(opts)
	if o.withoutCPF {
		who.CPF = ""
	}
	names, err := who.otherNames()
	if err != nil {
		return nil, err
	}
	return p.issue(key, o, leaf{name: who.Name, id: who.CPF, email: who.Email, names: names, kind: typeA1})
}

// IssueECNPJ issues a signer certificate to a company. With NewGeneration it is an electronic seal: its number stands
// in the subject's serialNumber, and nobody is responsible for it by name.
func (p *PKI) IssueECNPJ(key crypto.PublicKey, c Company, opts ...Option) (*x509.Certificate, error) {
	o := p.options(opts)
	if o.withoutCPF {
		c.Responsible.CPF = ""
	}
	names, err := c.otherNames()
	if err != nil {
		return nil, err
	}
	kind := uint64(typeA1)
	if o.newGeneration {
		kind = typeSES
	}
	return p.issue(key, o, leaf{name: c.Name, id: c.CNPJ, email: c.Responsible.Email, names: names, kind: kind})
}

// leaf is what differs between the certificates of a person and of a company.
type leaf struct {
	name, id, email string
	names           []otherName
	kind            uint64
}

func (p *PKI) issue(key crypto.PublicKey, o options, l leaf) (*x509.Certificate, error) {
	subject, err := marshalName(l.subject(o))
	if err != nil {
		return nil, err
	}
	policy, err := x509.OIDFromInts([]uint64{2, 16, 76, 1, 2, l.kind, 999})
	if err != nil {
		return nil, fmt.Errorf("encode a certificate policy: %w", err)
	}
	template := &x509.Certificate{
		RawSubject:            subject,
		NotBefore:             o.from,
		NotAfter:              o.until,
		SignatureAlgorithm:    x509.SHA512WithRSA,
		KeyUsage:              o.usage,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageEmailProtection},
		Policies:              []x509.OID{policy},
		IssuingCertificateURL: []string{"http://ac.teste.invalid/ac-emissora.p7b"},
		CRLDistributionPoints: []string{"http://lcr1.teste.invalid/ac-emissora.crl", "http://lcr2.teste.invalid/ac-emissora.crl"},
		BasicConstraintsValid: true, // an explicit "not an authority", as real ones have it
	}
	san, err := l.altName(o)
	if err != nil {
		return nil, err
	}
	if san != nil {
		template.ExtraExtensions = []pkix.Extension{{Id: oidSubjectAltName, Value: san}}
	}
	cert, err := create(template, &authority{p.Chain[0], p.key}, key)
	if err != nil {
		return nil, fmt.Errorf("issue a certificate: %w", err)
	}
	return cert, nil
}

// subject is the distinguished name. Each unit is a component of its own, in the order in which authorities write them.
func (l leaf) subject(o options) []attribute {
	name := l.name
	if !o.newGeneration && l.id != "" {
		name += ":" + l.id
	}
	attributes := slices.Concat(signerName, []attribute{{oidCommonName, name}})
	if o.newGeneration && l.id != "" {
		attributes = append(attributes, attribute{oidSerialNumber, l.id})
	}
	return attributes
}

// altName is the subject alternative name, or nil if there is nothing to write: the extension may not be empty.
func (l leaf) altName(o options) ([]byte, error) {
	var names []otherName
	if !o.newGeneration || o.encoding != 0 {
		names = l.names
	}
	if len(names) == 0 && l.email == "" {
		return nil, nil
	}
	return marshalAltName(names, o.encoding, l.email)
}
