package profile_test

import (
	"crypto/x509"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

func TestValidAt(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	until := from.AddDate(1, 0, 0)
	k := profile.Key{Certificate: &x509.Certificate{NotBefore: from, NotAfter: until}}
	tests := []struct {
		name string
		at   time.Time
		want fault.Code
	}{
		{"before", from.Add(-time.Second), fault.CertificateNotYetValid},
		{"first moment", from, ""},
		{"last moment", until, ""},
		{"after", until.Add(time.Second), fault.CertificateExpired},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := fault.CodeOf(k.ValidAt(tt.at)); got != tt.want {
				t.Errorf("ValidAt = %q, want %q", got, tt.want)
			}
		})
	}
}
