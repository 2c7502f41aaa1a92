package profile_test

import (
	"math"
	"strings"
	"testing"

	"bulksigner/internal/profile"
)

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

	{"no format for a person", withParticipant, func(p *profile.Profile) { p.Format = profile.Auto }, 2, "Format"},
	{"no certificate for a folder", withFolder, func(p *profile.Profile) { p.Certificate = nil }, 4, "Certificate"},
	{"no participant", withParticipant, func(p *profile.Profile) { p.Signer = nil }, 5, "Signer"},
	{"participant without a name", withParticipant, func(p *profile.Profile) { p.Signer.Name = "" }, 5, "Signer:Name"},
	{"participant without an address", withParticipant, func(p *profile.Profile) { p.Signer.Email = "" }, 5, "Signer:Email"},
	{"participant without a CPF", withParticipant, func(p *profile.Profile) { p.Signer.Identifier = "" }, 5, "Signer:Identifier"},
	{"address without @", withParticipant, func(p *profile.Profile) { p.Signer.Email = "swordfish.example.com" }, 6, "Signer:Email"},
	{"certificate beside a person", withParticipant, func(p *profile.Profile) { p.Certificate = withKms().Certificate }, 7, "Certificate"},
	{"a person's certificate validated", withParticipant, func(p *profile.Profile) { p.ValidateCertificate = true }, 8, "ValidateCertificate"},
	{"no folder", withFolder, func(p *profile.Profile) { p.SignerFolder = nil }, 11, "SignerFolder"},
	{"folder without an id", withFolder, func(p *profile.Profile) { p.SignerFolder.ID = "" }, 11, "SignerFolder:Id"},
	{"default of a folder", withFolder, func(p *profile.Profile) { p.Name = "default" }, 13, "Method"},
	{"verified in a folder", withFolder, func(p *profile.Profile) { p.Verify = true }, 14, "Verify"},
	{"encrypted in a folder", withFolder, func(p *profile.Profile) { p.Encrypt = true }, 14, "Encrypt"},
	{"validated in a folder", withFolder, func(p *profile.Profile) { p.ValidateCertificate = true }, 14, "ValidateCertificate"},
	{"extension kept for a person's Pades", withParticipant, func(p *profile.Profile) { p.PreserveFileExtension = true }, 19, "PreserveFileExtension"},
	{"PEM of a person's Xades", withParticipant, func(p *profile.Profile) { p.SaveAsPem, p.Format = true, profile.Xades }, 20, "SaveAsPem"},

	{"XmlNFe", withKms, func(p *profile.Profile) { p.Format = "XmlNFe" }, 102, "Format"},
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
	{"module by its name", withHsm, func(p *profile.Profile) { p.Certificate.CloudHsm.ModulePath = "swordfish.so" }, 220, "Certificate:CloudHsm:ModulePath"},
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
	{"element with a prefix", withXades, func(p *profile.Profile) { p.Signature.Element = "swordfish:infNFe" }, 228, "Signature:Element"},
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
	{"participant with a long name", withParticipant, func(p *profile.Profile) { p.Signer.Name = strings.Repeat("é", 257) }, 238, "Signer:Name"},
	{"participant of two lines", withParticipant, func(p *profile.Profile) { p.Signer.Name = "swordfish\nswordfish" }, 238, "Signer:Name"},
	{"long address", withParticipant, func(p *profile.Profile) { p.Signer.Email = strings.Repeat("a", 245) + "@example.com" }, 238, "Signer:Email"},
	{"address of two lines", withParticipant, func(p *profile.Profile) { p.Signer.Email = "ana@\nexample.com" }, 238, "Signer:Email"},
	{"long CPF", withParticipant, func(p *profile.Profile) { p.Signer.Identifier = strings.Repeat("1", 257) }, 238, "Signer:Identifier"},
	{"CPF that is no text", withParticipant, func(p *profile.Profile) { p.Signer.Identifier = "\xff" }, 238, "Signer:Identifier"},
	{"folder with a long name", withFolder, func(p *profile.Profile) { p.SignerFolder.Name = strings.Repeat("a", 257) }, 238, "SignerFolder:Name"},
	{"two addresses", withParticipant, func(p *profile.Profile) { p.Signer.Email = "swordfish@example.com,bob@example.com" }, 239, "Signer:Email"},
	{"address of nobody", withParticipant, func(p *profile.Profile) { p.Signer.Email = "@example.com" }, 239, "Signer:Email"},
	{"address of nowhere", withParticipant, func(p *profile.Profile) { p.Signer.Email = "swordfish@" }, 239, "Signer:Email"},
	{"address with a name", withParticipant, func(p *profile.Profile) { p.Signer.Email = "Ana <ana@example.com>" }, 239, "Signer:Email"},
	{"folder by its name", withFolder, func(p *profile.Profile) { p.SignerFolder.ID = "swordfish" }, 240, "SignerFolder:Id"},
	{"folder in braces", withFolder, func(p *profile.Profile) { p.SignerFolder.ID = "{" + p.SignerFolder.ID + "}" }, 240, "SignerFolder:Id"},
	{"folder and something else", withFolder, func(p *profile.Profile) { p.SignerFolder.ID += "\n" }, 240, "SignerFolder:Id"},
	{"participant beside a folder", withFolder, func(p *profile.Profile) { p.Signer = &profile.Participant{} }, 241, "Signer"},
	{"folder beside a participant", withParticipant, func(p *profile.Profile) { p.SignerFolder = &profile.Binding{} }, 241, "SignerFolder"},
	{"folder beside Local", withKms, func(p *profile.Profile) { p.SignerFolder = &profile.Binding{} }, 241, "SignerFolder"},
	{"reason for a person", withParticipant, func(p *profile.Profile) { p.Signature.Reason = "swordfish" }, 242, "Signature"},
	{"SHA-512 by a person", withParticipant, func(p *profile.Profile) { p.Signature.Digest = profile.SHA512 }, 242, "Signature"},
	{"seal by a person", withParticipant, func(p *profile.Profile) { p.Signature.Seal = &profile.Seal{} }, 242, "Signature"},
	{"PBAD in a folder", withFolder, func(p *profile.Profile) { p.Signature.SubFilter = profile.SubFilterPBAD }, 242, "Signature"},
	{"detached in a folder", withFolder, func(p *profile.Profile) { p.Signature.Detached = true }, 242, "Signature"},

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
			for _, l := range []profile.Language{profile.English, profile.Portuguese} {
				if message, remedy := got[0].In(l); message == "" || remedy == "" || strings.Contains(message+remedy, "swordfish") {
					t.Errorf("%s: Check = %v, want a message and a remedy that quote nothing", l, got)
				}
			}
		})
	}
}
