package pkcs11_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/pkcs11"
)

const somePIN = "crypto_user:4711-secret"

func TestOpenRefusesOptions(t *testing.T) {
	t.Parallel()
	fine := pkcs11.Options{Module: "/usr/lib/token.so", Slot: new(uint(0)), Thumbprint: strings.Repeat("0a", 20), PIN: somePIN}
	tests := []struct {
		name   string
		change func(*pkcs11.Options)
		want   fault.Code
	}{
		{"no module", func(o *pkcs11.Options) { o.Module = "" }, fault.KeyNotFound},
		{"a module to be searched for", func(o *pkcs11.Options) { o.Module = "token.so" }, fault.KeyNotFound},
		{"no token", func(o *pkcs11.Options) { o.Slot = nil }, fault.KeyNotFound},
		{"no thumbprint and no certificate", func(o *pkcs11.Options) { o.Thumbprint = "" }, fault.CertificateMissing},
		{"a thumbprint of SHA-256", func(o *pkcs11.Options) { o.Thumbprint = strings.Repeat("0a", 32) }, fault.CertificateMissing},
		{"a thumbprint that is no hex", func(o *pkcs11.Options) { o.Thumbprint = strings.Repeat("zz", 20) }, fault.CertificateMissing},
		{"fewer sessions than none", func(o *pkcs11.Options) { o.Sessions = -1 }, fault.KeyUnsupported},
		{"too many sessions", func(o *pkcs11.Options) { o.Sessions = pkcs11.MaxSessions + 1 }, fault.KeyUnsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := fine
			tt.change(&o)
			_, err := pkcs11.Open(t.Context(), o, nil)
			if got := fault.CodeOf(err); got != tt.want {
				t.Errorf("Open = %v, want code %q", err, tt.want)
			}
		})
	}
}

func TestOptionsKeepThePINToThemselves(t *testing.T) {
	t.Parallel()
	o := pkcs11.Options{Module: "/usr/lib/token.so", Slot: new(uint(7)), TokenLabel: "icp", PIN: somePIN}
	asJSON, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{fmt.Sprint(o), fmt.Sprintf("%+v", &o), fmt.Sprintf("%#v", o), string(asJSON)} {
		if strings.Contains(shown, "4711") {
			t.Errorf("the PIN is shown in %s", shown)
		}
	}
	if got, want := o.String(), `PKCS#11 module /usr/lib/token.so, slot 7, token "icp"`; got != want {
		t.Errorf("String() = %s, want %s", got, want)
	}
}
