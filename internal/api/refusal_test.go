package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
)

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
	bound := `{"name":"board","method":"SignerFolder","signerFolder":{"id":"` + boundID + `"}}`
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
			mine := s.profiles["folder"] // whoever lists profiles sees the one that is saved too
			mine.Name = "board"
			s.profiles["board"] = mine
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
