package xades

import (
	"bulksigner/internal/fault"
	"bulksigner/internal/icpbrasil"
	"bulksigner/internal/sign/cms"
)

// check refuses options that would make a signature nobody accepts. What cms.New refuses is left to it.
func (o *Options) check() error {
	if o.Policy.Form != icpbrasil.XAdES {
		return fault.New(fault.PolicyNotInForce, "there is no XAdES policy to sign under")
	}
	if o.Time.IsZero() {
		return nil
	}
	return cms.Params{Certificate: o.Certificate, Policy: o.Policy}.CheckTime(o.Time)
}

// whole reports whether the signature is for the document and not for one element of it.
func (o *Options) whole() bool { return o.Element == "" && o.ID == "" }
