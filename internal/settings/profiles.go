package settings

import (
	"strings"

	"bulksigner/internal/profile"
)

func (r reader) profiles(b *block, check func(profile.Profile) []profile.Refusal) []profile.Profile {
	blocks := b.blocks("Profiles")
	all := make([]profile.Profile, len(blocks))
	named, folders := map[string]string{}, map[string]string{}
	for i, inner := range blocks {
		all[i] = readProfile(inner)
		for _, refusal := range check(all[i]) {
			inner.refuse(refusal)
		}
		inner.unique(named, "Name", all[i].Name)
		inner.uniqueFolder(folders, all[i])
	}
	return all
}

func (b *block) refuse(refusal profile.Refusal) {
	b.fault(refusal.Key, refusal.Message, refusal.Remedy)
}

// unique refuses the second use of a value. Empty ones have a fault of their own.
func (b *block) unique(seen map[string]string, key, value string) {
	first, taken := seen[foldKey(value)]
	switch {
	case value == "" || b.isUnread(key):
	case taken:
		b.fault(key, "is the same as "+first, "choose another")
	default:
		seen[foldKey(value)] = join(b.path, key)
	}
}

// uniqueFolder refuses a second profile for a folder at Lacuna Signer.
func (b *block) uniqueFolder(seen map[string]string, p profile.Profile) {
	if p.Method != profile.SignerFolder || p.SignerFolder == nil || p.SignerFolder.ID == "" {
		return
	}
	id := p.SignerFolder.ID
	if other, taken := seen[id]; taken {
		b.refuse(profile.FolderTaken(other))
		return
	}
	seen[id] = b.path
	if profile.ValidName(p.Name) { // and so is fit for a fault
		seen[id] = p.Name
	}
}

func readProfile(b *block) profile.Profile {
	p := profile.New(b.text("Name", ""))
	p.Enabled = b.flag("Enabled", p.Enabled)
	p.Method = profile.Method(b.text("Method", string(p.Method)))
	if b.isUnread("Method") { // and no other rule of a method may follow
		p.Method = ""
	}
	p.Format = profile.Format(b.text("Format", string(p.Format)))
	p.Verify = b.flag("Verify", p.Verify)
	p.Encrypt = b.flag("Encrypt", p.Encrypt)
	p.ValidateCertificate = b.flag("ValidateCertificate", p.ValidateCertificate)
	p.RequirePolicy = b.flag("RequirePolicy", p.Method.RequiresPolicy())
	p.PreserveFileExtension = b.flag("PreserveFileExtension", p.PreserveFileExtension)
	p.SaveAsPem = b.flag("SaveAsPem", p.SaveAsPem)
	if c := b.block("Certificate"); c.node != nil {
		p.Certificate = certificate(c)
	}
	if k := b.block("Signer"); k.node != nil {
		p.Signer = &profile.Participant{Name: k.text("Name", ""), Email: k.text("Email", ""), Identifier: k.text("Identifier", "")}
		k.end()
	}
	if k := b.block("SignerFolder"); k.node != nil {
		p.SignerFolder = &profile.Binding{ID: k.text("Id", ""), Name: k.text("Name", "")}
		k.end()
	}
	p.Signature = signature(b.block("Signature"), p.Signature)
	b.end()
	return p.Canonical()
}

func certificate(b *block) *profile.Certificate {
	c := &profile.Certificate{Source: profile.Source(b.text("Source", string(profile.Pfx)))}
	if k := b.block("Kms"); k.node != nil {
		c.Kms = &profile.KmsKey{KeyID: k.text("KeyId", ""), Certificate: strings.TrimSpace(k.text("Certificate", ""))}
		k.end()
	}
	if k := b.block("Pfx"); k.node != nil {
		c.Pfx = &profile.PfxKey{Location: k.text("Location", ""), Password: k.text("Password", "")}
		k.end()
	}
	if k := b.block("CloudHsm"); k.node != nil {
		c.CloudHsm = hsmKey(k)
	}
	b.end()
	return c
}

func hsmKey(b *block) *profile.HsmKey {
	k := &profile.HsmKey{
		ModulePath: b.text("ModulePath", ""),
		Slot:       int(b.number("Slot", unbounded(0))),
		Thumbprint: b.text("Thumbprint", ""),
		Pin:        b.text("Pin", ""),
		Sessions:   int(b.number("Sessions", unbounded(0))),
	}
	b.end()
	return k
}

func signature(b *block, s profile.Signature) profile.Signature {
	s.Digest = profile.Digest(b.text("Digest", string(s.Digest)))
	s.SubFilter = b.text("SubFilter", s.SubFilter)
	s.Field = b.text("Field", s.Field)
	s.Name = b.text("Name", s.Name)
	s.Reason = b.text("Reason", s.Reason)
	s.Location = b.text("Location", s.Location)
	s.ContactInfo = b.text("ContactInfo", s.ContactInfo)
	if k := b.block("Seal"); k.node != nil {
		s.Seal = seal(k)
	}
	s.Detached = b.flag("Detached", s.Detached)
	s.Nested = b.flag("Nested", s.Nested)
	s.Element = b.text("Element", s.Element)
	b.end()
	return s
}

func seal(b *block) *profile.Seal {
	s := &profile.Seal{
		Page:   int(b.number("Page", unbounded(1))),
		Left:   b.decimal("Left"),
		Bottom: b.decimal("Bottom"),
		Width:  b.decimal("Width"),
		Height: b.decimal("Height"),
		Text:   b.text("Text", ""),
		Image:  b.text("Image", ""),
	}
	b.end()
	return s
}
