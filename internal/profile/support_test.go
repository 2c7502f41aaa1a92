package profile_test

import (
	"os"
	"testing"

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

// withParticipant and withFolder make profiles of the methods that work with Lacuna Signer.
func withParticipant() profile.Profile {
	p := profile.New("contracts")
	p.Method, p.Format, p.ValidateCertificate, p.RequirePolicy = profile.LacunaSigner, profile.Pades, false, false
	p.Signer = &profile.Participant{Name: "Ana de Teste", Email: "ana@example.com", Identifier: "52998224725"}
	return p
}

func withFolder() profile.Profile {
	p := withKms()
	p.Method, p.Format, p.Verify, p.ValidateCertificate, p.RequirePolicy = profile.SignerFolder, profile.Auto, false, false, false
	p.SignerFolder = &profile.Binding{ID: "0194f3c2-5b1e-7c40-9d3a-6f2b8e1a4c57", Name: "Contratos"}
	return p
}

// byExtension leaves open which format a file is signed in.
func byExtension(p *profile.Profile) { p.Name, p.Format = profile.Default, profile.Auto }
