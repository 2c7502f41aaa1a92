package console

import (
	"net/http"
	"strconv"
	"strings"

	"bulksigner/internal/profile"
)

// profileForm is the form of a profile: what its fields hold, what is stored, and what was wrong with a save.
type profileForm struct {
	loc      *locale
	values   map[string]string // by the names of the fields
	problems map[string][]problemError

	Stored     *profileRead // nil: it is a new one
	Version    string       // of what was read, which a save must still find
	Problem    *problem     // why it was not saved
	Elsewhere  []problemError
	Unreadable bool     // a number is none
	Questions  []string // to be answered before a save
	confirmed  map[string]bool
	Picker     folderPicker
	Inputs     []string // the watched folders that the settings give it
}

// newProfile is an empty form. The address may say the method.
func (v *visit) newProfile() error { return v.openForm() }

func (v *visit) profile() error { return v.openForm() }

func (v *visit) openForm() error {
	f, err := v.profileForm()
	if err != nil {
		return err
	}
	if method := v.r.URL.Query().Get("method"); method != "" {
		f.take(map[string][]string{"method": {method}, "shown": {string(f.Method())}})
	}
	return v.showForm(http.StatusOK, f)
}

// profileForm makes the form of the profile that the path names, or of a new one, with what is stored.
func (v *visit) profileForm() (*profileForm, error) {
	f := &profileForm{loc: v.loc, values: map[string]string{}, problems: map[string][]problemError{}, confirmed: map[string]bool{}}
	for _, s := range profileFields {
		f.values[s.name] = s.initial
	}
	if v.r.PathValue("name") == "" {
		return f, nil
	}
	stored, fields, version, err := v.readProfile()
	if err != nil {
		return nil, err
	}
	f.Stored, f.Version = stored, version
	f.fill("", fields)
	if b := stored.SignerFolder; b != nil {
		f.values["signerFolder"] = b.Choice()
	}
	if f.keepsCertificate() {
		f.values["certificate.source"] = keepCertificate
	}
	return f, nil
}

// fill puts what the API tells into the fields of the same names.
func (f *profileForm) fill(prefix string, told map[string]any) {
	for name, value := range told {
		name = prefix + name
		switch value := value.(type) {
		case map[string]any:
			f.set(name, on) // a block that is there
			f.fill(name+".", value)
		case bool:
			f.set(name, onOff(value))
		case string:
			f.set(name, value)
		case float64:
			f.set(name, strconv.FormatFloat(value, 'f', -1, 64))
		}
	}
}

func (f *profileForm) set(name, value string) {
	if _, isField := f.values[name]; isField {
		f.values[name] = value
	}
}

func onOff(b bool) string {
	if b {
		return on
	}
	return off
}

// take puts what was sent into the fields. Of a checkbox the last value counts: before it stands one that says off. What a
// form did not have stays as it is stored.
func (f *profileForm) take(sent map[string][]string) {
	for name := range f.values {
		if all := sent[name]; len(all) > 0 {
			f.values[name] = all[len(all)-1]
		}
	}
	for name := range sent {
		if question, ok := strings.CutPrefix(name, "confirm."); ok {
			f.confirmed[question] = true
		}
	}
	if q := sent["q"]; len(q) > 0 {
		f.Picker.Query = q[0]
	}
	if shown := sent["shown"]; len(shown) > 0 && shown[0] != string(f.Method()) {
		f.values["requirePolicy"] = onOff(f.usualPolicy())
	}
	if f.values["certificate.source"] == keepCertificate && !f.keepsCertificate() {
		f.values["certificate.source"] = string(profile.Kms)
	}
}

// usualPolicy is whether AD-RB is demanded by a method that was just chosen: as it is stored for it, or as is usual.
func (f *profileForm) usualPolicy() bool {
	if f.Stored != nil && f.Stored.Method == f.Method() {
		return f.Stored.RequirePolicy
	}
	return f.Method().RequiresPolicy()
}

// New reports whether there is no such profile yet.
func (f *profileForm) New() bool { return f.Stored == nil }

// Name is the profile's, as far as it is known.
func (f *profileForm) Name() string {
	if f.Stored != nil {
		return f.Stored.Name
	}
	return f.values["name"]
}

// Action is where the form goes.
func (f *profileForm) Action() string {
	if f.Stored != nil {
		return f.Stored.Page()
	}
	return "/profiles/_new"
}

// Method is the one that is chosen, which decides what is shown.
func (f *profileForm) Method() profile.Method { return profile.Method(f.values["method"]) }

// Moves reports whether another method is chosen than the stored one.
func (f *profileForm) Moves() bool { return f.Stored != nil && f.Stored.Method != f.Method() }

// HasCertificate reports whether the profile signs with a certificate now, which a part of the page tells of.
func (f *profileForm) HasCertificate() bool {
	return f.keepsCertificate() && f.Method() != profile.LacunaSigner
}

// keepsCertificate reports whether there is a certificate that a save may leave as it is.
func (f *profileForm) keepsCertificate() bool {
	return f.Stored != nil && f.Stored.CertificateSource != ""
}

// KeepsParticipant reports whether there is a participant that a save may leave as it is.
func (f *profileForm) KeepsParticipant() bool {
	return f.Stored != nil && f.Stored.Method == profile.LacunaSigner
}

// decides reports whether a check is Lacuna Signer's by the method, so that the profile must have it off.
func decides(m profile.Method, check string) bool {
	switch check {
	case "validateCertificate":
		return m == profile.SignerFolder || m == profile.LacunaSigner
	case "verify", "encrypt":
		return m == profile.SignerFolder
	}
	return false
}

// mustTurnOff reports whether a check is on that the chosen method does not allow. A profile is moved onto it only after
// somebody turned the check off: a save does not do it by the way.
func (f *profileForm) mustTurnOff(check string) bool {
	if !f.Moves() || !decides(f.Method(), check) {
		return false
	}
	return check == "verify" && f.Stored.Verify || check == "encrypt" && f.Stored.Encrypt ||
		check == "validateCertificate" && f.Stored.ValidateCertificate
}

// Shows reports whether the form has a field, now that this method is chosen.
func (f *profileForm) Shows(name string) bool {
	m := f.Method()
	block, _, inBlock := strings.Cut(name, ".")
	switch {
	case name == "name":
		return f.New()
	case name == "signerFolder":
		return m == profile.SignerFolder
	case name == "requirePolicy" || name == "preserveFileExtension" || name == "saveAsPem":
		return m != profile.SignerFolder
	case decides(m, name):
		return f.mustTurnOff(name)
	case block == "signer":
		return m == profile.LacunaSigner
	case block == "signature":
		return m == profile.Local
	case block == "certificate" && inBlock:
		return m != profile.LacunaSigner && (name == "certificate.source" || f.ofSource(name))
	}
	return true
}

// ofSource reports whether a field of a certificate is one of the chosen source.
func (f *profileForm) ofSource(name string) bool {
	source := f.values["certificate.source"]
	return source != "" && strings.HasPrefix(name, "certificate."+strings.ToLower(source[:1])+source[1:]+".")
}

// Carried are the fields that are not shown now but hold something, so that choosing another method and back loses nothing.
func (f *profileForm) Carried() (carried []profileField) {
	for _, s := range profileFields {
		if !f.Shows(s.name) && s.name != "name" && f.values[s.name] != "" {
			carried = append(carried, profileField{Name: s.name, Value: f.values[s.name]})
		}
	}
	return carried
}

// showForm shows the form with what else stands around it.
func (v *visit) showForm(status int, f *profileForm) error {
	if f.Method() == profile.SignerFolder {
		f.Picker.Chosen = chosenFolder(f.values["signerFolder"])
	}
	if !f.New() {
		inputs, err := v.inputsByProfile()
		if err != nil {
			return err
		}
		f.Inputs = inputs[f.Stored.Name]
	}
	if f.Problem != nil {
		v.mind(f.Problem)
	}
	return v.render(status, "profile", f)
}
