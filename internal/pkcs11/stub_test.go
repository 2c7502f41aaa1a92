//go:build !pkcs11

package pkcs11_test

import (
	"errors"
	"strings"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/pkcs11"
)

func TestStubSaysHowToBuild(t *testing.T) {
	t.Parallel()
	o := pkcs11.Options{Module: "/usr/lib/token.so", TokenLabel: "icp", Thumbprint: strings.Repeat("0a", 20), PIN: "1234"}
	_, err := pkcs11.Open(t.Context(), o, nil)
	if !errors.Is(err, fault.KeyUnsupported) {
		t.Fatalf("Open = %v, want %s", err, fault.KeyUnsupported)
	}
	if d := fault.DetailOf(err); !strings.Contains(d, "CGO_ENABLED=1") || !strings.Contains(d, "-tags pkcs11") {
		t.Errorf("the detail is %q, want how to build", d)
	}
}
