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
