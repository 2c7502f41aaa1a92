package console

import (
	"slices"
	"strings"

	"bulksigner/internal/profile"
)

// What follows is what the panels of the form ask for. A template goes through it and decides nothing.

// checks are the fields that say what is done around a signature.
var checks = []string{"verify", "requirePolicy", "validateCertificate", "encrypt", "preserveFileExtension", "saveAsPem"}

// Checks are the names of those that the profile has by its method.
func (f *profileForm) Checks() (names []string) {
	for _, name := range checks {
		if f.Shows(name) {
			names = append(names, name)
		}
	}
	return names
}

// Decided are the labels of those that are saved off, because they are Lacuna Signer's.
func (f *profileForm) Decided() (labels []string) {
	for _, name := range checks {
		if decides(f.Method(), name) && !f.Shows(name) {
			labels = append(labels, f.loc.T("field."+name))
		}
	}
	return labels
}

// Coordinates are the names of the fields that say where the key is, for the chosen source.
func (f *profileForm) Coordinates() (names []string) {
	for _, s := range profileFields {
		if f.ofSource(s.name) {
			names = append(names, s.name)
		}
	}
	return names
}

// fieldGroup is a part of a panel that folds.
type fieldGroup struct {
	Label  string
	Open   bool
	Fields []profileField
}

// looks are the parts of the signature panel: what signatures in one format look like. All are there for every format, so
// that nothing which is stored is lost unseen.
var looks = []struct {
	key    string
	format profile.Format
	fields []string
}{
	{"profile.look-pades", profile.Pades, []string{"signature.subFilter", "signature.name", "signature.reason", "signature.location",
		"signature.contactInfo", "signature.field"}},
	{"profile.look-seal", profile.Pades, []string{"signature.seal", "signature.seal.page", "signature.seal.left", "signature.seal.bottom",
		"signature.seal.width", "signature.seal.height", "signature.seal.text", "signature.seal.image"}},
	{"profile.look-cades", profile.Cades, []string{"signature.detached", "signature.nested"}},
	{"profile.look-xades", profile.Xades, []string{"signature.element"}},
}

// Looks are the parts of the signature panel. Open is what belongs to the chosen format, and where something is wrong.
func (f *profileForm) Looks() (groups []fieldGroup) {
	for _, look := range looks {
		g := fieldGroup{Label: f.loc.T(look.key), Open: f.values["format"] == string(look.format)}
		if look.fields[0] == "signature.seal" {
			g.Open = f.values["signature.seal"] == on
		}
		for _, name := range look.fields {
			g.Fields = append(g.Fields, f.Field(name))
			g.Open = g.Open || len(f.problems[name]) > 0
		}
		groups = append(groups, g)
	}
	return groups
}

// MoveNotes say what a save erases because it changes the method.
func (f *profileForm) MoveNotes() (notes []string) {
	if !f.Moves() {
		return nil
	}
	from := map[profile.Method]string{
		profile.LacunaSigner: "profile.leaves-person", profile.SignerFolder: "profile.leaves-folder", profile.Local: "profile.leaves-look",
	}
	notes = append(notes, f.loc.T(from[f.Stored.Method]))
	if f.Method() == profile.LacunaSigner {
		notes = append(notes, f.loc.T("profile.leaves-key"))
	}
	return notes
}

// Wrong are the fields with something wrong in them, in their order.
func (f *profileForm) Wrong() (fields []profileField) {
	for _, s := range profileFields {
		if len(f.problems[s.name]) > 0 {
			fields = append(fields, f.Field(s.name))
		}
	}
	return fields
}

// place finds the field that a location speaks of, or the block that it is in; "" if the form has neither.
func (f *profileForm) place(location string) string {
	for name := strings.TrimPrefix(location, "body."); name != ""; {
		if field, ok := blockFields[name]; ok && f.Shows(field) {
			return field
		}
		if slices.ContainsFunc(profileFields, func(s profileFieldSpec) bool { return s.name == name }) && f.Shows(name) {
			return name
		}
		name = name[:max(0, strings.LastIndex(name, "."))]
	}
	return ""
}

// blockFields are the fields beside which stands what is said of a whole block.
var blockFields = map[string]string{"certificate": "certificate.source", "signer": "signer.name", "signature": "signature.digest"}
