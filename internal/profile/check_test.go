package profile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/profile"
)

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
		{"encrypted", withKms, func(p *profile.Profile) { p.Encrypt = true }},
		{"encrypted after a person", withParticipant, func(p *profile.Profile) { p.Encrypt = true }},
		{"encrypted, with the content beside it", withCades, func(p *profile.Profile) { p.Encrypt, p.Signature.Detached = true, true }},
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
		{"a person", withParticipant, func(*profile.Profile) {}},
		{"a person who signs by extension", withParticipant, byExtension},
		{"a person's Cades as PEM with its extension", withParticipant, func(p *profile.Profile) {
			p.Format, p.SaveAsPem, p.PreserveFileExtension = profile.Cades, true, true
		}},
		{"a person of whom AD-RB is demanded", withParticipant, func(p *profile.Profile) { p.RequirePolicy = true }},
		{"a person whose digits nobody checks", withParticipant, func(p *profile.Profile) { p.Signer.Identifier = "1" }},
		{"a person with 256 letters of two bytes", withParticipant, func(p *profile.Profile) { p.Signer.Name = strings.Repeat("é", 256) }},
		{"a person, nothing said of the signature", withParticipant, func(p *profile.Profile) { p.Signature = profile.Signature{} }},
		{"a folder", withFolder, func(*profile.Profile) {}},
		{"a folder without a name", withFolder, func(p *profile.Profile) { p.SignerFolder.Name = "" }},
		{"a folder and a format for later", withFolder, func(p *profile.Profile) { p.Format = profile.Xades }},
		{"a participant beside Local", withKms, func(p *profile.Profile) { p.Signer = &profile.Participant{Email: "none"} }},
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
	for _, m := range []profile.Method{profile.LacunaSigner, profile.SignerFolder} { // Check refuses it already
		if p.Method = m; p.CheckTrust(0) != nil {
			t.Errorf("%s: CheckTrust = %v, want nil", m, p.CheckTrust(0))
		}
	}
	p.Method, p.ValidateCertificate = profile.Local, false
	if got := p.CheckTrust(0); got != nil {
		t.Errorf("without validation, CheckTrust = %v, want nil", got)
	}
}

func TestCheckSigner(t *testing.T) {
	t.Parallel()
	for m, wants := range map[profile.Method]bool{profile.Local: false, "Remote": false, profile.LacunaSigner: true, profile.SignerFolder: true} {
		p := profile.Profile{Method: m}
		if got := p.CheckSigner(true); got != nil {
			t.Errorf("%s with a Signer: CheckSigner = %v, want nil", m, got)
		}
		got := p.CheckSigner(false)
		if (got != nil) != wants {
			t.Errorf("%s without a Signer: CheckSigner = %v, want a refusal %t", m, got, wants)
		}
		if wants && (got[0].Rule != 9 || got[0].Key != "Method" ||
			!strings.Contains(got[0].Message, "Signer:Endpoint") || !strings.Contains(got[0].Message, "Signer:ApiKey")) {
			t.Errorf("%s without a Signer: CheckSigner = %v, want rule 9 naming both keys", m, got)
		}
	}
}

func TestCheckEncryption(t *testing.T) {
	t.Parallel()
	for m, wants := range map[profile.Method]bool{profile.Local: true, profile.LacunaSigner: true, "Remote": true, profile.SignerFolder: false} {
		p := profile.Profile{Method: m, Encrypt: true}
		if got := p.CheckEncryption(true); got != nil {
			t.Errorf("%s, encrypting: CheckEncryption = %v, want nil", m, got)
		}
		got := p.CheckEncryption(false)
		if (got != nil) != wants || wants && (got[0].Rule != 18 || got[0].Key != "Encrypt") {
			t.Errorf("%s, not encrypting: CheckEncryption = %v, want rule 18: %t", m, got, wants)
		}
		if p.Encrypt = false; p.CheckEncryption(false) != nil {
			t.Errorf("%s, nothing to encrypt: CheckEncryption = %v, want nil", m, p.CheckEncryption(false))
		}
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
		{"CheckCnab240PaymentDates", 110}, {"Certificate:Pfx:Path", 216},
		{"Certificate:Pfx:Blob", 216}, {"InputFolder", 217},
	}
	for _, tt := range tests {
		got, ok := profile.RefusedKey(tt.key)
		if !ok || got.Rule != tt.rule || !strings.EqualFold(got.Key, tt.key) || got.Message == "" || got.Remedy == "" {
			t.Errorf("RefusedKey(%s) = %v, %t, want rule %d", tt.key, got, ok, tt.rule)
		}
	}
	for _, key := range []string{"", "Name", "Nmae", "Signer", "SignerFolder", "Certificate", "Certificate:CloudHsm", "Pin"} {
		if got, ok := profile.RefusedKey(key); ok {
			t.Errorf("RefusedKey(%q) = %v, want none", key, got)
		}
	}
}
