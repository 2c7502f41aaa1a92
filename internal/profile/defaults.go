package profile

import "strings"

// New returns a profile with everything that need not be said: enabled, Local, verified, its certificate validated, AD-RB
// demanded, SHA-256, ETSI.CAdES.detached. For another method, RequirePolicy has another default.
func New(name string) Profile {
	return Profile{
		Name:                name,
		Enabled:             true,
		Method:              Local,
		Verify:              true,
		ValidateCertificate: true,
		RequirePolicy:       true,
		Signature:           plain,
	}
}

// plain is a signature of which nothing was said.
var plain = Signature{Digest: SHA256, SubFilter: SubFilterETSI}

// RequiresPolicy is the default of RequirePolicy. Lacuna Signer follows AD-RB where its organization wants it, so that
// demanding it there is for a profile to say. m may be spelt in any case.
func (m Method) RequiresPolicy() bool { return !fold(m, LacunaSigner, SignerFolder).remote() }

// Derived is the default profile of a service without configured profiles: Local, its format by extension, signing with
// the global certificate, which is not validated: such a service may have no trust anchors.
func Derived(c *Certificate) Profile {
	p := New(Default)
	p.ValidateCertificate = false
	p.Certificate = c
	return p
}

// Canonical returns p with its enumerated values spelt as they are written here: their case does not matter to those who
// write them. A value that is not known stays as it is, for Check to refuse. A participant and a folder are spelt as
// Lacuna Signer has them; a participant beside Local is ignored, and so is not kept.
func (p Profile) Canonical() Profile {
	p.Method = fold(p.Method, Local, LacunaSigner, SignerFolder)
	p.Format = fold(p.Format, Pades, Cades, Xades, xmlNFe)
	p.Signature.Digest = fold(p.Signature.Digest, SHA256, SHA512)
	p.Signature.SubFilter = fold(p.Signature.SubFilter, SubFilterETSI, SubFilterPBAD)
	if p.Certificate != nil {
		c := *p.Certificate
		c.Source = fold(c.Source, sources...)
		p.Certificate = &c
	}
	if p.Method == Local {
		p.Signer = nil
	}
	p.Signer, p.SignerFolder = p.Signer.canonical(), p.SignerFolder.canonical()
	return p
}

// fold returns the known value that v spells in any case, or v.
func fold[T ~string](v T, known ...T) T {
	for _, k := range known {
		if strings.EqualFold(string(v), string(k)) {
			return k
		}
	}
	return v
}
