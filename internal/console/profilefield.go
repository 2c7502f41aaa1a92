package console

import (
	"slices"
	"strings"

	"bulksigner/internal/profile"
)

// Kinds of fields.
const (
	textField   = "text"
	emailField  = "email"
	areaField   = "area"
	wholeField  = "whole"
	lengthField = "length"
	checkField  = "check"
	choiceField = "choice" // one of a list that folds out
	radioField  = "radio"  // one of a list that decides which other fields there are
	folderField = "folder"
)

// keepCertificate is the source of a certificate that stays as it is stored.
const keepCertificate = "keep"

// What a checkbox holds.
const (
	on  = "on"
	off = "off"
)

// profileFieldSpec is a field of the form. It has the name that the API has for it, so that a refusal finds its field.
type profileFieldSpec struct {
	name, kind, initial string
	options             []string
}

// profileFields are all fields, in the order of the form. What is shown of them depends on the method.
var profileFields = []profileFieldSpec{
	{"name", textField, "", nil},
	{"enabled", checkField, on, nil},
	{"format", choiceField, "", []string{"", string(profile.Pades), string(profile.Cades), string(profile.Xades)}},
	{"verify", checkField, on, nil},
	{"requirePolicy", checkField, on, nil},
	{"validateCertificate", checkField, on, nil},
	{"encrypt", checkField, off, nil},
	{"preserveFileExtension", checkField, off, nil},
	{"saveAsPem", checkField, off, nil},

	{"method", radioField, string(profile.Local), []string{string(profile.Local), string(profile.LacunaSigner), string(profile.SignerFolder)}},
	{"signerFolder", folderField, "", nil},
	{"signer.name", textField, "", nil},
	{"signer.email", emailField, "", nil},
	{"signer.identifier", textField, "", nil},
	{"certificate.source", radioField, string(profile.Kms), []string{keepCertificate, string(profile.Kms), string(profile.Pfx), string(profile.CloudHsm)}},
	{"certificate.kms.keyId", textField, "", nil},
	{"certificate.kms.certificate", areaField, "", nil},
	{"certificate.pfx.location", textField, "", nil},
	{"certificate.pfx.password", textField, "", nil},
	{"certificate.cloudHsm.modulePath", textField, "", nil},
	{"certificate.cloudHsm.slot", wholeField, "", nil},
	{"certificate.cloudHsm.thumbprint", textField, "", nil},
	{"certificate.cloudHsm.pin", textField, "", nil},
	{"certificate.cloudHsm.sessions", wholeField, "", nil},

	{"signature.digest", choiceField, string(profile.SHA256), []string{string(profile.SHA256), string(profile.SHA512)}},
	{"signature.subFilter", choiceField, profile.SubFilterETSI, []string{profile.SubFilterETSI, profile.SubFilterPBAD}},
	{"signature.name", textField, "", nil},
	{"signature.reason", textField, "", nil},
	{"signature.location", textField, "", nil},
	{"signature.contactInfo", textField, "", nil},
	{"signature.field", textField, "", nil},
	{"signature.seal", checkField, off, nil},
	{"signature.seal.page", wholeField, "1", nil},
	{"signature.seal.left", lengthField, "", nil},
	{"signature.seal.bottom", lengthField, "", nil},
	{"signature.seal.width", lengthField, "", nil},
	{"signature.seal.height", lengthField, "", nil},
	{"signature.seal.text", areaField, "", nil},
	{"signature.seal.image", textField, "", nil},
	{"signature.detached", checkField, off, nil},
	{"signature.nested", checkField, off, nil},
	{"signature.element", textField, "", nil},
}

// profileField is a field with what a page shows of it.
type profileField struct {
	Name, Kind, Value string
	Label, Hint       string // a hint may be empty
	Options           []profileOption
	Problems          []problemError
	Action            string // where the form goes
	Remedial          bool   // it must be turned off before the method can be chosen
}

// profileOption is one of the values that a field may have.
type profileOption struct {
	Value, Label, Hint string
	Chosen             bool
}

// ID is the field's in the page.
func (f profileField) ID() string { return "f-" + strings.ReplaceAll(f.Name, ".", "-") }

// On reports whether a checkbox is ticked.
func (f profileField) On() bool { return f.Value == on }

// DescribedBy are the ids of what explains the field, or "".
func (f profileField) DescribedBy() string {
	var ids []string
	if f.Hint != "" {
		ids = append(ids, f.ID()+"-hint")
	}
	if len(f.Problems) > 0 {
		ids = append(ids, f.ID()+"-problem")
	}
	return strings.Join(ids, " ")
}

// Field returns a field with what stands in it.
func (f *profileForm) Field(name string) profileField {
	i := slices.IndexFunc(profileFields, func(s profileFieldSpec) bool { return s.name == name })
	spec := profileFields[i] // a name that is none is a mistake in a template, which every test would find
	field := profileField{
		Name: name, Kind: spec.kind, Value: f.values[name], Problems: f.problems[name], Action: f.Action(),
		Label: f.loc.T("field." + name), Hint: f.loc.texts["hint."+name], Remedial: f.mustTurnOff(name),
	}
	for _, value := range f.optionsOf(spec) {
		field.Options = append(field.Options, profileOption{
			Value: value, Chosen: value == field.Value, Label: f.optionLabel(name, value), Hint: f.loc.texts["hint."+name+"."+value],
		})
	}
	return field
}

// optionsOf are the values that a field may have here: only a certificate that is stored can be kept.
func (f *profileForm) optionsOf(spec profileFieldSpec) []string {
	if spec.name == "certificate.source" && !f.keepsCertificate() {
		return spec.options[1:]
	}
	return spec.options
}

// optionLabel says what a value means. Words of the API stand for themselves.
func (f *profileForm) optionLabel(name, value string) string {
	if name == "format" && value == "" {
		return f.loc.T("option.format." + f.openFormat())
	}
	if label, ok := f.loc.texts["option."+name+"."+value]; ok {
		return label
	}
	return value
}

// openFormat is what it means that no format is chosen.
func (f *profileForm) openFormat() string {
	switch {
	case f.Method() == profile.SignerFolder:
		return "signer"
	case f.Name() == profile.Default:
		return "auto"
	}
	return "choose"
}
