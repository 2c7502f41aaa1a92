package main

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/profile"
)

// describe says of a certificate what decides where it can be used. It tells neither the holder's name nor a number.
func describe(out io.Writer, k profile.Key, now time.Time) {
	c := k.Certificate
	fmt.Fprintf(out, "certificate  %x, issued by %s\n", c.SerialNumber, authority(c.Issuer))
	fmt.Fprintf(out, "type         %s\n", kind(c))
	fmt.Fprintf(out, "valid        from %s to %s, %d days left\n", c.NotBefore.UTC().Format(time.RFC3339), c.NotAfter.UTC().Format(time.RFC3339),
		int(c.NotAfter.Sub(now).Hours()/24))
	fmt.Fprintf(out, "key usage    %s\n", usage(c.KeyUsage))
	fmt.Fprintf(out, "methods      %s\n", methods(c))
	for _, ca := range k.Chain {
		fmt.Fprintf(out, "authority    %s\n", authority(ca.Subject))
	}
}

// authority is what an authority calls itself.
func authority(n pkix.Name) string {
	if n.CommonName == "" {
		return "an authority without a common name"
	}
	return strconv.QuoteToGraphic(n.CommonName)
}

// policies are the certificate policies 2.16.76.1.2.type.n of signers (DOC-ICP-04, and Resolution 211 of 2024).
var policies = map[string]string{
	"1": "A1: software", "2": "A2: card or token", "3": "A3: hardware that ICP-Brasil has approved", "4": "A4: hardware that ICP-Brasil has approved",
	"201": "SE-S: a company's seal, software", "202": "SE-H: a company's seal, hardware",
	"203": "AE-S: an application, software", "204": "AE-H: an application, hardware",
}

// kind is the type that the certificate's policy names.
func kind(c *x509.Certificate) string {
	for _, p := range c.Policies {
		if rest, ok := strings.CutPrefix(p.String(), "2.16.76.1.2."); ok {
			number, _, _ := strings.Cut(rest, ".")
			if name := policies[number]; name != "" {
				return name
			}
		}
	}
	return "none of ICP-Brasil's for signers"
}

var usages = []struct {
	bit  x509.KeyUsage
	name string
}{
	{x509.KeyUsageDigitalSignature, "digitalSignature"},
	{x509.KeyUsageContentCommitment, "nonRepudiation"},
	{x509.KeyUsageKeyEncipherment, "keyEncipherment"},
	{x509.KeyUsageDataEncipherment, "dataEncipherment"},
	{x509.KeyUsageKeyAgreement, "keyAgreement"},
}

func usage(u x509.KeyUsage) string {
	var names []string
	for _, k := range usages {
		if u&k.bit != 0 {
			names = append(names, k.name)
		}
	}
	if names == nil {
		return "not restricted"
	}
	return strings.Join(names, ", ")
}

// methods are those of a profile that the certificate can be used with. Lacuna Signer matches people by their CPF.
func methods(c *x509.Certificate) string {
	if _, ok := icpbrasil.HolderCPF(c); ok {
		return "Local, SignerFolder"
	}
	return "Local; not SignerFolder, which needs the CPF of a person"
}
