package cms_test

import (
	"crypto"
	"errors"
	"testing"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/sign/cms"
)

func TestCheckTime(t *testing.T) {
	t.Parallel()
	p := params(t, world.RSA, crypto.SHA256)
	ended := p
	ended.Policy.Until = world.Now.AddDate(0, 0, -2)
	tests := []struct {
		name string
		p    cms.Params
		at   time.Time
		want error
	}{
		{"now", p, world.Now, nil},
		{"the first moment", p, p.Certificate.NotBefore, nil},
		{"the last moment", p, p.Certificate.NotAfter, nil},
		{"too early", p, p.Certificate.NotBefore.Add(-time.Second), fault.CertificateNotYetValid},
		{"too late", p, p.Certificate.NotAfter.Add(time.Second), fault.CertificateExpired},
		{"after the policy", ended, world.Now, fault.PolicyNotInForce},
		{"no certificate, which New refuses", cms.Params{}, world.Now, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := tt.p.CheckTime(tt.at); !errors.Is(err, tt.want) {
				t.Errorf("CheckTime = %v, want %v", err, tt.want)
			}
		})
	}
}
