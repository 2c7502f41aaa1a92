package cms

import (
	"time"

	"bulksigner/internal/fault"
)

// CheckTime refuses to sign at a time at which certificate or policy do not allow it. It returns
// fault.CertificateNotYetValid, fault.CertificateExpired or fault.PolicyNotInForce. Without a certificate there is
// nothing to check: New refuses that.
func (p Params) CheckTime(at time.Time) error {
	c := p.Certificate
	switch {
	case c == nil:
		return nil
	case at.Before(c.NotBefore):
		return fault.New(fault.CertificateNotYetValid, "the certificate is valid from %s", c.NotBefore.UTC().Format(time.RFC3339))
	case at.After(c.NotAfter):
		return fault.New(fault.CertificateExpired, "the certificate was valid until %s", c.NotAfter.UTC().Format(time.RFC3339))
	case !p.Policy.InForce(at):
		return fault.New(fault.PolicyNotInForce, "%s does not allow signing on %s", p.Policy.Name, at.Format(time.DateOnly))
	}
	return nil
}
