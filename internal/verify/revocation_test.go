package verify_test

import (
	"crypto/x509"
	"testing"

	"bulksigner/internal/fault"
	"bulksigner/internal/verify"
)

// TestRevocation asks about a chain to an anchor, and about no other.
func TestRevocation(t *testing.T) {
	t.Parallel()
	p := cast(t)
	document := signedXML(t, p.goodXML())
	tests := []struct {
		name    string
		answer  error
		anchors []*x509.Certificate
		bears   bool
		want    verify.Outcome
		good    bool
		asked   int
	}{
		{"good", nil, []*x509.Certificate{p.pki.Root}, false, verify.Passed, true, 1},
		{"revoked", fault.New(fault.CertificateRevoked, "in May"), []*x509.Certificate{p.pki.Root}, false, verify.Failed, false, 1},
		{"nobody can tell", fault.New(fault.RevocationUnavailable, "no list"), []*x509.Certificate{p.pki.Root}, false, verify.NotChecked, false, 1},
		{"nobody can tell, which is put up with", fault.New(fault.RevocationUnavailable, "no list"), []*x509.Certificate{p.pki.Root}, true, verify.NotChecked, true, 1},
		{"no chain to ask about", nil, []*x509.Certificate{p.stranger.Root}, false, verify.NotChecked, false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			o := p.strict()
			o.Anchors, o.Tolerant = tt.anchors, tt.bears
			o.Revocation = func(chain []*x509.Certificate) error {
				asked++
				if !chain[0].Equal(p.maria) || !chain[len(chain)-1].Equal(p.pki.Root) {
					t.Errorf("asked about a chain of %d that does not lead from the signer to the anchor", len(chain))
				}
				return tt.answer
			}
			r := judgeXML(t, document, o)
			if got := r.Signatures[0].Check(verify.Revocation).Outcome; got != tt.want || asked != tt.asked || (r.Err() == nil) != tt.good {
				t.Errorf("revocation %s after asking %d times, good %t; want %s, %d, %t", got, asked, r.Err() == nil, tt.want, tt.asked, tt.good)
			}
		})
	}
}
