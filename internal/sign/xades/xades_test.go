package xades_test

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/icpbrasil/icpbrasiltest"
	"bulksigner/internal/sign/xades"
)

const invoice = `<NFe xmlns="urn:nfe"><infNFe Id="NFe35" versao="4.00"><total>14.00</total></infNFe><infNFeSupl/></NFe>`

// TestPolicy asserts what AD-RB XAdES 2.5 demands, with an outside tool's eyes.
func TestPolicy(t *testing.T) {
	t.Parallel()
	for _, h := range []crypto.Hash{crypto.SHA256, crypto.SHA512} {
		name := file(t, must(t, []byte(invoice), world.RSA, func(o *xades.Options) { o.Hash = h }))
		sum := sha256.Sum256(world.RSA.Certificate.Raw)
		digestURI := fmt.Sprintf("http://www.w3.org/2001/04/xmlenc#sha%d", 8*h.Size())
		reference := func(n int, step string) string {
			return fmt.Sprintf(`string(//*[local-name()="SignedInfo"]/*[local-name()="Reference"][%d]%s)`, n, step)
		}
		tests := []struct{ name, expression, want string }{
			{"policy", in("SigPolicyId", "Identifier"), "urn:oid:2.16.76.1.7.1.6.2.5"},
			{"kind of identifier", `string(//*[local-name()="Identifier"]/@Qualifier)`, "OIDAsURN"},
			{"policy hash", in("SigPolicyHash", "DigestValue"), "68MGt+PxAOyh6mLwiAgyBsbsWsQMOuGNQmlR9lbh7hg="},
			{"policy hash is SHA-256", `string(//*[local-name()="SigPolicyHash"]/*[local-name()="DigestMethod"]/@Algorithm)`,
				"http://www.w3.org/2001/04/xmlenc#sha256"},
			{"policy transform", `string(//*[local-name()="SignaturePolicyId"]/*[local-name()="Transforms"]/*/@Algorithm)`,
				"http://www.w3.org/2001/10/xml-exc-c14n#WithComments"},
			{"policy address", in("SigPolicyQualifier", "SPURI"), "http://politicas.icpbrasil.gov.br/PA_AD_RB_v2_5.xml"},
			{"one address", `count(//*[local-name()="SigPolicyQualifier"])`, "1"},
			{"signer's certificate", in("CertDigest", "DigestValue"), base64.StdEncoding.EncodeToString(sum[:])},
			{"certificate digest is SHA-256", `string(//*[local-name()="CertDigest"]/*[local-name()="DigestMethod"]/@Algorithm)`,
				"http://www.w3.org/2001/04/xmlenc#sha256"},
			{"first version of the certificate property", `count(//*[local-name()="SigningCertificate"]/*[local-name()="Cert"])`, "1"},
			{"issuer", in("X509IssuerName"), "CN=AC Emissora de Teste,O=ICP-Brasil,C=BR"},
			{"serial number", in("X509SerialNumber"), world.RSA.Certificate.SerialNumber.String()},
			{"time", in("SigningTime"), world.Now.UTC().Format("2006-01-02T15:04:05Z")},
			{"type of content", in("DataObjectFormat", "MimeType"), "text/xml"},
			{"format of the first reference", `count(//*[concat("#", @Id)=//*[local-name()="DataObjectFormat"]/@ObjectReference])`, "1"},
			{"signature algorithm", `string(//*[local-name()="SignatureMethod"]/@Algorithm)`,
				fmt.Sprintf("http://www.w3.org/2001/04/xmldsig-more#rsa-sha%d", 8*h.Size())},
			{"canonicalization", `string(//*[local-name()="CanonicalizationMethod"]/@Algorithm)`, "http://www.w3.org/2001/10/xml-exc-c14n#"},
			{"two references", `count(//*[local-name()="SignedInfo"]/*[local-name()="Reference"])`, "2"},
			{"the document", reference(1, "/@URI"), ""},
			{"without the signature", reference(1, "//*[local-name()='Transform'][1]/@Algorithm"),
				"http://www.w3.org/2000/09/xmldsig#enveloped-signature"},
			{"in canonical form", reference(1, "//*[local-name()='Transform'][2]/@Algorithm"), "http://www.w3.org/2001/10/xml-exc-c14n#"},
			{"digest", reference(1, "//*[local-name()='DigestMethod']/@Algorithm"), digestURI},
			{"the properties", reference(2, "/@Type"), "http://uri.etsi.org/01903#SignedProperties"},
			{"the properties are there", `count(//*[local-name()="SignedProperties"][concat("#", @Id)=//*[@Type]/@URI])`, "1"},
			{"properties are the signature's", `count(//*[local-name()="Signature"][concat("#", @Id)=//*[local-name()="QualifyingProperties"]/@Target])`, "1"},
			{"certificates", `count(//*[local-name()="X509Data"]/*[local-name()="X509Certificate"])`, "3"},
			{"signer first", in("X509Certificate"), base64.StdEncoding.EncodeToString(world.RSA.Certificate.Raw)},
		}
		for _, tt := range tests {
			if got := xpath(t, name, tt.expression); got != tt.want {
				t.Errorf("%s, %s: %q, want %q", h, tt.name, got, tt.want)
			}
		}
	}
}

func TestOptionsRefused(t *testing.T) {
	t.Parallel()
	old, _ := icpbrasil.ByOID(asn1.ObjectIdentifier{2, 16, 76, 1, 7, 1, 6, 2, 4})
	cades, err := icpbrasil.Current(icpbrasil.CAdES, world.Now)
	if err != nil {
		t.Fatal(err)
	}
	unfit, err := world.Issue("unfit", world.ECDSA.Key, icpbrasiltest.KeyUsage(x509.KeyUsageKeyEncipherment))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(*xades.Options)
		want   fault.Code
	}{
		{"no certificate", func(o *xades.Options) { o.Certificate = nil }, fault.CertificateMissing},
		{"an authority's certificate", func(o *xades.Options) { o.Certificate = world.PKI.Chain[0] }, fault.CertificateUnsuitable},
		{"a certificate for something else", func(o *xades.Options) { o.Certificate = unfit.Certificate }, fault.CertificateUnsuitable},
		{"no policy", func(o *xades.Options) { o.Policy, o.Time = icpbrasil.Policy{}, time.Time{} }, fault.PolicyNotInForce},
		{"a policy for another form", func(o *xades.Options) { o.Policy = cades }, fault.PolicyNotInForce},
		{"no digest", func(o *xades.Options) { o.Hash = 0 }, fault.KeyUnsupported},
		{"SHA-384", func(o *xades.Options) { o.Hash = crypto.SHA384 }, fault.KeyUnsupported},
		{"ECDSA under an older policy", func(o *xades.Options) { o.Policy = old }, fault.KeyUnsupported},
		{"before the certificate", func(o *xades.Options) { o.Time = o.Certificate.NotBefore.Add(-time.Second) }, fault.CertificateNotYetValid},
		{"after the certificate", func(o *xades.Options) { o.Time = o.Certificate.NotAfter.Add(time.Second) }, fault.CertificateExpired},
		{"after the policy", func(o *xades.Options) { o.Policy.Until = o.Time.AddDate(0, 0, -2) }, fault.PolicyNotInForce},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := sign(t, []byte(invoice), world.ECDSA, tt.change); !errors.Is(err, tt.want) {
				t.Errorf("Prepare = %v, want %s", err, tt.want)
			}
		})
	}
}

func TestOlderPolicy(t *testing.T) {
	t.Parallel()
	old, _ := icpbrasil.ByOID(asn1.ObjectIdentifier{2, 16, 76, 1, 7, 1, 6, 2, 4})
	signed := must(t, []byte(invoice), world.RSA, func(o *xades.Options) { o.Policy, o.Time = old, time.Time{} })
	checkXMLSec(t, signed)
	if !bytes.Contains(signed, []byte("urn:oid:2.16.76.1.7.1.6.2.4")) || bytes.Contains(signed, []byte("SigningTime")) {
		t.Error("the signature is not what was asked for: policy 2.4 and no time")
	}
}

// TestSameInputSameSignature is about all but the value: RSA has no chance in it.
func TestSameInputSameSignature(t *testing.T) {
	t.Parallel()
	first, second := must(t, []byte(invoice), world.RSA, nil), must(t, []byte(invoice), world.RSA, nil)
	if !bytes.Equal(first, second) {
		t.Error("two signatures of one document at one time differ")
	}
}

func TestIdentifiersAreFree(t *testing.T) {
	t.Parallel()
	id := func(signed []byte) string {
		_, after, _ := bytes.Cut(signed, []byte("<ds:Signature "))
		return string(identifier.FindSubmatch(append([]byte(" "), after...))[0])
	}
	// The identifier depends on what is signed, so that no document can contain its own. Only other parts can.
	byElement := func(o *xades.Options) { o.Element = "b" }
	taken := id(must(t, []byte("<a><b Id='x'/></a>"), world.RSA, byElement))
	for _, suffix := range []string{"", "-reference", "-properties"} {
		doc := "<a><b Id='x'/><c" + strings.TrimSuffix(taken, `"`) + suffix + `"/></a>`
		signed := must(t, []byte(doc), world.RSA, byElement)
		checkXMLSec(t, signed, "Id b")
		seen := map[string]bool{}
		for _, m := range identifier.FindAllSubmatch(signed, -1) {
			if seen[string(m[1])] {
				t.Errorf("the identifier %s comes twice", m[1])
			}
			seen[string(m[1])] = true
		}
	}
}

func TestPrepareIsForMany(t *testing.T) {
	t.Parallel()
	d, err := xades.Prepare([]byte(invoice), options(t, world.RSA))
	if err != nil {
		t.Fatal(err)
	}
	results := make(chan []byte, 8)
	for range cap(results) {
		go func() {
			signed, err := d.Sign(world.RSA.Key)
			if err != nil {
				t.Error(err)
			}
			results <- signed
		}()
	}
	first := <-results
	for range cap(results) - 1 {
		if !bytes.Equal(<-results, first) {
			t.Error("signatures made at the same time differ")
		}
	}
}
