package console_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const boundFolder = "0194f3c2-5b1e-7c40-9d3a-6f2b8e1a4c57"

// Profiles as the API tells them, one of each kind.
var (
	toldLocal = told("contracts", "Local", map[string]any{"format": "Pades", "certificateSource": "Kms", "signature": map[string]any{
		"digest": "SHA-512", "subFilter": "PBAD.PAdES", "reason": "Approved", "field": "", "detached": false,
		"seal": map[string]any{"page": -1, "left": 36.5, "bottom": 36, "width": 200, "height": 60, "text": "{name}", "image": ""}}})
	toldDefault = told("default", "Local", map[string]any{"format": nil, "certificateSource": "Pfx", "verify": false, "degraded": true,
		"degradation": map[string]any{"code": "certificate.expired", "reason": "it is over", "since": "2026-01-01T00:00:05Z"}})
	toldPerson = told("people", "LacunaSigner", map[string]any{"format": "Cades", "certificateSource": nil, "validateCertificate": false, "requirePolicy": false})
	toldFolder = told("payroll", "SignerFolder", map[string]any{"format": "Pades", "certificateSource": "CloudHsm", "verify": false, "validateCertificate": false,
		"requirePolicy": false, "signerFolder": map[string]any{"id": boundFolder, "name": "Folha & <b>"}})
)

func told(name, method string, more map[string]any) map[string]any {
	p := map[string]any{"name": name, "method": method, "enabled": true, "verify": true, "encrypt": false, "validateCertificate": true,
		"requirePolicy": true, "preserveFileExtension": false, "saveAsPem": false, "degraded": false, "inputFolder": nil}
	for field, value := range more {
		p[field] = value
	}
	return p
}

// profiled is a console of a service with a profile of each kind.
func profiled(t *testing.T) *scene {
	s := signedIn(t)
	all := []map[string]any{toldLocal, toldDefault, toldPerson, toldFolder}
	s.api.on("GET /api/profiles", 200, map[string]any{"profiles": all})
	for _, p := range all {
		s.api.answers["GET /api/profiles/"+p["name"].(string)] = answer{200, p, http.Header{"Etag": {`"3"`}}}
	}
	s.api.on("GET /api/settings", 200, map[string]any{"settings": []map[string]any{
		{"key": "Storage:Inputs[0]:Name", "value": "desk"}, {"key": "Storage:Inputs[0]:IgnoredPrefixes", "value": []string{}},
		{"key": "Storage:Inputs[0]:Profile", "value": "contracts"},
		{"key": "Storage:Inputs[1]:Name", "value": "mail"}, {"key": "Storage:Inputs[1]:Profile", "value": "contracts"},
		{"key": "Upload:MaxBytes", "value": 5},
	}})
	s.api.on("GET /api/certificates", 200, map[string]any{"certificates": []map[string]any{{"profile": "contracts", "subject": "ANA TESTE",
		"issuer": "AC TESTE", "thumbprint": "a9993e36", "notAfter": "2026-03-24T00:00:00Z", "daysLeft": 20}}})
	s.api.on("GET /api/signer/folders", 200, map[string]any{"folders": []map[string]any{
		{"id": boundFolder, "name": "Folha & <b>", "parentId": "top"}, {"id": "top", "name": "RH", "parentId": nil}, {"id": "low", "name": "Férias", "parentId": boundFolder}}})
	return s
}

func TestProfilesAreListed(t *testing.T) {
	t.Parallel()
	s := profiled(t)
	w := s.get("/profiles")
	s.shows(w, 200, `href="/profiles/contracts"`, `href="/profiles/_new"`, "desk", "mail", "cannot sign", "certificate.expired", "verify off",
		"by the file&#39;s extension", "Lacuna Signer chooses", "Folha &amp; &lt;b&gt;", "The end of the certificate", `hx-trigger="slow-tick from:body"`)
	if n := strings.Count(w.Body.String(), "verify off"); n != 1 {
		t.Errorf("%d profiles are marked as unchecked: what Lacuna Signer checks is not", n)
	}
	s.cookies["language"] = "pt-BR"
	s.shows(s.get("/profiles"), 200, "não pode assinar", "sem verificação", "pronto")
}

func TestAListThatCannotBeReadIsAProblem(t *testing.T) {
	t.Parallel()
	for _, route := range []string{"/api/profiles", "/api/settings"} {
		s := profiled(t)
		s.api.refuse("GET "+route, 500, "internal", "")
		s.shows(s.get("/profiles"), 500, "internal")
	}
}

var (
	fieldForm = regexp.MustCompile(`<(?:input|select|textarea)[^>]*>`)
	nameForm  = regexp.MustCompile(` name="([^"]*)"`)
)

// fieldsOf are the names of the fields that a visitor sees in the form of a profile, and those that are carried along.
func fieldsOf(page string) (seen, carried map[string]bool) {
	_, form, _ := strings.Cut(page, `id="profile-form"`)
	seen, carried = map[string]bool{}, map[string]bool{}
	for _, tag := range fieldForm.FindAllString(form, -1) {
		m := nameForm.FindStringSubmatch(tag)
		if strings.Contains(tag, `type="hidden"`) {
			carried[m[1]] = true
		} else {
			seen[m[1]] = true
		}
	}
	for name := range seen {
		delete(carried, name) // a checkbox is preceded by what it says if it is not ticked
	}
	return seen, carried
}

func TestTheMethodDecidesTheFields(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path    string
		shows, misses []string
	}{
		{"a new one is local", "/profiles/_new", []string{"name", "verify", "validateCertificate", "encrypt", "certificate.kms.keyId", "signature.digest", "signature.seal.page"},
			[]string{"certificate.pfx.location", "signer.name", "signerFolder"}},
		{"a person", "/profiles/_new?method=LacunaSigner", []string{"verify", "encrypt", "signer.name", "signer.email", "signer.identifier"},
			[]string{"validateCertificate", "certificate.source", "certificate.kms.keyId", "signature.digest"}},
		{"a folder", "/profiles/_new?method=SignerFolder", []string{"format", "q", "certificate.source", "certificate.kms.keyId"},
			[]string{"verify", "validateCertificate", "encrypt", "requirePolicy", "saveAsPem", "signature.digest", "signer.name"}},
		{"a stored key", "/profiles/contracts", []string{"certificate.source", "format"}, []string{"name", "certificate.kms.keyId"}},
		{"onto a folder, with checks that are on", "/profiles/contracts?method=SignerFolder", []string{"verify", "validateCertificate"}, []string{"encrypt"}},
		{"onto a person, with a check that is on", "/profiles/contracts?method=LacunaSigner", []string{"validateCertificate", "verify"}, []string{"certificate.source"}},
		{"off a folder", "/profiles/payroll?method=Local", []string{"verify", "validateCertificate", "encrypt", "requirePolicy"}, []string{"signerFolder", "q"}},
		{"a method that is none", "/profiles/_new?method=Magic", []string{"certificate.source", "verify"}, []string{"signer.name"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := profiled(t)
			w := s.get(tt.path)
			s.shows(w, 200)
			seen, carried := fieldsOf(w.Body.String())
			for _, name := range tt.shows {
				if !seen[name] {
					t.Errorf("%s is not there", name)
				}
			}
			for _, name := range tt.misses {
				if seen[name] {
					t.Errorf("%s is there", name)
				}
			}
			for name := range carried {
				if seen[name] {
					t.Errorf("%s is there twice", name)
				}
			}
		})
	}
}

func TestAProfileIsShown(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path  string
		texts []string
	}{
		{"/profiles/contracts", []string{"<h1 class=\"name\">contracts</h1>", `hx-get="/profiles/contracts/certificate" hx-trigger="load"`,
			`value="keep" checked`, `value="PBAD.PAdES" selected`, `value="Approved"`, `value="36.5"`, `value="-1"`, "{name}", "desk", "mail",
			`name="version" value="&#34;3&#34;"`, "With the next job that begins", `href="/profiles/contracts/delete"`}},
		{"/profiles/people", []string{"A participant is stored and is not shown", "Lacuna Signer chooses the format", "Validate the certificate"}},
		{"/profiles/payroll", []string{"Lacuna Signer chooses the format", "setting of the organization", `value="` + boundFolder + ` Folha &amp; &lt;b&gt;" checked`,
			"Saved off", "never its subfolders"}},
		{"/profiles/default", []string{"Why this profile cannot sign", "certificate.expired", `<p class="small" lang="en">it is over</p>`, "By the file&#39;s extension"}},
		{"/profiles/_new", []string{"ARN of a secret in Secrets Manager", "Choose…"}},
		{"/profiles/people?method=Local", []string{"A save erases the participant"}},
		{"/profiles/contracts?method=LacunaSigner", []string{"A save erases where the certificate", "how signatures look", "Turn it off before you save"}},
		{"/profiles/payroll?method=Local", []string{"lets go of the folder"}},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			s := profiled(t)
			w := s.get(strings.Replace(tt.path, "_new", "_new?x", 1))
			if tt.path == "/profiles/_new" { // the password's field says what it takes
				w = s.post("/profiles/_new", url.Values{"do": {"show"}, "certificate.source": {"Pfx"}})
			}
			s.shows(w, 200, tt.texts...)
		})
	}
}

func TestWhatIsNotStoredCannotBeKept(t *testing.T) {
	t.Parallel()
	s := profiled(t)
	for _, path := range []string{"/profiles/_new", "/profiles/people?method=Local"} {
		w := s.get(path)
		s.shows(w, 200, `name="certificate.source" value="Kms" checked`)
		if strings.Contains(w.Body.String(), `value="keep"`) {
			t.Errorf("%s offers to keep a certificate", path)
		}
	}
}

func TestAProfileThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := profiled(t)
	s.api.refuse("GET /api/profiles/gone", 404, "profile.not-found", "")
	for _, path := range []string{"/profiles/gone", "/profiles/gone/delete"} {
		s.shows(s.get(path), 404, "profile.not-found")
	}
	s.shows(s.post("/profiles/gone", url.Values{"do": {"save"}}), 404, "profile.not-found")
}

func TestDeletingAProfileIsAskedFirst(t *testing.T) {
	t.Parallel()
	s := profiled(t)
	s.shows(s.get("/profiles/people/delete"), 200, "Delete the profile people?", `value="&#34;3&#34;"`, `<button class="danger">`)
	for path, text := range map[string]string{"default": "cannot be deleted", "contracts": "desk"} {
		w := s.get("/profiles/" + path + "/delete")
		s.shows(w, 200, text)
		if strings.Contains(w.Body.String(), `<button class="danger">`) {
			t.Errorf("%s offers what would be refused", path)
		}
	}
	if n := len(s.api.calls("DELETE")); n != 0 {
		t.Fatalf("a question deletes: %d calls", n)
	}
	s.api.on("DELETE /api/profiles/people", 204, "")
	w := s.post("/profiles/people/delete", url.Values{"version": {`"2"`}})
	if w.Code != 303 || w.Header().Get("Location") != "/profiles" {
		t.Errorf("answers %d, leads to %s", w.Code, w.Header().Get("Location"))
	}
	if calls := s.api.calls("DELETE /api/profiles/people"); len(calls) != 1 || calls[0].Header.Get("If-Match") != `"2"` {
		t.Errorf("asked %v", calls)
	}
	s.shows(s.get("/profiles"), 200, "The profile people is deleted.")
}

func TestADeletionThatIsRefused(t *testing.T) {
	t.Parallel()
	for code, status := range map[string]int{"profile.in-use": 409, "profile.changed": 412} {
		s := profiled(t)
		s.api.refuse("DELETE /api/profiles/people", status, code, "because of it")
		s.shows(s.post("/profiles/people/delete", url.Values{"version": {`"2"`}}), status, code, "because of it", "Delete the profile people?")
	}
}

// sentBody is the JSON of the only call that begins so.
func (s *scene) sentBody(prefix string) (body map[string]any, header http.Header) {
	s.t.Helper()
	calls := s.api.calls(prefix)
	if len(calls) != 1 {
		s.t.Fatalf("%d calls of %s", len(calls), prefix)
	}
	if err := json.Unmarshal([]byte(calls[0].Body), &body); err != nil {
		s.t.Fatal(err)
	}
	return body, calls[0].Header
}

func wantBody(t *testing.T, got map[string]any, want string) {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal([]byte(want), &body); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(body, got); d != "" {
		t.Errorf("sent (-want +got):\n%s", d)
	}
}
