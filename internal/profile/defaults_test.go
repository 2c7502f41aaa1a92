package profile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/profile"
)

func TestDerived(t *testing.T) {
	t.Parallel()
	key := withKms().Certificate
	want := profile.Profile{
		Name: "default", Enabled: true, Method: profile.Local, Format: profile.Auto, Verify: true, RequirePolicy: true,
		Certificate: key,
		Signature:   profile.Signature{Digest: profile.SHA256, SubFilter: "ETSI.CAdES.detached"},
	}
	got := profile.Derived(key)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Derived (-want +got):\n%s", diff)
	}
	if refusals := got.Check(); refusals != nil {
		t.Errorf("Check = %v, want nil", refusals)
	}
	if p := profile.New("contracts"); !p.ValidateCertificate {
		t.Error("New does not validate certificates, which only Derived does without")
	}
	if refusals := profile.Derived(nil).Check(); len(refusals) != 1 || refusals[0].Rule != 4 {
		t.Errorf("without a certificate, Check = %v, want rule 4", refusals)
	}
}

func TestCanonicalSpellsAsWritten(t *testing.T) {
	t.Parallel()
	key := &profile.Certificate{Source: "KMS"}
	p := profile.Profile{
		Method: "lacunasigner", Format: "XADES", Certificate: key,
		Signature: profile.Signature{Digest: "sha-512", SubFilter: "pbad.pades"},
	}
	want := profile.Profile{
		Method: profile.LacunaSigner, Format: profile.Xades, Certificate: &profile.Certificate{Source: profile.Kms},
		Signature: profile.Signature{Digest: profile.SHA512, SubFilter: profile.SubFilterPBAD},
	}
	if diff := cmp.Diff(want, p.Canonical()); diff != "" {
		t.Errorf("Canonical (-want +got):\n%s", diff)
	}
	if key.Source != "KMS" {
		t.Errorf("Canonical changed the certificate that others hold: %s", key.Source)
	}
	unknown := profile.Profile{Method: "Remote", Format: "auto"}
	if diff := cmp.Diff(unknown, unknown.Canonical()); diff != "" {
		t.Errorf("Canonical of what is unknown (-want +got):\n%s", diff)
	}
}

func TestCanonicalSpellsAsSignerDoes(t *testing.T) {
	t.Parallel()
	person := &profile.Participant{Name: " Ana de Teste\t", Email: " ana@example.com ", Identifier: " 012.345.678-90 "}
	folder := &profile.Binding{ID: " 0194F3C2-5B1E-7C40-9D3A-6F2B8E1A4C57\n", Name: " Contratos / 2026 "}
	got := profile.Profile{Method: "LACUNASIGNER", Signer: person, SignerFolder: folder}.Canonical()
	want := profile.Profile{
		Method:       profile.LacunaSigner,
		Signer:       &profile.Participant{Name: "Ana de Teste", Email: "ana@example.com", Identifier: "01234567890"},
		SignerFolder: &profile.Binding{ID: "0194f3c2-5b1e-7c40-9d3a-6f2b8e1a4c57", Name: "Contratos / 2026"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Canonical (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, got.Canonical()); diff != "" {
		t.Errorf("Canonical again (-want +got):\n%s", diff)
	}
	if person.Identifier != " 012.345.678-90 " || folder.Name != " Contratos / 2026 " {
		t.Error("Canonical changed what others hold")
	}
	local := profile.Profile{Method: "local", Signer: person}.Canonical()
	if local.Signer != nil {
		t.Errorf("beside Local, Signer = %v, want nil", local.Signer)
	}
	if odd := (profile.Profile{Method: profile.LacunaSigner, Signer: &profile.Participant{Identifier: " .-/ "}}).Canonical(); odd.Signer.Identifier != "" {
		t.Errorf("Identifier = %q, want none: punctuation alone is no CPF", odd.Signer.Identifier)
	}
}

func TestRequiresPolicy(t *testing.T) {
	t.Parallel()
	for m, want := range map[profile.Method]bool{
		profile.Local: true, "Remote": true, "": true, profile.LacunaSigner: false, "lacunasigner": false, profile.SignerFolder: false,
	} {
		if got := m.RequiresPolicy(); got != want {
			t.Errorf("%q requires AD-RB: %t, want %t", m, got, want)
		}
	}
}
