package identity_test

import (
	"os"
	"testing"
	"time"

	"bulksigner/scripts/bench/identity"
)

func TestAnIdentityIsLoadedAsItWasMade(t *testing.T) {
	t.Parallel()
	made, err := identity.Make(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	got, err := identity.Load(made.Dir)
	if err != nil {
		t.Fatal(err)
	}
	same, ok := got.Key.Public().(interface{ Equal(any) bool })
	if ok && !same.Equal(made.Key.Public()) {
		t.Error("the key is another one")
	}
	if !got.Certificate.Equal(made.Certificate) || !got.Root.Equal(made.Root) {
		t.Error("the certificates are others")
	}
	if len(got.Chain) != len(made.Chain) || !got.Chain[0].Equal(made.Chain[0]) {
		t.Errorf("got a chain of %d, want %d", len(got.Chain), len(made.Chain))
	}
	if _, err := os.Stat(got.File(identity.PKCS12File)); err != nil {
		t.Error(err)
	}
}

func TestAnIdentityThatIsNotWholeIsRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file string
		content    []byte
	}{
		{"no key", identity.KeyFile, nil},
		{"key of another kind", identity.KeyFile, []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")},
		{"no certificate", identity.CertificateFile, []byte("none")},
		{"no root", identity.RootFile, []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")},
		{"chain without end", identity.ChainFile, make([]byte, 2<<20)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			id, err := identity.Make(t.TempDir(), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(id.File(tt.file), tt.content, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := identity.Load(id.Dir); err == nil {
				t.Error("got no error")
			}
		})
	}
}
