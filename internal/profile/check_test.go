package profile_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/profile"
)

const secretARN = "arn:aws:secretsmanager:sa-east-1:111122223333:secret:password-AbCdEf"

func read(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// withKms and withPfx make complete profiles for a test to break.
func withKms() profile.Profile {
	p := profile.New("contracts")
	p.Format = profile.Pades
	p.Certificate = &profile.Certificate{Source: profile.Kms, Kms: &profile.KmsKey{KeyID: "alias/contracts", Certificate: "s3://certificates/contracts.pem"}}
	return p
}

func withPfx() profile.Profile {
	p := withKms()
	p.Certificate = &profile.Certificate{Source: profile.Pfx, Pfx: &profile.PfxKey{Location: "s3://certificates/contracts.pfx", Password: secretARN}}
	return p
}

func withHsm() profile.Profile {
	p := withKms()
	p.Certificate = &profile.Certificate{Source: profile.CloudHsm, CloudHsm: &profile.HsmKey{
		ModulePath: "/opt/cloudhsm/lib/libcloudhsm_pkcs11.so", Slot: 1, Thumbprint: "0123456789abcdefABCDEF000000000000000000", Pin: secretARN,
	}}
	return p
}

// withSeal, withCades and withXades make profiles in which a format's own settings may be tried.
func withSeal() profile.Profile {
	p := withKms()
	p.Signature.Seal = &profile.Seal{Page: 1, Left: 36, Bottom: 36, Width: 200, Height: 56.7, Text: "Assinado por {name}\nem {time}", Image: "s3://seals/logo.png"}
	return p
}

func withCades() profile.Profile {
	p := withKms()
	p.Format = profile.Cades
	return p
}

func withXades() profile.Profile {
	p := withKms()
	p.Format = profile.Xades
	return p
}

// byExtension leaves open which format a file is signed in.
func byExtension(p *profile.Profile) { p.Name, p.Format = profile.Default, profile.Auto }

// refusals is every rule, each with a profile that breaks it and nothing else.
var refusals = []struct {
	name   string
	from   func() profile.Profile
	breaks func(*profile.Profile)
	rule   int
	key    string
}{
	{"no name", withKms, func(p *profile.Profile) { p.Name = "" }, 1, "Name"},
	{"capital letters", withKms, func(p *profile.Profile) { p.Name = "Contracts" }, 1, "Name"},
	{"hyphen at the end", withKms, func(p *profile.Profile) { p.Name = "contracts-" }, 1, "Name"},
	{"41 characters", withKms, func(p *profile.Profile) { p.Name = strings.Repeat("a", 41) }, 1, "Name"},
	{"a second line", withKms, func(p *profile.Profile) { p.Name = "contracts\n" }, 1, "Name"},
	{"no format", withKms, func(p *profile.Profile) { p.Format = profile.Auto }, 2, "Format"},
	{"unknown format", withKms, func(p *profile.Profile) { p.Format = "auto" }, 3, "Format"},
	{"unknown method", withKms, func(p *profile.Profile) { p.Method = "Remote" }, 3, "Method"},
	{"no method", withKms, func(p *profile.Profile) { p.Method = "" }, 3, "Method"},
	{"unknown source", withKms, func(p *profile.Profile) { p.Certificate.Source = "Token" }, 3, "Certificate:Source"},
	{"no source", withKms, func(p *profile.Profile) { p.Certificate.Source = "" }, 3, "Certificate:Source"},
	{"no certificate", withKms, func(p *profile.Profile) { p.Certificate = nil }, 4, "Certificate"},
	{"extension kept for Pades", withKms, func(p *profile.Profile) { p.PreserveFileExtension = true }, 19, "PreserveFileExtension"},
	{"extension kept by extension", withKms, func(p *profile.Profile) { p.PreserveFileExtension, p.Name, p.Format = true, "default", profile.Auto }, 19, "PreserveFileExtension"},
	{"PEM for Pades", withKms, func(p *profile.Profile) { p.SaveAsPem = true }, 20, "SaveAsPem"},
	{"PEM for Xades", withKms, func(p *profile.Profile) { p.SaveAsPem, p.Format = true, profile.Xades }, 20, "SaveAsPem"},
	{"default disabled", withKms, func(p *profile.Profile) { p.Name, p.Enabled = "default", false }, 35, "Enabled"},

	{"LacunaSigner", withKms, func(p *profile.Profile) { p.Method, p.Certificate = profile.LacunaSigner, nil }, 100, "Method"},
	{"SignerFolder", withKms, func(p *profile.Profile) { p.Method, p.Format = profile.SignerFolder, profile.Auto }, 101, "Method"},
	{"XmlNFe", withKms, func(p *profile.Profile) { p.Format = "XmlNFe" }, 102, "Format"},
	{"Encrypt", withKms, func(p *profile.Profile) { p.Encrypt = true }, 103, "Encrypt"},
	{"Pkcs11", withKms, func(p *profile.Profile) { p.Certificate.Source = "Pkcs11" }, 106, "Certificate:Source"},
	{"WindowsStore", withKms, func(p *profile.Profile) { p.Certificate.Source = "WindowsStore" }, 107, "Certificate:Source"},
	{"AzureKeyVault", withKms, func(p *profile.Profile) { p.Certificate.Source = "AzureKeyVault" }, 108, "Certificate:Source"},

	{"no Kms block", withKms, func(p *profile.Profile) { p.Certificate.Kms = nil }, 200, "Certificate:Kms"},
	{"Kms beside Pfx", withPfx, func(p *profile.Profile) { p.Certificate.Kms = &profile.KmsKey{} }, 201, "Certificate:Kms"},
	{"no key", withKms, func(p *profile.Profile) { p.Certificate.Kms.KeyID = "" }, 202, "Certificate:Kms:KeyId"},
	{"not a key", withKms, func(p *profile.Profile) { p.Certificate.Kms.KeyID = "contracts" }, 203, "Certificate:Kms:KeyId"},
	{"no certificate of the key", withKms, func(p *profile.Profile) { p.Certificate.Kms.Certificate = "" }, 204, "Certificate:Kms:Certificate"},
	{"private key", withKms, func(p *profile.Profile) {
		p.Certificate.Kms.Certificate = "-----BEGIN RSA PRIVATE KEY-----\nAA==\n-----END RSA PRIVATE KEY-----"
	}, 205, "Certificate:Kms:Certificate"},
	{"not a certificate", withKms, func(p *profile.Profile) { p.Certificate.Kms.Certificate = "s3://certificates" }, 206, "Certificate:Kms:Certificate"},
	{"no Pfx block", withPfx, func(p *profile.Profile) { p.Certificate.Pfx = nil }, 207, "Certificate:Pfx"},
	{"Pfx beside Kms", withKms, func(p *profile.Profile) { p.Certificate.Pfx = &profile.PfxKey{} }, 208, "Certificate:Pfx"},
	{"no location", withPfx, func(p *profile.Profile) { p.Certificate.Pfx.Location = "" }, 209, "Certificate:Pfx:Location"},
	{"location of a host", withPfx, func(p *profile.Profile) { p.Certificate.Pfx.Location = "/keys/a.pfx" }, 210, "Certificate:Pfx:Location"},
	{"no password", withPfx, func(p *profile.Profile) { p.Certificate.Pfx.Password = "" }, 211, "Certificate:Pfx:Password"},
	{"literal password", withPfx, func(p *profile.Profile) { p.Certificate.Pfx.Password = "swordfish" }, 212, "Certificate:Pfx:Password"},
	{"SHA-1", withKms, func(p *profile.Profile) { p.Signature.Digest = "SHA-1" }, 213, "Signature:Digest"},
	{"no digest", withKms, func(p *profile.Profile) { p.Signature.Digest = "" }, 213, "Signature:Digest"},
	{"plain PKCS#7", withKms, func(p *profile.Profile) { p.Signature.SubFilter = "adbe.pkcs7.detached" }, 214, "Signature:SubFilter"},
	{"long field", withKms, func(p *profile.Profile) { p.Signature.Field = strings.Repeat("a", 257) }, 215, "Signature:Field"},
	{"long name", withKms, func(p *profile.Profile) { p.Signature.Name = strings.Repeat("a", 257) }, 215, "Signature:Name"},
	{"reason that is no text", withKms, func(p *profile.Profile) { p.Signature.Reason = "\xff" }, 215, "Signature:Reason"},
	{"long location", withKms, func(p *profile.Profile) { p.Signature.Location = strings.Repeat("é", 257) }, 215, "Signature:Location"},
	{"long contact", withKms, func(p *profile.Profile) { p.Signature.ContactInfo = strings.Repeat("a", 257) }, 215, "Signature:ContactInfo"},

	{"no CloudHsm block", withHsm, func(p *profile.Profile) { p.Certificate.CloudHsm = nil }, 218, "Certificate:CloudHsm"},
	{"CloudHsm beside Kms", withKms, func(p *profile.Profile) { p.Certificate.CloudHsm = &profile.HsmKey{} }, 219, "Certificate:CloudHsm"},
	{"CloudHsm beside Pfx", withPfx, func(p *profile.Profile) { p.Certificate.CloudHsm = &profile.HsmKey{} }, 219, "Certificate:CloudHsm"},
	{"Kms beside CloudHsm", withHsm, func(p *profile.Profile) { p.Certificate.Kms = &profile.KmsKey{} }, 201, "Certificate:Kms"},
	{"Pfx beside CloudHsm", withHsm, func(p *profile.Profile) { p.Certificate.Pfx = &profile.PfxKey{} }, 208, "Certificate:Pfx"},
	{"no module", withHsm, func(p *profile.Profile) { p.Certificate.CloudHsm.ModulePath = "" }, 28, "Certificate:CloudHsm:ModulePath"},
	{"no thumbprint", withHsm, func(p *profile.Profile) { p.Certificate.CloudHsm.Thumbprint = "" }, 28, "Certificate:CloudHsm:Thumbprint"},
	{"literal PIN", withHsm, func(p *profile.Profile) { p.Certificate.CloudHsm.Pin = "swordfish" }, 28, "Certificate:CloudHsm:Pin"},
	{"no PIN", withHsm, func(p *profile.Profile) { p.Certificate.CloudHsm.Pin = "" }, 223, "Certificate:CloudHsm:Pin"},
	{"too many sessions", withHsm, func(p *profile.Profile) { p.Certificate.CloudHsm.Sessions = profile.MaxSessions + 1 }, 237, "Certificate:CloudHsm:Sessions"},
	{"negative slot", withHsm, func(p *profile.Profile) { p.Certificate.CloudHsm.Slot = -1 }, 221, "Certificate:CloudHsm:Slot"},
	{"thumbprint with colons", withHsm, func(p *profile.Profile) {
		p.Certificate.CloudHsm.Thumbprint = strings.TrimSuffix(strings.Repeat("ab:", 20), ":")
	}, 222, "Certificate:CloudHsm:Thumbprint"},
	{"SHA-256 thumbprint", withHsm, func(p *profile.Profile) { p.Certificate.CloudHsm.Thumbprint = strings.Repeat("ab", 32) }, 222, "Certificate:CloudHsm:Thumbprint"},

	{"detached PDF", withKms, func(p *profile.Profile) { p.Signature.Detached = true }, 224, "Signature:Detached"},
	{"detached by extension", withKms, func(p *profile.Profile) { byExtension(p); p.Signature.Detached = true }, 224, "Signature:Detached"},
	{"detached with the content's extension", withCades, func(p *profile.Profile) { p.Signature.Detached, p.PreserveFileExtension = true, true }, 225, "Signature:Detached"},
	{"nested XML", withXades, func(p *profile.Profile) { p.Signature.Nested = true }, 226, "Signature:Nested"},
	{"element of a PDF", withKms, func(p *profile.Profile) { p.Signature.Element = "infNFe" }, 227, "Signature:Element"},
	{"seal on XML", withSeal, func(p *profile.Profile) { p.Format = profile.Xades }, 229, "Signature:Seal"},
	{"seal by extension", withSeal, byExtension, 229, "Signature:Seal"},
	{"page 0", withSeal, func(p *profile.Profile) { p.Signature.Seal.Page = 0 }, 230, "Signature:Seal:Page"},
	{"last page but one", withSeal, func(p *profile.Profile) { p.Signature.Seal.Page = -2 }, 230, "Signature:Seal:Page"},
	{"page too far", withSeal, func(p *profile.Profile) { p.Signature.Seal.Page = 1<<20 + 1 }, 230, "Signature:Seal:Page"},
	{"left of the page", withSeal, func(p *profile.Profile) { p.Signature.Seal.Left = -0.1 }, 231, "Signature:Seal:Left"},
	{"above all pages", withSeal, func(p *profile.Profile) { p.Signature.Seal.Bottom = 14401 }, 231, "Signature:Seal:Bottom"},
	{"not a number", withSeal, func(p *profile.Profile) { p.Signature.Seal.Left = math.NaN() }, 231, "Signature:Seal:Left"},
	{"no width", withSeal, func(p *profile.Profile) { p.Signature.Seal.Width = 0 }, 232, "Signature:Seal:Width"},
	{"negative height", withSeal, func(p *profile.Profile) { p.Signature.Seal.Height = -1 }, 232, "Signature:Seal:Height"},
	{"endless height", withSeal, func(p *profile.Profile) { p.Signature.Seal.Height = math.Inf(1) }, 232, "Signature:Seal:Height"},
	{"half a size in a field", withSeal, func(p *profile.Profile) { p.Signature.Field, p.Signature.Seal.Width = "Assinatura", 0 }, 232, "Signature:Seal:Width"},
	{"long text", withSeal, func(p *profile.Profile) { p.Signature.Seal.Text = strings.Repeat("é", 1001) }, 233, "Signature:Seal:Text"},
	{"tabulator", withSeal, func(p *profile.Profile) { p.Signature.Seal.Text = "a\tb" }, 233, "Signature:Seal:Text"},
	{"not text", withSeal, func(p *profile.Profile) { p.Signature.Seal.Text = "\xff" }, 233, "Signature:Seal:Text"},
	{"unknown placeholder", withSeal, func(p *profile.Profile) { p.Signature.Seal.Text = "{name}, {cpf}" }, 234, "Signature:Seal:Text"},
	{"placeholder in another case", withSeal, func(p *profile.Profile) { p.Signature.Seal.Text = "{Name}" }, 234, "Signature:Seal:Text"},
	{"image of a host", withSeal, func(p *profile.Profile) { p.Signature.Seal.Image = "seals/logo.png" }, 235, "Signature:Seal:Image"},
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := tt.from()
			tt.breaks(&p)
			got := p.Check()
			if len(got) != 1 || got[0].Rule != tt.rule || got[0].Key != tt.key {
				t.Fatalf("Check = %v, want rule %d for %s alone", got, tt.rule, tt.key)
			}
			if got[0].Message == "" || got[0].Remedy == "" || strings.Contains(got[0].Message+got[0].Remedy, "swordfish") {
				t.Errorf("Check = %v, want a message and a remedy that quote nothing", got)
			}
		})
	}
}

func TestCheckAccepts(t *testing.T) {
	t.Parallel()
	leaf := read(t, "leaf.pem")
	tests := []struct {
		name    string
		from    func() profile.Profile
		changes func(*profile.Profile)
	}{
		{"Kms", withKms, func(*profile.Profile) {}},
		{"Pfx", withPfx, func(*profile.Profile) {}},
		{"default by extension", withKms, func(p *profile.Profile) { p.Name, p.Format = profile.Default, profile.Auto }},
		{"disabled", withKms, func(p *profile.Profile) { p.Enabled = false }},
		{"one letter", withKms, func(p *profile.Profile) { p.Name = "a" }},
		{"40 characters", withKms, func(p *profile.Profile) { p.Name = strings.Repeat("a", 40) }},
		{"Cades as PEM with its extension", withKms, func(p *profile.Profile) {
			p.Format, p.SaveAsPem, p.PreserveFileExtension = profile.Cades, true, true
		}},
		{"Xades with its extension", withKms, func(p *profile.Profile) { p.Format, p.PreserveFileExtension = profile.Xades, true }},
		{"certificate in place", withKms, func(p *profile.Profile) { p.Certificate.Kms.Certificate = "\n" + leaf + "\n" }},
		{"Pfx in a secret", withPfx, func(p *profile.Profile) { p.Certificate.Pfx.Location = secretARN }},
		{"nothing checked", withKms, func(p *profile.Profile) { p.Verify, p.RequirePolicy = false, false }},
		{"SHA-512, PBAD", withKms, func(p *profile.Profile) {
			p.Signature.Digest, p.Signature.SubFilter = profile.SHA512, profile.SubFilterPBAD
		}},
		{"CloudHsm", withHsm, func(*profile.Profile) {}},
		{"CloudHsm in slot 0", withHsm, func(p *profile.Profile) { p.Certificate.CloudHsm.Slot = 0 }},
		{"sealed", withSeal, func(*profile.Profile) {}},
		{"sealed on the last page, with the usual text alone", withSeal, func(p *profile.Profile) {
			p.Signature.Seal = &profile.Seal{Page: -1, Width: 14400, Height: 0.5}
		}},
		{"sealed in a field's own place", withSeal, func(p *profile.Profile) {
			p.Signature.Field, p.Signature.Seal = "Assinatura", &profile.Seal{Page: 1}
		}},
		{"1000 letters of two bytes", withSeal, func(p *profile.Profile) { p.Signature.Seal.Text = strings.Repeat("é", 1000) }},
		{"one brace", withSeal, func(p *profile.Profile) { p.Signature.Seal.Text = "} {name} {" }},
		{"detached, as PEM", withCades, func(p *profile.Profile) { p.Signature.Detached, p.SaveAsPem = true, true }},
		{"detached and nested", withCades, func(p *profile.Profile) { p.Signature.Detached, p.Signature.Nested = true, true }},
		{"one element", withXades, func(p *profile.Profile) { p.Signature.Element = "infNFe" }},
		{"256 letters of two bytes", withKms, func(p *profile.Profile) { p.Signature.Reason = strings.Repeat("é", 256) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := tt.from()
			tt.changes(&p)
			if got := p.Check(); got != nil {
				t.Errorf("Check = %v, want nil", got)
			}
		})
	}
}

func TestCheckReportsEverything(t *testing.T) {
	t.Parallel()
	var got []int
	for _, r := range (profile.Profile{Method: profile.Local, SaveAsPem: true}).Check() {
		got = append(got, r.Rule)
	}
	if diff := cmp.Diff([]int{1, 2, 4, 20, 213, 214}, got); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

func TestCheckTrust(t *testing.T) {
	t.Parallel()
	p := withKms()
	for anchors, want := range []int{1, 0, 0} {
		got := p.CheckTrust(anchors)
		if len(got) != want {
			t.Errorf("with %d anchors, CheckTrust = %v, want %d", anchors, got, want)
		}
	}
	if got := p.CheckTrust(0)[0]; got.Rule != 236 || got.Key != "ValidateCertificate" || got.Message == "" || got.Remedy == "" {
		t.Errorf("CheckTrust = %v, want rule 236 for ValidateCertificate", got)
	}
	p.ValidateCertificate = false
	if got := p.CheckTrust(0); got != nil {
		t.Errorf("without validation, CheckTrust = %v, want nil", got)
	}
}

func TestRefusedKey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		key  string
		rule int
	}{
		{"Certificate:Pin", 28}, {"certificate:cloudhsm:pinenvvar", 28}, {"Certificate:Pkcs11", 106}, {"Certificate:WindowsStore", 107},
		{"Certificate:AzureKeyVault", 108}, {"Approval", 109}, {"CheckCnab240", 110}, {"CheckCNAB240", 110}, {"checkcnab240", 110},
		{"CheckCnab240PaymentDates", 110}, {"Signer", 111}, {"SignerFolder", 112}, {"Certificate:Pfx:Path", 216},
		{"Certificate:Pfx:Blob", 216}, {"InputFolder", 217},
	}
	for _, tt := range tests {
		got, ok := profile.RefusedKey(tt.key)
		if !ok || got.Rule != tt.rule || !strings.EqualFold(got.Key, tt.key) || got.Message == "" || got.Remedy == "" {
			t.Errorf("RefusedKey(%s) = %v, %t, want rule %d", tt.key, got, ok, tt.rule)
		}
	}
	for _, key := range []string{"", "Name", "Nmae", "Certificate", "Certificate:CloudHsm", "Pin"} {
		if got, ok := profile.RefusedKey(key); ok {
			t.Errorf("RefusedKey(%q) = %v, want none", key, got)
		}
	}
}
