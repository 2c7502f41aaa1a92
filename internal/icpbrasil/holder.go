package icpbrasil

import (
	"crypto/x509"
	"encoding/asn1"
	"slices"
	"strings"
)

// HolderCPF returns the CPF of the person whom a certificate belongs to: 11 digits, leading zeros among them. It reads
// both generations: the subject's serialNumber, and the otherNames of an e-CPF and of an e-CNPJ, whose person is the one
// responsible for the company. A common name is for display alone and is not looked at.
//
// It returns false for a certificate without a CPF, for one that names two people, and for the seal of a company or an
// application, which is nobody's signature whatever else stands in it. cert must come from crypto/x509; whether it is
// genuine is for others to find out.
func HolderCPF(cert *x509.Certificate) (cpf string, ok bool) {
	if isSeal(cert) {
		return "", false
	}
	return only(slices.Concat(serialNumbers(cert), fields(cert, personIdentity, personCPF), fields(cert, responsibleIdentity, personCPF)), isCPF)
}

// HolderCNPJ returns the CNPJ of the company that a certificate belongs to: 14 characters, of which the first 12 may be
// letters since 2026. It returns false for a certificate without a CNPJ and for one that names two.
func HolderCNPJ(cert *x509.Certificate) (cnpj string, ok bool) {
	return only(slices.Concat(serialNumbers(cert), fields(cert, companyNumber, whole)), isCNPJ)
}

// only returns the one value that is valid, however often it stands there.
func only(values []string, valid func(string) bool) (string, bool) {
	values = slices.DeleteFunc(values, func(s string) bool { return !valid(s) })
	slices.Sort(values)
	if values = slices.Compact(values); len(values) != 1 {
		return "", false
	}
	return values[0], true
}

// Policies of seals are 2.16.76.1.2.type.n. The rules tell seals by them, since a seal may have the otherNames of an
// e-CNPJ until 2028.
var sealPolicies = []string{"2.16.76.1.2.201.", "2.16.76.1.2.202.", "2.16.76.1.2.203.", "2.16.76.1.2.204."}

func isSeal(cert *x509.Certificate) bool {
	return slices.ContainsFunc(cert.Policies, func(policy x509.OID) bool {
		return slices.ContainsFunc(sealPolicies, func(prefix string) bool { return strings.HasPrefix(policy.String(), prefix) })
	})
}

var oidSerialNumber = asn1.ObjectIdentifier{2, 5, 4, 5}

func serialNumbers(cert *x509.Certificate) []string {
	var all []string
	for _, a := range cert.Subject.Names {
		if s, ok := a.Value.(string); ok && a.Type.Equal(oidSerialNumber) {
			all = append(all, s)
		}
	}
	return all
}

// Kinds of otherNames: 2.16.76.1.3.kind (DOC-ICP-04, 7.1.2.3 and 7.1.2.4).
const (
	personIdentity      = 1
	companyNumber       = 3
	responsibleIdentity = 4
)

// fields cuts a field out of every otherName of a kind.
func fields(cert *x509.Certificate, kind int, field func(string) string) []string {
	var all []string
	for _, n := range otherNames(cert) {
		if n.id.Equal(asn1.ObjectIdentifier{2, 16, 76, 1, 3, kind}) {
			all = append(all, field(n.text))
		}
	}
	return all
}

// personCPF cuts the CPF out of an identity: eight digits of the date of birth, or zeros, come before it. What follows
// differs in length between authorities.
func personCPF(identity string) string {
	if len(identity) < 19 || !areDigits(identity[:8]) {
		return ""
	}
	return identity[8:19]
}

func whole(s string) string { return s }
