package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// newProfile is a profile that can be saved, with everything that a KMS profile can have.
const newProfile = `{"name":"new","format":"pades","encrypt":true,"certificate":{"source":"kms","kms":{"keyId":"alias/contracts","certificate":" s3://certificates/contracts.pem\n"}},
	"signature":{"digest":"SHA-512","subFilter":"PBAD.PAdES","field":"F","name":"N","reason":"R","location":"L","contactInfo":"C",
	"seal":{"page":-1,"left":1.5,"bottom":2,"width":3,"height":4,"text":"{name}","image":"s3://images/seal.png"}}}`

func TestCreateProfile(t *testing.T) {
	t.Parallel()
	s := newService(t)
	r := s.send(t, "POST", "/api/profiles", newProfile)
	if etag, location := r.Header.Get("ETag"), r.Header.Get("Location"); etag != `"1"` || location != "profiles/new" {
		t.Errorf("ETag %s, Location %s", etag, location)
	}
	wantJSON(t, r, 201, `{"name":"new","enabled":true,"inputFolder":null,"format":"Pades","method":"Local","certificateSource":"Kms","verify":true,"encrypt":true,
		"validateCertificate":true,"requirePolicy":true,"preserveFileExtension":false,"saveAsPem":false,
		"signature":{"digest":"SHA-512","subFilter":"PBAD.PAdES","field":"F","name":"N","reason":"R","location":"L","contactInfo":"C",
		"seal":{"page":-1,"left":1.5,"bottom":2,"width":3,"height":4,"text":"{name}","image":"s3://images/seal.png"},"detached":false,"nested":false,"element":""},
		"degraded":false,"takesEffect":"next-job"}`)
	want := profile.New("new")
	want.Format, want.Encrypt = profile.Pades, true
	want.Certificate = &profile.Certificate{Source: profile.Kms, Kms: &profile.KmsKey{KeyID: "alias/contracts", Certificate: "s3://certificates/contracts.pem"}}
	want.Signature = profile.Signature{Digest: profile.SHA512, SubFilter: profile.SubFilterPBAD, Field: "F", Name: "N", Reason: "R", Location: "L", ContactInfo: "C",
		Seal: &profile.Seal{Page: -1, Left: 1.5, Bottom: 2, Width: 3, Height: 4, Text: "{name}", Image: "s3://images/seal.png"}}
	if d := cmp.Diff([]profile.Profile{want}, s.saved); d != "" {
		t.Errorf("saved (-want +got):\n%s", d)
	}
}

// A form says of every source and method what a settings file says.
func TestProfileForms(t *testing.T) {
	t.Parallel()
	secret := "arn:aws:secretsmanager:sa-east-1:123456789012:secret:p-AbCdEf"
	with := func(change func(*profile.Profile)) profile.Profile {
		p := profile.New("p")
		change(&p)
		return p
	}
	tests := []struct {
		name, body string
		want       profile.Profile
	}{
		{"nothing said", `{"name":"p"}`, profile.New("p")},
		{"null is nothing said", `{"name":"p","enabled":null,"format":null,"certificate":null,"signature":{"seal":null,"digest":null},"signer":null,"requirePolicy":null}`, profile.New("p")},
		{"what a read gives and nobody needs", `{"name":"p","certificateSource":"Kms","degraded":true,"degradation":{"code":"x","reason":"y","since":null},"takesEffect":"next-job","inputFolder":null}`, profile.New("p")},
		{"flags", `{"name":"p","enabled":false,"verify":false,"validateCertificate":false,"requirePolicy":false,"preserveFileExtension":true,"saveAsPem":true}`,
			with(func(p *profile.Profile) {
				p.Enabled, p.Verify, p.ValidateCertificate, p.RequirePolicy, p.PreserveFileExtension, p.SaveAsPem = false, false, false, false, true, true
			})},
		{"a PKCS#12 file", `{"name":"p","certificate":{"pfx":{"location":"s3://keys/k","password":"` + secret + `"}}}`, with(func(p *profile.Profile) {
			p.Certificate = &profile.Certificate{Source: profile.Pfx, Pfx: &profile.PfxKey{Location: "s3://keys/k", Password: secret}}
		})},
		{"a token", `{"name":"p","certificate":{"source":"cloudhsm","cloudHsm":{"modulePath":"/lib/p.so","slot":2,"thumbprint":"ab","pin":"` + secret + `","sessions":8}}}`,
			with(func(p *profile.Profile) {
				p.Certificate = &profile.Certificate{Source: profile.CloudHsm, CloudHsm: &profile.HsmKey{ModulePath: "/lib/p.so", Slot: 2, Thumbprint: "ab", Pin: secret, Sessions: 8}}
			})},
		{"a person", `{"name":"p","method":"lacunasigner","signer":{"name":" Ana ","email":"ana@example.com","identifier":"529.982.247-25"}}`, with(func(p *profile.Profile) {
			p.Method, p.RequirePolicy = profile.LacunaSigner, false
			p.Signer = &profile.Participant{Name: "Ana", Email: "ana@example.com", Identifier: "52998224725"}
		})},
		{"a folder", `{"name":"p","method":"SignerFolder","signerFolder":{"id":"` + strings.ToUpper(boundID) + `","name":"F"}}`, with(func(p *profile.Profile) {
			p.Method, p.RequirePolicy = profile.SignerFolder, false
			p.SignerFolder = &profile.Binding{ID: boundID, Name: "F"}
		})},
		{"a seal on the first page", `{"name":"p","signature":{"seal":{},"detached":true,"nested":true,"element":"infNFe"}}`, with(func(p *profile.Profile) {
			p.Signature.Seal = &profile.Seal{Page: 1}
			p.Signature.Detached, p.Signature.Nested, p.Signature.Element = true, true, "infNFe"
		})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.send(t, "POST", "/api/profiles", tt.body)
			if d := cmp.Diff([]profile.Profile{tt.want}, s.saved); d != "" {
				t.Errorf("saved (-want +got):\n%s", d)
			}
		})
	}
}

// What a read gives can be sent back, and changes nothing.
func TestProfileRoundTrip(t *testing.T) {
	t.Parallel()
	for name := range profilesOfAll() {
		s := newService(t)
		s.profiles = profilesOfAll()
		contracts := s.profiles["contracts"]
		contracts.Signature.Seal, contracts.SaveAsPem, contracts.PreserveFileExtension = &profile.Seal{Page: 2, Width: 1, Height: 1}, false, false
		contracts.Format = profile.Pades
		contracts.Certificate.Pfx.Password = "arn:aws:secretsmanager:sa-east-1:123456789012:secret:p-AbCdEf"
		folder := s.profiles["folder"]
		folder.Certificate.Kms.Certificate = "s3://keys/k"
		s.profiles["contracts"], s.profiles["folder"] = contracts, folder
		before := s.profiles[name]
		read := s.send(t, "GET", "/api/profiles/"+name, "")
		r := s.send(t, "PUT", "/api/profiles/"+name, bodyOf(t, read), "If-Match", read.Header.Get("ETag"))
		if r.StatusCode != 200 || r.Header.Get("ETag") != `"4"` {
			t.Fatalf("%s: %d %s", name, r.StatusCode, bodyOf(t, r))
		}
		before.Version, before.Degraded = 4, profile.Degradation{}
		if d := cmp.Diff(before, s.profiles[name]); d != "" {
			t.Errorf("%s changed (-want +got):\n%s", name, d)
		}
	}
}

func TestPreconditions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path, match string
		status            int
		code              fault.Code
	}{
		{"the version that there is", "contracts", `"3"`, 0, ""},
		{"any version", "contracts", "*", 0, ""},
		{"an older version", "contracts", `"2"`, 412, fault.ProfileChanged},
		{"a version to come", "contracts", `"4"`, 412, fault.ProfileChanged},
		{"a weak tag", "contracts", `W/"3"`, 412, fault.ProfileChanged},
		{"a tag that is not ours", "contracts", `"x"`, 412, fault.ProfileChanged},
		{"the same number, written in another way", "contracts", `"03"`, 412, fault.ProfileChanged},
		{"version 0, which makes a profile", "contracts", `"0"`, 412, fault.ProfileChanged},
		{"a number that is too large", "contracts", `"99999999999999999999"`, 412, fault.ProfileChanged},
		{"none", "contracts", "", 428, fault.RequestInvalid},
		{"no quotes", "contracts", "3", 400, fault.RequestInvalid},
		{"two tags", "contracts", `"3", "4"`, 400, fault.RequestInvalid},
		{"no such profile", "nothing", `"3"`, 404, fault.ProfileNotFound},
		{"no such profile, in any version", "nothing", "*", 404, fault.ProfileNotFound},
		{"a name that none can have", "Contracts", "*", 404, fault.ProfileNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for method, success := range map[string]int{"PUT": 200, "DELETE": 204} {
				s := newService(t)
				r := s.send(t, method, "/api/profiles/"+tt.path, `{"format":"Pades","certificate":{"source":"Kms","kms":{"keyId":"alias/a","certificate":"s3://keys/k"}}}`, "If-Match", tt.match)
				if tt.status != 0 {
					wantProblem(t, r, tt.status, tt.code)
				} else if r.StatusCode != success {
					t.Errorf("%s = %d %s, want %d", method, r.StatusCode, bodyOf(t, r), success)
				}
			}
		})
	}
}

func TestDeleteProfileInUse(t *testing.T) {
	t.Parallel()
	s := newService(t)
	wantProblem(t, s.send(t, "DELETE", "/api/profiles/default", "", "If-Match", "*"), 409, fault.ProfileInUse)
	if s.send(t, "DELETE", "/api/profiles/off", "", "If-Match", "*"); s.profiles["off"].Name != "" {
		t.Error("the profile is still there")
	}
}

func TestProfileRequests(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body, kind string
		status           int
		code             fault.Code
	}{
		{"no body", "", "", 400, fault.RequestInvalid},
		{"no JSON", "{", "", 400, fault.RequestInvalid},
		{"no object", "[]", "", 400, fault.RequestInvalid},
		{"said to be something else", newProfile, "text/plain", 400, fault.RequestInvalid},
		{"a field that is unknown", `{"name":"new","pattern":1}`, "", 400, fault.RequestInvalid},
		{"a field in another case", `{"Name":"new"}`, "", 400, fault.RequestInvalid},
		{"a field twice", `{"name":"new","name":"new"}`, "", 400, fault.RequestInvalid},
		{"a field twice, inside", `{"name":"new","certificate":{"kms":{"keyId":"a","keyId":"b"}}}`, "", 400, fault.RequestInvalid},
		{"a word for a flag", `{"name":"new","verify":"yes"}`, "", 400, fault.RequestInvalid},
		{"a number that is none", `{"name":"new","certificate":{"cloudHsm":{"slot":1e99}}}`, "", 400, fault.RequestInvalid},
		{"half a page", `{"name":"new","signature":{"seal":{"page":1.5}}}`, "", 400, fault.RequestInvalid},
		{"too large", `{"name":"` + strings.Repeat("a", api.MaxProfile) + `"}`, "", 413, fault.RequestTooLarge},
		{"a name that is taken", strings.Replace(newProfile, "new", "contracts", 1), "", 409, fault.ProfileExists},
		{"rules that are broken", `{}`, "", 422, fault.ProfileInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			wantProblem(t, s.send(t, "POST", "/api/profiles", tt.body, "Content-Type", tt.kind), tt.status, tt.code)
		})
	}
	s := newService(t)
	wantProblem(t, s.send(t, "PUT", "/api/profiles/contracts", newProfile, "If-Match", "*"), 400, fault.RequestInvalid)
	if len(s.saved) != 0 {
		t.Error("a profile was renamed")
	}
}

// refusal is what a problem says of a rule.
type refusal struct {
	Location, Message, Remedy string
	Rule                      int
}

func refusalsIn(t testing.TB, body string) (detail string, list []refusal) {
	t.Helper()
	var p struct {
		Detail string
		Errors []refusal
	}
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatal(err)
	}
	return p.Detail, p.Errors
}

// Rules are said in the language that is preferred, with where they are broken.
func TestProfileRefusals(t *testing.T) {
	t.Parallel()
	const missing = `{"name":"new","format":"Pades","certificate":{"source":"Kms","kms":{"certificate":"s3://keys/k"}}}`
	taken := strings.Replace(newProfile, `"new"`, `"contracts"`, 1)
	tests := []struct {
		name, body, language string
		want                 []refusal
		detail               string
	}{
		{"English", missing, "en", []refusal{{"body.certificate.kms.keyId", "is missing", "set the key's id, its alias (alias/name), or the ARN of either", 202}},
			"the profile breaks rules, which errors lists"},
		{"Portuguese", missing, "fr, pt;q=0.9, en;q=0.1", []refusal{{"body.certificate.kms.keyId", "está ausente", "informe o id da chave, seu alias (alias/name) ou o ARN de um dos dois", 202}},
			"o perfil viola regras, que errors enumera"},
		{"neither", missing, "fr", []refusal{{"body.certificate.kms.keyId", "is missing", "set the key's id, its alias (alias/name), or the ARN of either", 202}},
			"the profile breaks rules, which errors lists"},
		{"what the product has", `{"checkCNAB240":false,"certificate":{"pfx":{"path":"c:"}}}`, "pt-BR", []refusal{
			{"body.certificate.pfx.path", "indica um arquivo de um servidor, e uma função não tem nenhum", "use Location: informe o ARN de um segredo que contém o arquivo PKCS#12, ou s3://bucket/key", 216},
			{"body.checkCnab240", "a verificação de arquivos CNAB240 ainda não está disponível", "remova o campo", 110},
		}, "o perfil viola regras, que errors enumera"},
		{"another folder", `{"name":"new","inputFolder":"in"}`, "", []refusal{{"body.inputFolder", "is not how a folder finds its profile", "name the profile in Storage:Inputs", 217}},
			"the profile breaks rules, which errors lists"},
		{"a taken name", taken, "pt", []refusal{{"body.name", "é o nome de outro perfil", "escolha outro", 1}}, "já existe um perfil com esse nome"},
		{"a taken name in English", taken, "", []refusal{{"body.name", "is the name of another profile", "choose another", 1}}, "there is a profile contracts already"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			r := s.send(t, "POST", "/api/profiles", tt.body, "Accept-Language", tt.language)
			wantLanguage := "en-US"
			if strings.Contains(tt.language, "pt") {
				wantLanguage = "pt-BR"
			}
			if got := r.Header.Get("Content-Language"); got != wantLanguage || r.Header.Get("Vary") != "Accept-Language" {
				t.Errorf("Content-Language = %q, want %q", got, wantLanguage)
			}
			detail, got := refusalsIn(t, bodyOf(t, r))
			if d := cmp.Diff(tt.want, got); d != "" || detail != tt.detail {
				t.Errorf("detail %q, errors (-want +got):\n%s", detail, d)
			}
		})
	}
}

// Refusals of those who see more than the profile come with their rules too.
func TestProfileRefusalsOfTheStore(t *testing.T) {
	t.Parallel()
	bound := `{"name":"new","method":"SignerFolder","signerFolder":{"id":"` + boundID + `"}}`
	tests := []struct {
		name   string
		err    error
		status int
		want   []refusal
		detail string
	}{
		{"a folder that another has", fault.New(fault.ProfileFolderTaken, "the profile folder has it"), 409, []refusal{
			{"body.signerFolder.id", `é a pasta do perfil "folder", e uma pasta tem um só perfil`, "escolha outra pasta, ou dê outra àquele perfil", 12}}, "outro perfil assina nessa pasta do Lacuna Signer"},
		{"a certificate without a CPF", fault.New(fault.CertificateWithoutCPF, "no CPF"), 409, []refusal{
			{"body.certificate", "não tem CPF, e um perfil SignerFolder assina pela pessoa cujo CPF está no certificado", "escolha um certificado que tenha o CPF do titular, ou defina Method como Local", 17}},
			api.Portuguese(fault.CertificateWithoutCPF)},
		{"an expired certificate", fault.New(fault.CertificateExpired, "since Monday"), 409, nil, "o certificado está vencido"},
		{"no Lacuna Signer", fault.New(fault.SignerNotConfigured, "none"), 409, nil, api.Portuguese(fault.SignerNotConfigured)},
		{"a busy table", fault.New(fault.Throttled, "busy"), 503, nil, api.Portuguese(fault.Throttled)},
		{"our own mistake", errDown, 500, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.profiles = profilesOfAll()
			s.fail["SaveProfile"] = fmt.Errorf("save: %w", tt.err)
			r := s.send(t, "POST", "/api/profiles", bound, "Accept-Language", "pt-BR")
			detail, got := refusalsIn(t, bodyOf(t, r))
			if d := cmp.Diff(tt.want, got); d != "" || detail != tt.detail || r.StatusCode != tt.status {
				t.Errorf("status %d, detail %q, errors (-want +got):\n%s", r.StatusCode, detail, d)
			}
		})
	}
}

// Whatever a route of profiles may answer, but for our own failures, is said in Portuguese.
func TestEverythingAboutProfilesIsSaidInPortuguese(t *testing.T) {
	t.Parallel()
	d, _ := documentOf(t, newService(t))
	said := 0
	for _, at := range []string{"post /api/profiles", "get /api/profiles/{name}", "put /api/profiles/{name}", "delete /api/profiles/{name}", "get /api/signer/folders"} {
		method, path, _ := strings.Cut(at, " ")
		for _, r := range d.Paths[path][method].Responses {
			for code := range r.Content["application/problem+json"].Examples {
				said++
				if api.Portuguese(fault.Code(code)) == "" && code != string(fault.Internal) {
					t.Errorf("%s answers %s, which has no sentence in Portuguese", at, code)
				}
			}
		}
	}
	if said < 40 {
		t.Errorf("only %d codes were looked at", said)
	}
}

func TestMissingConditionInPortuguese(t *testing.T) {
	t.Parallel()
	detail, _ := refusalsIn(t, bodyOf(t, newService(t).send(t, "DELETE", "/api/profiles/contracts", "", "Accept-Language", "pt")))
	if !strings.HasPrefix(detail, "envie If-Match") {
		t.Errorf("detail = %q", detail)
	}
}

// Neither an answer nor the log quotes what stands in the wrong place.
func TestProfileSecretsAreNotQuoted(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"name":"new","format":"Pades","certificate":{"pfx":{"location":"s3://keys/k","password":"hunter2hunter2"}}}`,
		`{"name":"new","certificate":{"password":"hunter2hunter2"}}`,
		`{"name":"new","certificate":"hunter2hunter2"}`,
		`{"name":["hunter2hunter2"]}`,
	} {
		s := newService(t)
		r := s.send(t, "POST", "/api/profiles", body)
		if all := bodyOf(t, r) + strings.Join(s.lines.all(), ""); r.StatusCode < 400 || strings.Contains(all, "hunter2") {
			t.Errorf("%d %s", r.StatusCode, all)
		}
	}
}
