package said_test

import (
	"strings"
	"testing"

	"bulksigner/scripts/conformance/said"
)

// dump is a part of what openssl asn1parse prints of a signature.
const dump = `  255:d=7  hl=2 l=   9 prim: OBJECT            :contentType
  270:d=7  hl=2 l=   9 prim: OBJECT            :messageDigest
  281:d=9  hl=2 l=  32 prim: OCTET STRING      [HEX DUMP]:0000000000000000000000000000000000000000000000000000000000000000
  300:d=7  hl=2 l=  11 prim: OBJECT            :id-smime-aa-ets-sigPolicyId
  320:d=9  hl=2 l=   8 prim: OBJECT            :2.16.76.1.7.1.11.1.3
  330:d=9  hl=2 l=  47 cons: SEQUENCE          
  340:d=11 hl=2 l=   9 prim: OBJECT            :sha256
  350:d=10 hl=2 l=  32 prim: OCTET STRING      [HEX DUMP]:23E4BE4B9B362172E4EBB0E72B86A133ECE5AAD843D8651C6E38A0BA3F08FC60
  360:d=11 hl=2 l=  11 prim: OBJECT            :id-smime-spq-ets-sqt-uri
  370:d=11 hl=2 l=  53 prim: IA5STRING         :http://politicas.icpbrasil.gov.br/PA_PAdES_AD_RB_v1_3.der
  380:d=7  hl=2 l=  11 prim: OBJECT            :id-smime-aa-signingCertificateV2
`

func TestPolicyOfCMS(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		text     string
		lax      bool
		want     string
		asPolicy said.Policy
	}{
		{"good", dump, false, "", said.PAdES},
		{"another policy", dump, false, "2.16.76.1.7.1.1.2.4 is not named", said.CAdES},
		{"another hash", strings.ReplaceAll(dump, "23E4BE", "23E4BF"), false, "hash is not 23E4BE4B", said.PAdES},
		{"the hash under something else", strings.Replace(dump, "2.16.76.1.7.1.11.1.3", "1.2.3", 1), false, "is not named", said.PAdES},
		{"no certificate", strings.Replace(dump, "signingCertificateV2", "signingCertificate", 1), false, "signingCertificateV2 is missing", said.PAdES},
		{"a time", dump + "  390:d=7  hl=2 l=   9 prim: OBJECT            :signingTime\n", false, "signingTime is there", said.PAdES},
		{"a time where it may be", dump + "  390:d=7  hl=2 l=   9 prim: OBJECT            :signingTime\n", true, "", said.PAdES},
		{"revocation of Adobe", dump + "  390:d=7  hl=2 l=   9 prim: OBJECT            :1.2.840.113583.1.1.8\n", false, "1.1.8 is there", said.PAdES},
		{"nothing said", "", false, "is not named", said.PAdES},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.asPolicy.CMS(tt.text, !tt.lax)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("CMS = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestPolicyOfXML(t *testing.T) {
	t.Parallel()
	const good = "[urn:oid:2.16.76.1.7.1.6.2.5][68MGt+PxAOyh6mLwiAgyBsbsWsQMOuGNQmlR9lbh7hg=][#a-properties][#a-properties][urn:sha][c3Vt]\n"
	digest := func(algorithm string) string { return map[string]string{"urn:sha": "c3Vt"}[algorithm] }
	tests := []struct{ name, text, want string }{
		{"good", good, ""},
		{"another policy", strings.Replace(good, "6.2.5", "6.2.4", 1), "6.2.4"},
		{"another hash", strings.Replace(good, "68MG", "68MH", 1), "hash is not 68MGt+Px"},
		{"other properties", strings.Replace(good, "[#a-properties]", "[#b]", 1), `"#b" is signed`},
		{"no properties", strings.ReplaceAll(good, "[#a-properties]", "[#]"), `"#" is signed`},
		{"another certificate", strings.Replace(good, "c3Vt", "c3Vu", 1), "certificate's digest"},
		{"an unknown digest", strings.Replace(good, "[urn:sha][c3Vt]", "[urn:md5][]", 1), "certificate's digest"},
		{"nothing said", "", "cannot be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := said.XAdES.XML(tt.text, digest)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("XML = %v, want %q", err, tt.want)
			}
		})
	}
}
