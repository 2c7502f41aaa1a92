package console_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// typed is a form with these fields, in pairs, and the button Save.
func typed(pairs ...string) url.Values {
	form := url.Values{"do": {"save"}, "version": {`"3"`}}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return form
}

const plainLook = `"signature":{"digest":"SHA-256","subFilter":"ETSI.CAdES.detached","field":"","name":"","reason":"","location":"","contactInfo":"","detached":false,"nested":false,"element":""}`

func TestWhatASaveSends(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path string
		form       url.Values
		call, want string
	}{
		{"a new one with a key in KMS", "/profiles/_new", typed("name", " invoices ", "format", "Xades", "certificate.kms.keyId", " alias/a ",
			"certificate.kms.certificate", "-----BEGIN\r\nx"), "POST /api/profiles",
			`{"name":"invoices","enabled":true,"format":"Xades","method":"Local","verify":true,"encrypt":false,"validateCertificate":true,"requirePolicy":true,
			"preserveFileExtension":false,"saveAsPem":false,"certificate":{"source":"Kms","kms":{"keyId":"alias/a","certificate":"-----BEGIN\nx"}},` + plainLook + `}`},
		{"a token", "/profiles/_new", typed("name", "n", "certificate.source", "CloudHsm", "certificate.cloudHsm.slot", " 2 ", "certificate.kms.keyId", "not sent"), "POST /api/profiles",
			`{"name":"n","enabled":true,"method":"Local","verify":true,"encrypt":false,"validateCertificate":true,"requirePolicy":true,"preserveFileExtension":false,"saveAsPem":false,
			"certificate":{"source":"CloudHsm","cloudHsm":{"modulePath":"","slot":2,"thumbprint":"","pin":""}},` + plainLook + `}`},
		{"a new one for a person", "/profiles/_new", typed("name", "n", "method", "LacunaSigner", "shown", "LacunaSigner", "requirePolicy", "off", "signer.email", "a@b"), "POST /api/profiles",
			`{"name":"n","enabled":true,"method":"LacunaSigner","verify":true,"encrypt":false,"validateCertificate":false,"requirePolicy":false,"preserveFileExtension":false,"saveAsPem":false,
			"signer":{"name":"","email":"a@b","identifier":""}}`},
		{"a new one for a folder", "/profiles/_new", typed("name", "n", "method", "SignerFolder", "encrypt", "on", "signerFolder", boundFolder+" Folha de ponto", "certificate.source", "Pfx"), "POST /api/profiles",
			`{"name":"n","enabled":true,"method":"SignerFolder","verify":false,"encrypt":false,"validateCertificate":false,
			"signerFolder":{"id":"` + boundFolder + `","name":"Folha de ponto"},"certificate":{"source":"Pfx","pfx":{"location":"","password":""}}}`},
		{"a stored one as it is", "/profiles/contracts", typed(), "PUT /api/profiles/contracts",
			`{"enabled":true,"format":"Pades","method":"Local","verify":true,"encrypt":false,"validateCertificate":true,"requirePolicy":true,"preserveFileExtension":false,"saveAsPem":false,
			"signature":{"digest":"SHA-512","subFilter":"PBAD.PAdES","field":"","name":"","reason":"Approved","location":"","contactInfo":"","detached":false,"nested":false,"element":"",
			"seal":{"page":-1,"left":36.5,"bottom":36,"width":200,"height":60,"text":"{name}","image":""}}}`},
		{"boxes ticked and not, a seal taken away", "/profiles/contracts", typed("encrypt", "off", "encrypt", "on", "requirePolicy", "off", "signature.seal", "off"), "PUT /api/profiles/contracts",
			`{"enabled":true,"format":"Pades","method":"Local","verify":true,"encrypt":true,"validateCertificate":true,"requirePolicy":false,"preserveFileExtension":false,"saveAsPem":false,
			"signature":{"digest":"SHA-512","subFilter":"PBAD.PAdES","field":"","name":"","reason":"Approved","location":"","contactInfo":"","detached":false,"nested":false,"element":""}}`},
		{"a participant that is kept", "/profiles/people", typed("signer.name", " ", "encrypt", "on"), "PUT /api/profiles/people",
			`{"enabled":true,"format":"Cades","method":"LacunaSigner","verify":true,"encrypt":true,"validateCertificate":false,"requirePolicy":false,"preserveFileExtension":false,"saveAsPem":false}`},
		{"onto a folder with checks that are on", "/profiles/contracts", typed("method", "SignerFolder", "shown", "Local", "signerFolder", "x y z"), "PUT /api/profiles/contracts",
			`{"enabled":true,"format":"Pades","method":"SignerFolder","verify":true,"encrypt":false,"validateCertificate":true,"signerFolder":{"id":"x","name":"y z"}}`},
		{"onto a person, with checks turned off", "/profiles/contracts", typed("method", "LacunaSigner", "shown", "Local", "requirePolicy", "on", "validateCertificate", "off"), "PUT /api/profiles/contracts",
			`{"enabled":true,"format":"Pades","method":"LacunaSigner","verify":true,"encrypt":false,"validateCertificate":false,"requirePolicy":false,"preserveFileExtension":false,"saveAsPem":false,
			"signer":{"name":"","email":"","identifier":""}}`},
		{"off a person, with nothing to keep", "/profiles/people", typed("method", "Local", "certificate.source", "keep"), "PUT /api/profiles/people",
			`{"enabled":true,"format":"Cades","method":"Local","verify":true,"encrypt":false,"validateCertificate":false,"requirePolicy":false,"preserveFileExtension":false,"saveAsPem":false,
			"certificate":{"source":"Kms","kms":{"keyId":"","certificate":""}},` + plainLook + `}`},
		{"a decimal comma", "/profiles/contracts", typed("signature.seal.left", "1,5", "signature.seal.width", ""), "PUT /api/profiles/contracts",
			`{"enabled":true,"format":"Pades","method":"Local","verify":true,"encrypt":false,"validateCertificate":true,"requirePolicy":true,"preserveFileExtension":false,"saveAsPem":false,
			"signature":{"digest":"SHA-512","subFilter":"PBAD.PAdES","field":"","name":"","reason":"Approved","location":"","contactInfo":"","detached":false,"nested":false,"element":"",
			"seal":{"page":-1,"left":1.5,"bottom":36,"height":60,"text":"{name}","image":""}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := profiled(t)
			s.api.on(tt.call, 200, map[string]any{})
			w := s.post(tt.path, tt.form)
			if w.Code != http.StatusSeeOther {
				t.Fatalf("answers %d: %s", w.Code, w.Body)
			}
			got, header := s.sentBody(tt.call)
			wantBody(t, got, tt.want)
			if put := strings.HasPrefix(tt.call, "PUT"); put && header.Get("If-Match") != `"3"` {
				t.Errorf("If-Match %s", header.Get("If-Match"))
			}
		})
	}
}

func TestASaveLeadsToTheProfile(t *testing.T) {
	t.Parallel()
	s := profiled(t)
	s.api.on("PUT /api/profiles/people", 200, map[string]any{})
	if to := s.post("/profiles/people", typed()).Header().Get("Location"); to != "/profiles/people" {
		t.Errorf("leads to %s", to)
	}
	s.shows(s.get("/profiles/people"), 200, "Saved. It takes effect with the next job")
	s.api.on("POST /api/profiles", 201, map[string]any{})
	if to := s.post("/profiles/_new", typed("name", "people")).Header().Get("Location"); to != "/profiles/people" {
		t.Errorf("leads to %s", to)
	}
	s.shows(s.get("/profiles/people"), 200, "The profile is created")
}

func TestAChangeThatWeakensIsAskedFirst(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path string
		form       url.Values
		asks       []string
	}{
		{"disabling", "/profiles/people", typed("enabled", "off"), []string{"disable"}},
		{"verify off", "/profiles/people", typed("verify", "off"), []string{"verify"}},
		{"verify off from the beginning", "/profiles/_new", typed("name", "n", "verify", "off"), []string{"verify"}},
		{"both", "/profiles/people", typed("enabled", "off", "verify", "off"), []string{"disable", "verify"}},
		{"a format on default", "/profiles/default", typed("format", "Pades"), []string{"format"}},
		{"a format elsewhere", "/profiles/people", typed("format", "Xades"), nil},
		{"what is off already", "/profiles/default", typed("verify", "off"), nil},
		{"a check that is Lacuna Signer's", "/profiles/contracts", typed("method", "SignerFolder", "verify", "off"), nil},
		{"default cannot be disabled at all", "/profiles/default", typed("enabled", "off"), nil},
		{"disabled from the beginning", "/profiles/_new", typed("name", "n", "enabled", "off"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := profiled(t)
			s.api.on("POST /api/profiles", 201, map[string]any{})
			s.api.on("PUT "+strings.Replace(tt.path, "/profiles", "/api/profiles", 1), 200, map[string]any{})
			saves := func() int { return len(s.api.calls("PUT")) + len(s.api.calls("POST")) }
			w := s.post(tt.path, tt.form)
			var asked []string
			for _, m := range regexp.MustCompile(`name="confirm\.([a-z]+)"`).FindAllStringSubmatch(w.Body.String(), -1) {
				asked = append(asked, m[1])
			}
			if !slices.Equal(asked, tt.asks) || (saves() == 0) != (len(tt.asks) > 0) {
				t.Fatalf("asks %v after %d saves, want %v", asked, saves(), tt.asks)
			}
			if tt.asks == nil {
				return
			}
			s.shows(w, 422, "Nothing was saved", `href="#confirm-`+tt.asks[0]+`"`)
			for i, q := range tt.asks {
				tt.form.Set("confirm."+q, "on")
				if w := s.post(tt.path, tt.form); (w.Code == 303) != (i == len(tt.asks)-1) {
					t.Errorf("after the answer to %s: %d", q, w.Code)
				}
			}
		})
	}
}

// refusing makes every save of a profile be refused by a problem with these errors, in pairs of location and message.
func (s *scene) refusing(status int, code string, pairs ...string) {
	var errors []map[string]any
	for i := 0; i+1 < len(pairs); i += 2 {
		errors = append(errors, map[string]any{"location": pairs[i], "message": pairs[i+1], "remedy": "mend it", "rule": 1})
	}
	body := map[string]any{"status": status, "code": code, "detail": "the detail", "errors": errors}
	s.api.on("POST /api/profiles", status, body)
	for _, name := range []string{"contracts", "people", "payroll", "default"} {
		s.api.on("PUT /api/profiles/"+name, status, body)
	}
}

func TestARefusalStandsBesideItsField(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path string
		form       url.Values
		location   string
		field      string // "" is on top
	}{
		{"a key", "/profiles/_new", typed("name", "n"), "body.certificate.kms.keyId", "f-certificate-kms-keyId"},
		{"a name", "/profiles/_new", typed("name", "N"), "body.name", "f-name"},
		{"a block that is missing", "/profiles/people", typed("method", "Local"), "body.certificate", "f-certificate-source"},
		{"a field of a source that is not chosen", "/profiles/contracts", typed(), "body.certificate.kms.keyId", "f-certificate-source"},
		{"a check", "/profiles/contracts", typed("method", "SignerFolder"), "body.verify", "f-verify"},
		{"a folder's id", "/profiles/payroll", typed(), "body.signerFolder.id", "f-signerFolder"},
		{"no folder", "/profiles/payroll", typed(), "body.signerFolder", "f-signerFolder"},
		{"a participant", "/profiles/people", typed(), "body.signer", "f-signer-name"},
		{"an e-mail", "/profiles/people", typed(), "body.signer.email", "f-signer-email"},
		{"a place of the seal", "/profiles/contracts", typed(), "body.signature.seal.left", "f-signature-seal-left"},
		{"the seal", "/profiles/contracts", typed(), "body.signature.seal", "f-signature-seal"},
		{"the method", "/profiles/default", typed(), "body.method", "f-method"},
		{"the look where there is none", "/profiles/people", typed(), "body.signature", ""},
		{"the name, which is not in the form", "/profiles/people", typed(), "body.name", ""},
		{"something else", "/profiles/people", typed(), "body.unheard.of", ""},
		{"nothing", "/profiles/people", typed(), "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := profiled(t)
			s.refusing(422, "profile.invalid", tt.location, "is <not> right")
			w := s.post(tt.path, tt.form)
			page := w.Body.String()
			s.shows(w, 422, "Nothing was saved", "is &lt;not&gt; right")
			before, beside, placed := strings.Cut(page, `-problem" class="field-problem">`)
			switch {
			case placed != (tt.field != ""):
				t.Fatalf("beside a field: %v", placed)
			case !placed:
				if strings.Contains(page, `<a href="#f-`) {
					t.Error("something leads to a field that is not there")
				}
				return
			case !strings.HasSuffix(before, `id="`+tt.field) || !strings.Contains(beside[:200], "mend it"):
				t.Errorf("stands beside %s with %s, want %s", before[strings.LastIndex(before, `id="`):], beside[:80], tt.field)
			}
			if !strings.Contains(page, `<a href="#`+tt.field+`">`) || strings.Count(page, `id="`+tt.field+`"`) != 1 {
				t.Errorf("nothing leads to %s", tt.field)
			}
			if !regexp.MustCompile(`aria-describedby="[^"]*` + tt.field + `-problem"`).MatchString(page) {
				t.Errorf("%s is not described by what is wrong with it", tt.field)
			}
		})
	}
}

func TestARefusedSaveKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	for code, status := range map[string]int{"profile.changed": 412, "profile.exists": 409, "profile.folder-taken": 409, "certificate.key-mismatch": 409,
		"key.not-found": 409, "revocation.unavailable": 503, "rate-limited": 429, "request.too-large": 413} {
		s := profiled(t)
		s.refusing(status, code)
		form := typed("signature.reason", `"typed" & kept`, "signature.seal", "off", "format", "Cades")
		form.Set("version", `"2"`)
		w := s.post("/profiles/contracts", form)
		s.shows(w, status, code, "the detail", "Nothing was saved", `value="&#34;typed&#34; &amp; kept"`, `value="Cades" selected`, `name="version" value="&#34;2&#34;"`)
		if changed := strings.Contains(w.Body.String(), "Open the profile as it is now"); changed != (code == "profile.changed") {
			t.Errorf("%s: leads to what is stored: %v", code, changed)
		}
	}
}

func TestASaveWithAnotherKeyIsNoFormAgain(t *testing.T) {
	t.Parallel()
	s := profiled(t)
	s.refusing(401, "auth.invalid-credentials")
	if w := s.post("/profiles/contracts", typed()); w.Code != 401 || strings.Contains(w.Body.String(), "profile-form") {
		t.Errorf("answers %d", w.Code)
	}
}

func TestANumberThatIsNone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ field, text string }{
		{"signature.seal.left", "wide"}, {"signature.seal.left", "NaN"}, {"signature.seal.left", "Inf"}, {"signature.seal.left", "1e999"},
		{"signature.seal.page", "1.5"}, {"signature.seal.page", "99999999999"},
	} {
		s := profiled(t)
		s.cookies["language"] = "pt-BR"
		w := s.post("/profiles/contracts", typed(tt.field, tt.text))
		s.shows(w, 422, "Nada foi salvo", "não é um número válido", `value="`+tt.text+`"`)
		if n := len(s.api.calls("PUT")); n != 0 {
			t.Errorf("%s is sent", tt.text)
		}
	}
}

func TestAnotherMethodLosesNothing(t *testing.T) {
	t.Parallel()
	s := profiled(t)
	form := url.Values{"do": {"show"}, "method": {"LacunaSigner"}, "shown": {"Local"}, "name": {"n"}, "certificate.kms.keyId": {"alias/typed"},
		"signature.reason": {"Because"}, "validateCertificate": {"off"}, "requirePolicy": {"off", "on"}}
	w := s.post("/profiles/_new", form)
	s.shows(w, 200, `type="hidden" name="certificate.kms.keyId" value="alias/typed"`, `type="hidden" name="signature.reason" value="Because"`,
		`type="hidden" name="validateCertificate" value="off"`, `name="shown" value="LacunaSigner"`)
	if strings.Contains(w.Body.String(), `id="f-requirePolicy" name="requirePolicy" value="on" checked`) {
		t.Error("AD-RB is demanded of Lacuna Signer although nobody asked for it")
	}
	if n := len(s.api.calls("POST")) + len(s.api.calls("PUT")); n != 0 {
		t.Errorf("showing other fields saves: %d calls", n)
	}
	form.Set("method", "Local")
	form.Set("shown", "LacunaSigner")
	s.shows(s.post("/profiles/_new", form), 200, `id="f-certificate-kms-keyId" name="certificate.kms.keyId" value="alias/typed"`, `value="Because"`,
		`id="f-requirePolicy" name="requirePolicy" value="on" checked`)
}

func TestEnterSavesOrSearches(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path string
		form       url.Values
		saves      bool
	}{
		{"saves", "/profiles/people", typed(), true},
		{"searches", "/profiles/payroll", typed("q", "RH", "searched", ""), false},
		{"saves after the search", "/profiles/payroll", typed("q", "RH", "searched", "RH"), true},
	}
	for _, tt := range tests {
		s := profiled(t)
		s.api.on("PUT /api"+tt.path, 200, map[string]any{})
		tt.form.Set("do", "enter")
		s.post(tt.path, tt.form)
		if saved := len(s.api.calls("PUT")) == 1; saved != tt.saves {
			t.Errorf("%s: saved %v", tt.name, saved)
		}
	}
}

func TestAFormThatIsTooLarge(t *testing.T) {
	t.Parallel()
	s := profiled(t)
	form := typed("certificate.kms.certificate", strings.Repeat("A", 300<<10))
	s.shows(s.post("/profiles/_new", form), 413, "request.too-large")
	if n := len(s.api.calls("POST")); n != 0 {
		t.Error("half a form is sent")
	}
}

// Every field of the form has a label, in both languages, and an id that its label and its refusals name.
func TestEveryFieldHasALabel(t *testing.T) {
	t.Parallel()
	labels := regexp.MustCompile(`<label for="([^"]+)"`)
	ids := regexp.MustCompile(`<(?:input|select|textarea)[^>]*? id="([^"]+)"`)
	for _, language := range []string{"en-US", "pt-BR"} {
		for _, form := range []url.Values{
			{}, {"certificate.source": {"Pfx"}}, {"certificate.source": {"CloudHsm"}}, {"method": {"LacunaSigner"}}, {"method": {"SignerFolder"}},
		} {
			s := profiled(t)
			s.cookies["language"] = language
			form.Set("do", "search")
			page := s.post("/profiles/_new", form).Body.String()
			named, found := map[string]bool{}, map[string]bool{}
			for _, m := range labels.FindAllStringSubmatch(page, -1) {
				named[m[1]] = true
			}
			for _, m := range ids.FindAllStringSubmatch(page, -1) {
				if found[m[1]] {
					t.Errorf("%s is there twice", m[1])
				}
				found[m[1]] = true
			}
			if !maps.Equal(named, found) {
				t.Errorf("%s %v: labels of %v, fields %v", language, form, named, found)
			}
			if strings.Contains(page, ">field.") || strings.Contains(page, ">option.") {
				t.Errorf("%s %v: a text is missing", language, form)
			}
		}
	}
}

func FuzzProfileForm(f *testing.F) {
	f.Add("do=save&name=n&method=SignerFolder&signerFolder=a+b&signature.seal.left=1,2")
	f.Add("do=enter&q=x&certificate.source=keep&confirm.verify=on&verify=off&verify=on")
	f.Add("do=show&method=&certificate.source=&shown=Local")
	f.Fuzz(func(t *testing.T, query string) {
		form, err := url.ParseQuery(query)
		if err != nil {
			t.Skip()
		}
		s := profiled(t)
		s.api.on("PUT /api/profiles/contracts", 200, map[string]any{})
		if w := s.post("/profiles/contracts", form); w.Code >= 500 {
			t.Errorf("answers %d", w.Code)
		}
		for _, c := range s.api.calls("PUT") {
			if !json.Valid([]byte(c.Body)) {
				t.Errorf("sends %s", c.Body)
			}
		}
	})
}
