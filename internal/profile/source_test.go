package profile_test

import (
	"strings"
	"testing"

	"bulksigner/internal/profile"
)

func TestModules(t *testing.T) {
	t.Parallel()
	for path, ok := range map[string]bool{
		"/opt/cloudhsm/lib/libcloudhsm_pkcs11.so": true, "/a b/ç.so": true, "/" + strings.Repeat("a", 511): true,
		"libsofthsm2.so": false, "./a.so": false, "/": false, "/opt/": false, "/opt/../a.so": false, "//a.so": false, "/a\x00.so": false,
		"/\xff.so": false, `C:\hsm\a.dll`: false, "/" + strings.Repeat("a", 512): false,
	} {
		p := withHsm()
		p.Certificate.CloudHsm.ModulePath = path
		if got := p.Check(); (got == nil) != ok || !ok && (len(got) != 1 || got[0].Rule != 220) {
			t.Errorf("module %.40q: Check = %v, want accepted %t", path, got, ok)
		}
	}
}

func TestSourcesInAnyCase(t *testing.T) {
	t.Parallel()
	for written, want := range map[profile.Source]profile.Source{"kms": profile.Kms, "PFX": profile.Pfx, "cloudhsm": profile.CloudHsm, "token": "token"} {
		p := profile.Profile{Certificate: &profile.Certificate{Source: written}}
		if got := p.Canonical().Certificate.Source; got != want {
			t.Errorf("source %s is read as %s, want %s", written, got, want)
		}
	}
}
