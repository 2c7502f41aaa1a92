package xades

import (
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
)

// check refuses options that would make a signature nobody accepts. What cms.New refuses is left to it.
func (o *Options) check() error {
	if o.Policy.Form != icpbrasil.XAdES {
		return fault.New(fault.PolicyNotInForce, "there is no XAdES policy to sign under")
	}
	if o.Time.IsZero() || o.Certificate == nil {
		return nil
	}
	c := o.Certificate
	switch {
	case o.Time.Before(c.NotBefore):
		return fault.New(fault.CertificateNotYetValid, "the certificate is valid from %s", c.NotBefore.UTC().Format(time.RFC3339))
	case o.Time.After(c.NotAfter):
		return fault.New(fault.CertificateExpired, "the certificate was valid until %s", c.NotAfter.UTC().Format(time.RFC3339))
	case !o.Policy.InForce(o.Time):
		return fault.New(fault.PolicyNotInForce, "%s does not allow signing on %s", o.Policy.Name, o.Time.Format(time.DateOnly))
	}
	return nil
}

// whole reports whether the signature is for the document and not for one element of it.
func (o *Options) whole() bool { return o.Element == "" && o.ID == "" }
