package console

import (
	"math"
	"net/http"
	"strconv"
	"strings"

	"bulksigner/internal/profile"
)

// What the buttons of the form ask for. Enter in a field searches if a folder is being looked for, and saves otherwise.
const (
	doSave   = "save"
	doEnter  = "enter"
	doSearch = "search"
)

// saveProfile saves the form, or shows it again: with other fields, with folders that were looked for, or with what is
// wrong in it.
func (v *visit) saveProfile() error {
	if err := v.readForm(); err != nil {
		return err
	}
	f, err := v.profileForm()
	if err != nil {
		return err
	}
	f.take(v.r.PostForm)
	if f.Stored != nil {
		f.Version = v.r.PostForm.Get("version")
	}
	switch f.asks(v.r.PostForm.Get("do"), v.r.PostForm.Get("searched")) {
	case doSave:
		return v.trySave(f)
	case doSearch:
		if err := v.searchIn(f); err != nil {
			return err
		}
	}
	return v.showForm(http.StatusOK, f)
}

// asks says what a button means; anything else shows the form again.
func (f *profileForm) asks(button, searched string) string {
	if button != doEnter {
		return button
	}
	if f.Method() == profile.SignerFolder && f.Picker.Query != searched {
		return doSearch
	}
	return doSave
}

// searchIn looks for the folders that the form asks for.
func (v *visit) searchIn(f *profileForm) error {
	f.Picker.Chosen = chosenFolder(f.values["signerFolder"])
	return v.findFolders(&f.Picker)
}

// trySave saves the form unless something has to be asked first. What is refused keeps what was typed.
func (v *visit) trySave(f *profileForm) error {
	f.checkNumbers()
	f.Questions = f.questions()
	if f.Unreadable || !f.Answered() {
		return v.showForm(http.StatusUnprocessableEntity, f)
	}
	err := v.sendProfile(f)
	if refused, ok := refusalOf(err); ok {
		f.refuse(refused)
		return v.showForm(refused.Status, f)
	}
	if err != nil {
		return err
	}
	if f.New() {
		return v.done(profileRead{Name: strings.TrimSpace(f.values["name"])}.Page(), "profile.created")
	}
	return v.done(f.Stored.Page(), "profile.saved")
}

// sendProfile makes the profile, or replaces the version that the form was opened with.
func (v *visit) sendProfile(f *profileForm) error {
	if f.New() {
		return v.api.send(http.MethodPost, "/api/profiles", f.body(), nil)
	}
	_, err := v.api.exchange(http.MethodPut, v.profilePath(), map[string]string{"If-Match": f.Version}, f.body(), nil)
	return err
}

// questions are what has to be confirmed: changes after which less is signed, or less is checked.
func (f *profileForm) questions() (asked []string) {
	before := profileRead{Enabled: true, Verify: true}
	if f.Stored != nil {
		before = *f.Stored
	}
	if f.Stored != nil && before.Enabled && f.values["enabled"] == off && f.Name() != profile.Default {
		asked = append(asked, "disable")
	}
	if before.Verify && f.values["verify"] == off && f.Method() != profile.SignerFolder {
		asked = append(asked, "verify")
	}
	if f.Name() == profile.Default && before.Format == "" && f.values["format"] != "" {
		asked = append(asked, "format")
	}
	return asked
}

// Answered reports whether every question was answered by yes.
func (f *profileForm) Answered() bool {
	for _, q := range f.Questions {
		if !f.confirmed[q] {
			return false
		}
	}
	return true
}

// Question is what a question says.
func (f *profileForm) Question(q string) string { return f.loc.T("question." + q) }

// Confirmed reports whether the visitor said yes to a question.
func (f *profileForm) Confirmed(q string) bool { return f.confirmed[q] }

// checkNumbers finds what cannot be sent, because the API knows numbers alone there.
func (f *profileForm) checkNumbers() {
	for _, s := range profileFields {
		if !f.sends(s) {
			continue
		}
		if _, ok := s.valueOf(f.values[s.name]); !ok {
			f.problems[s.name] = []problemError{{Message: f.loc.T("profile.no-number"), Remedy: f.loc.T("profile.number-remedy")}}
			f.Unreadable = true
		}
	}
}

// sends reports whether a field is part of what is saved.
func (f *profileForm) sends(s profileFieldSpec) bool {
	empty := strings.TrimSpace(f.values[s.name]) == ""
	switch {
	case !f.Shows(s.name), s.name == "signature.seal":
		return false
	case strings.HasPrefix(s.name, "signature.seal.") && f.values["signature.seal"] != on:
		return false
	case strings.HasPrefix(s.name, "signer."):
		return !f.KeepsParticipant() || f.namesParticipant()
	case s.name == "certificate.source":
		return f.values[s.name] != keepCertificate
	case s.kind == wholeField, s.kind == lengthField, s.kind == folderField, s.name == "format":
		return !empty
	}
	return true
}

// namesParticipant reports whether anything was typed of another participant.
func (f *profileForm) namesParticipant() bool {
	return strings.TrimSpace(f.values["signer.name"]+f.values["signer.email"]+f.values["signer.identifier"]) != ""
}

// valueOf is what a text means in JSON; false for a number that is none.
func (s profileFieldSpec) valueOf(text string) (any, bool) {
	switch s.kind {
	case checkField:
		return text == on, true
	case wholeField:
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
		if err != nil {
			return nil, false
		}
		return n, true
	case lengthField:
		x, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(text), ",", ".", 1), 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, false
		}
		return x, true
	case folderField:
		folder := chosenFolder(text)
		return map[string]any{"id": folder.ID, "name": folder.Name}, true
	case areaField:
		return strings.ReplaceAll(text, "\r\n", "\n"), true // as a form sends every end of a line
	}
	return strings.TrimSpace(text), true
}

// body is the profile as it is sent: what the form shows, and the checks that are Lacuna Signer's off.
func (f *profileForm) body() map[string]any {
	body := map[string]any{}
	for _, s := range profileFields {
		if decides(f.Method(), s.name) && !f.Shows(s.name) {
			body[s.name] = false
		}
		if !f.sends(s) {
			continue
		}
		if value, ok := s.valueOf(f.values[s.name]); ok {
			put(body, s.name, value)
		}
	}
	return body
}

// put sets a field in the block that its name says.
func put(body map[string]any, name string, value any) {
	block, rest, nested := strings.Cut(name, ".")
	if !nested {
		body[name] = value
		return
	}
	inner, ok := body[block].(map[string]any)
	if !ok {
		inner = map[string]any{}
		body[block] = inner
	}
	put(inner, rest, value)
}

// refuse puts what a save was refused for beside the fields that it speaks of.
func (f *profileForm) refuse(p *problem) {
	f.Problem = p
	for _, e := range p.Errors {
		if name := f.place(e.Location); name != "" {
			f.problems[name] = append(f.problems[name], e)
		} else {
			f.Elsewhere = append(f.Elsewhere, e)
		}
	}
}
