package tool

import (
	"context"
	"strconv"
	"strings"
	"time"

	"bulksigner/scripts/bench/identity"
	"bulksigner/scripts/bench/paper"
)

const (
	exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#"
	dsig      = "http://www.w3.org/2000/09/xmldsig#"
	etsi      = "http://uri.etsi.org/01903/v1.3.2#"
)

// Template is a signature that xmlsec1 fills in: the algorithms and the two references are those of our own, while
// of the signed properties it has only the time. uri is empty for the whole document.
func Template(uri string) string {
	return `<ds:Signature xmlns:ds="` + dsig + `" Id="sig"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="` + exclusive + `"/>` +
		`<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>` +
		reference(`URI="`+uri+`"`, dsig+"enveloped-signature", exclusive) +
		reference(`URI="#sig-properties" Type="http://uri.etsi.org/01903#SignedProperties"`, exclusive) +
		`</ds:SignedInfo><ds:SignatureValue/><ds:KeyInfo><ds:X509Data/></ds:KeyInfo><ds:Object>` +
		`<xades:QualifyingProperties xmlns:xades="` + etsi + `" Target="#sig"><xades:SignedProperties Id="sig-properties">` +
		`<xades:SignedSignatureProperties><xades:SigningTime>2026-01-01T00:00:00Z</xades:SigningTime></xades:SignedSignatureProperties>` +
		`</xades:SignedProperties></xades:QualifyingProperties></ds:Object></ds:Signature>`
}

func reference(attributes string, transforms ...string) string {
	out := `<ds:Reference ` + attributes + `><ds:Transforms>`
	for _, t := range transforms {
		out += `<ds:Transform Algorithm="` + t + `"/>`
	}
	return out + `</ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue/></ds:Reference>`
}

// XMLSec signs a document that has a template in it with xmlsec1.
func XMLSec(id identity.Identity, in, out string) Command { return xmlSec(id, in, out, 1) }

func xmlSec(id identity.Identity, in, out string, times int) Command {
	// Of each file after the key it reads one certificate.
	key := strings.Join(append([]string{id.File(identity.KeyFile), id.File(identity.CertificateFile)}, id.AuthorityFiles()...), ",")
	return Command{
		"xmlsec1", "--sign", "--repeat", strconv.Itoa(times), "--privkey-pem", key,
		"--id-attr:Id", paper.InvoiceSpace + ":infNFe", "--id-attr:Id", etsi + ":SignedProperties", "--output", out, in,
	}
}

// XMLSecRepeated lets one xmlsec1 sign again and again, and leaves its start out: the time of a process that signs once is
// taken away from that of one that signs once more than it is asked to. With its start goes its writing, since xmlsec1
// writes the result once however often it signs.
func XMLSecRepeated(id identity.Identity, in, out string) func(ctx context.Context, times int) (time.Duration, error) {
	return func(ctx context.Context, times int) (time.Duration, error) {
		once, err := xmlSec(id, in, out, 1).run(ctx, "")
		if err != nil {
			return 0, err
		}
		more, err := xmlSec(id, in, out, 1+times).run(ctx, "")
		if err != nil {
			return 0, err
		}
		return max(more-once, 0), nil
	}
}
