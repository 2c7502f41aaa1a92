package xades_test

import (
	"strings"
	"testing"

	"bulksigner/internal/sign/signtest"
	"bulksigner/internal/sign/xades"
)

// TestTampering checks that what was signed is what others find: each change breaks just what it should.
func TestTampering(t *testing.T) {
	t.Parallel()
	whole := string(must(t, []byte(invoice), world.RSA, nil))
	element := string(must(t, []byte(invoice), world.ECDSA, func(o *xades.Options) { o.Element = "infNFe" }))
	tests := []struct {
		name, doc, old, new string
		want                string // what xmlsec1 says of references, "" if they are all well
	}{
		{"a digit", whole, "14.00", "15.00", "0/1"},
		{"a blank", whole, "<total>", "<total> ", "0/1"},
		{"an attribute", whole, `versao="4.00"`, `versao="3.10"`, "0/1"},
		{"a namespace", whole, "urn:nfe", "urn:cte", "0/1"},
		{"an element", whole, "<infNFeSupl/>", "", "0/1"},
		{"an instruction after it all", whole, "</NFe>", "</NFe><?a?>", "0/1"},
		{"time", whole, "<xades:SigningTime>2", "<xades:SigningTime>3", "1/2"},
		{"policy", whole, "6.2.5<", "6.2.4<", "1/2"},
		{"type of content", whole, "text/xml", "text/html", "1/2"},
		{"a digest", whole, "<ds:DigestValue>", "<ds:DigestValue>AAAA", "0/1"},
		{"algorithm", whole, "#rsa-sha256", "#rsa-sha512", "2/2"},
		{"value", whole, "<ds:SignatureValue>", "<ds:SignatureValue>AAAA", "2/2"},
		{"element, a digit", element, "14.00", "15.00", "0/1"},
		{"element, its Id", element, `Id="NFe35"`, `Id="NFe36"`, "0/1"},
		{"element, time", element, "<xades:SigningTime>2", "<xades:SigningTime>3", "1/2"},
		{"element, what is beside it", element, "<infNFeSupl/>", "", ""},
		{"only its writing", whole, "<infNFeSupl/>", "<infNFeSupl\n></infNFeSupl>", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(tt.doc, tt.old, tt.new, 1)
			if changed == tt.doc {
				t.Fatalf("there is no %q to change", tt.old)
			}
			out, ok := xmlsec(t, []byte(changed), "Id infNFe")
			switch {
			case tt.want == "" && !ok:
				t.Errorf("xmlsec1 does not accept a change that means nothing:\n%s", out)
			case tt.want != "" && (ok || !strings.Contains(out, tt.want)):
				t.Errorf("xmlsec1 does not say %q:\n%s", tt.want, out)
			}
		})
	}
}

func TestTrust(t *testing.T) {
	t.Parallel()
	other, err := signtest.New()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	signed := must(t, []byte(invoice), world.RSA, nil)
	if out, ok := xmlsecAt(t, signed, "//*[local-name()='Signature']", other.RootFile()); ok {
		t.Errorf("xmlsec1 trusts a root of somebody else:\n%s", out)
	}
}
