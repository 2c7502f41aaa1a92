package icpbrasil_test

import (
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
)

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

func TestCurrent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		form      icpbrasil.Form
		at        string
		oid, hash string
		want      error
	}{
		{"PAdES", icpbrasil.PAdES, "2026-11-29T12:00:00Z", "2.16.76.1.7.1.11.1.3", "23e4be4b9b362172e4ebb0e72b86a133ece5aad843d8651c6e38a0ba3f08fc60", nil},
		{"CAdES", icpbrasil.CAdES, "2026-11-29T12:00:00Z", "2.16.76.1.7.1.1.2.4", "1f3c904c44c392feef447e21faa7a04e85d9c0153346320f557b7042af5dcf13", nil},
		{"XAdES", icpbrasil.XAdES, "2026-11-29T12:00:00Z", "2.16.76.1.7.1.6.2.5", "ebc306b7e3f100eca1ea62f088083206c6ec5ac40c3ae18d426951f656e1ee18", nil},
		{"the last day counts", icpbrasil.PAdES, "2037-10-22T23:59:59Z", "2.16.76.1.7.1.11.1.3", "23e4be4b9b362172e4ebb0e72b86a133ece5aad843d8651c6e38a0ba3f08fc60", nil},
		{"a clock of the past signs nothing", icpbrasil.PAdES, "2025-07-22T23:59:59Z", "", "", fault.PolicyNotInForce},
		{"an expired policy signs nothing", icpbrasil.PAdES, "2037-10-23T00:00:00Z", "", "", fault.PolicyNotInForce},
		{"an unknown form has no policy", "JAdES", "2026-11-29T12:00:00Z", "", "", fault.PolicyNotInForce},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := icpbrasil.Current(tt.form, at(tt.at))
			if !errors.Is(err, tt.want) {
				t.Fatalf("Current = %v, want %v", err, tt.want)
			}
			if tt.want != nil {
				return
			}
			if p.OID.String() != tt.oid || hex.EncodeToString(p.Hash) != tt.hash {
				t.Errorf("Current = %s %x, want %s %s", p.OID, p.Hash, tt.oid, tt.hash)
			}
			if got, ok := icpbrasil.ByOID(p.OID); !ok || got.Name != p.Name {
				t.Errorf("ByOID(%s) = %q, %t, want %q", p.OID, got.Name, ok, p.Name)
			}
		})
	}
}
