package settings_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/settings"
)

// signerSection is a whole section Signer.
const signerSection = `"Signer":{"Endpoint":"https://signer.example.com","ApiKey":"application|0123456789"}`

// folderProfile and personProfile are whole profiles of the methods that need it.
const (
	folderProfile = `{"Name":"minutes","Method":"SignerFolder","Verify":false,"ValidateCertificate":false,
		"SignerFolder":{"Id":"0194f3c2-5b1e-7c40-9d3a-6f2b8e1a4c57"},
		"Certificate":{"Source":"Kms","Kms":{"KeyId":"alias/a","Certificate":"s3://bucket/a.pem"}}}`
	personProfile = `{"Name":"default","Method":"LacunaSigner","ValidateCertificate":false,
		"Signer":{"Name":"Ana","Email":"ana@example.com","Identifier":"52998224725"}}`
)

func TestSignerFillsInDefaults(t *testing.T) {
	t.Parallel()
	got, err := load(t, "{"+kms+","+apiKey+","+signerSection+"}")
	if err != nil {
		t.Fatal(err)
	}
	want := settings.Signer{
		Endpoint: "https://signer.example.com", ApiKey: "application|0123456789", PollIntervalSeconds: 30, TimeoutHours: 168,
		MaxConsecutiveApiFailures: 5, FolderSweepIntervalSeconds: 300, RequestsPerSecond: 100,
	}
	if diff := cmp.Diff(want, got.Signer); diff != "" || !got.Signer.Configured() {
		t.Errorf("configured %t, Signer (-want +got):\n%s", got.Signer.Configured(), diff)
	}
}

func TestSignerIsWholeOrAbsent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, section, variable string
		want                    string // keys with a fault
	}{
		{"absent", `null`, "", ""},
		{"empty", `{}`, "", ""},
		{"nothing but defaults", `{"Endpoint":null,"ApiKey":null,"TimeoutHours":null}`, "", ""},
		{"no key", `{"Endpoint":"https://signer.example.com"}`, "", "Signer:ApiKey"},
		{"no endpoint", `{"ApiKey":"application|0123456789"}`, "", "Signer:Endpoint"},
		{"neither", `{"TimeoutHours":168}`, "", "Signer:Endpoint Signer:ApiKey"},
		{"a webhook alone", `{"WebhookSecret":"` + secretARN + `"}`, "", "Signer:Endpoint Signer:ApiKey"},
		{"an empty endpoint", `{"Endpoint":"","ApiKey":"application|0123456789"}`, "", "Signer:Endpoint"},
		{"empty values", `{"Endpoint":"","ApiKey":""}`, "", "Signer:Endpoint Signer:ApiKey"},
		{"a variable alone", `null`, "Signer__PollIntervalSeconds=5", "Signer:Endpoint Signer:ApiKey"},
		{"a key in a variable alone", `null`, "SIGNER__APIKEY=application|0123456789", "Signer:Endpoint"},
		{"an endpoint and a variable", `{"Endpoint":"https://signer.example.com"}`, "Signer__ApiKey=application|0123456789", ""},
		{"unknown keys are written too", `{"Webhook":"x"}`, "", "Signer:Webhook Signer:Endpoint Signer:ApiKey"},
		{"an unknown key that is null", `{"Webhook":null}`, "", "Signer:Webhook"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := load(t, "{"+kms+","+apiKey+`,"Signer":`+tt.section+"}", tt.variable)
			if tt.want == "" {
				if whole := tt.variable != ""; err != nil || got.Signer.Configured() != whole || !whole && got.Signer != (settings.Signer{}) {
					t.Errorf("Signer = %+v, %v, want it whole %t, or nothing", got.Signer, err, whole)
				}
				return
			}
			var keys []string
			for _, f := range faults(t, err) {
				keys = append(keys, f.Key)
				if f.Key != "Signer:Webhook" && (!strings.Contains(f.Message, "Signer:Endpoint and Signer:ApiKey") || !strings.Contains(f.Remedy, "remove the section")) {
					t.Errorf("fault = %v, want it to name both keys and the way out", f)
				}
			}
			if got := strings.Join(keys, " "); got != tt.want {
				t.Errorf("faults for %s, want %s", got, tt.want)
			}
		})
	}
}

func TestEndpoints(t *testing.T) {
	t.Parallel()
	const notHTTPS, query, noAddress = "is not https", "has a query or a fragment", "is not an address"
	tests := []struct{ endpoint, reads, want string }{
		{"https://signer.lacunasoftware.com", "https://signer.lacunasoftware.com", ""},
		{"https://signer.example.com:8443/sub/path///", "https://signer.example.com:8443/sub/path", ""},
		{"HTTPS://signer.example.com/", "HTTPS://signer.example.com", ""},
		{"http://localhost:8080", "http://localhost:8080", ""},
		{"http://LocalHost", "http://LocalHost", ""},
		{"http://127.8.0.1:1/", "http://127.8.0.1:1", ""},
		{"http://[::1]:8080", "http://[::1]:8080", ""},
		{"http://signer.example.com", "", notHTTPS},
		{"http://localhost.example.com", "", notHTTPS},
		{"http://127.0.0.1.example.com", "", notHTTPS},
		{"http://0.0.0.0", "", notHTTPS},
		{"http://10.0.0.1", "", notHTTPS},
		{"ftp://localhost", "", notHTTPS},
		{"//signer.example.com", "", notHTTPS},
		{"signer.example.com", "", noAddress},
		{"https:signer.example.com", "", noAddress},
		{"https://", "", noAddress},
		{"https://:443", "", noAddress},
		{"https://signer.example.com:0", "", noAddress},
		{"https://signer.example.com:65536", "", noAddress},
		{"https://signer.example.com:https", "", noAddress},
		{"https://signer.example.com\n", "", noAddress},
		{" https://signer.example.com", "", noAddress},
		{"https://signer.example.com/a b", "", noAddress},
		{`https://signer.example.com\@swordfish.example`, "", noAddress},
		{"https://signer.example.com?", "", query},
		{"https://signer.example.com/?key=swordfish", "", query},
		{"https://signer.example.com/#", "", query},
		{"https://ana:swordfish@signer.example.com", "", "has a user in it, whom nobody asks for"},
		{"https://@signer.example.com", "", "has a user in it, whom nobody asks for"},
		{"https://signer.example.com/" + strings.Repeat("a", 512), "", "is longer than 512 bytes"},
	}
	for _, tt := range tests {
		got, err := load(t, `{`+kms+`,`+apiKey+`,"Signer":{"ApiKey":"application|0123456789","Endpoint":`+quote(t, tt.endpoint)+`}}`)
		if tt.want == "" {
			if err != nil || got.Signer.Endpoint != tt.reads {
				t.Errorf("%q is read as %q, %v, want %q", tt.endpoint, got.Signer.Endpoint, err, tt.reads)
			}
			continue
		}
		if got := faults(t, err); len(got) != 1 || got[0].Key != "Signer:Endpoint" || got[0].Message != tt.want || strings.Contains(err.Error(), "swordfish") {
			t.Errorf("%q: %v, want one fault: %s", tt.endpoint, got, tt.want)
		}
	}
}

func TestSignerSecrets(t *testing.T) {
	t.Parallel()
	const form, space = "is not application|secret", "has white space around it or control characters in it"
	tests := []struct{ key, value, want string }{
		{"ApiKey", "application|0123", ""},
		{"ApiKey", secretARN, ""},
		{"ApiKey", "application|012", "is shorter than 16 characters"},
		{"ApiKey", "applicationX0123456789", form},
		{"ApiKey", "|application0123456789", form},
		{"ApiKey", "application0123456789|", form},
		{"ApiKey", "application|0123|456789", form},
		{"ApiKey", "application|0123456789 ", space},
		{"ApiKey", "application|0123\x7f456789", space},
		{"ApiKey", "application|" + strings.Repeat("0", 501), "is longer than 512 bytes"},
		{"ApiKey", "arn:aws:secretsmanager:sa-east-1:1:secret:a|b", "looks like an ARN, but not of a secret"},
		{"WebhookSecret", "", ""},
		{"WebhookSecret", strings.Repeat("0", 32), ""},
		{"WebhookSecret", strings.Repeat("ç", 32), ""},
		{"WebhookSecret", secretARN, ""},
		{"WebhookSecret", strings.Repeat("0", 31), "is shorter than 32 characters"},
		{"WebhookSecret", strings.Repeat("0", 32) + "\n", space},
		{"WebhookSecret", " " + strings.Repeat("0", 32), space},
		{"WebhookSecret", strings.Repeat("0", 513), "is longer than 512 bytes"},
		{"WebhookSecret", "arn:aws:ssm:sa-east-1:111122223333:parameter/webhook", "looks like an ARN, but not of a secret"},
	}
	for _, tt := range tests {
		got, err := load(t, "{"+kms+","+apiKey+","+signerSection+"}", "Signer__"+tt.key+"="+tt.value)
		if tt.want == "" {
			read := map[string]settings.Secret{"ApiKey": got.Signer.ApiKey, "WebhookSecret": got.Signer.WebhookSecret}
			if err != nil || string(read[tt.key]) != tt.value {
				t.Errorf("%s=%q is read as %q, %v, want it as written", tt.key, tt.value, string(read[tt.key]), err)
			}
			continue
		}
		if got := faults(t, err); len(got) != 1 || got[0].Key != "Signer:"+tt.key || got[0].Message != tt.want {
			t.Errorf("%s=%q: %v, want one fault: %s", tt.key, tt.value, got, tt.want)
		}
	}
}

func TestProfilesThatNeedSigner(t *testing.T) {
	t.Parallel()
	second := strings.Replace(strings.Replace(folderProfile, "minutes", "records", 1), "0194f3c2", "0194F3C2", 1)
	nameless := strings.Replace(folderProfile, "minutes", "The Minutes", 1)
	tests := []struct {
		name, profiles, sections string
		want                     string // key and message of the one fault
	}{
		{"a person", personProfile, "," + signerSection, ""},
		{"a folder, and no files", folderProfile, "," + signerSection, ""},
		{"both", personProfile + "," + folderProfile, "," + signerSection, ""},
		{"a person without Signer", personProfile, "",
			"Signing:Profiles[0]:Method works with Lacuna Signer, and Signer:Endpoint and Signer:ApiKey are not set"},
		{"a folder without Signer", folderProfile, `,"Signer":{}`,
			"Signing:Profiles[0]:Method works with Lacuna Signer, and Signer:Endpoint and Signer:ApiKey are not set"},
		{"a person with half of Signer", personProfile, `,"Signer":{"Endpoint":"https://signer.example.com"}`,
			"Signer:ApiKey is missing, and work with Lacuna Signer needs both Signer:Endpoint and Signer:ApiKey"},
		{"a disabled folder without Signer", strings.Replace(folderProfile, "{", `{"Enabled":false,`, 1), "",
			"Signing:Profiles[0]:Method works with Lacuna Signer, and Signer:Endpoint and Signer:ApiKey are not set"},
		{"one folder for two", folderProfile + "," + second, "," + signerSection,
			`Signing:Profiles[1]:SignerFolder:Id is the folder of the profile "minutes", and a folder has one profile`},
		{"files for a folder", folderProfile + "," + personProfile, "," + signerSection + `,"Storage":{"Inputs":[{"Prefix":"in/","Profile":"Minutes"}]}`,
			"Storage:Inputs[0]:Profile names a SignerFolder profile, which takes no files"},
		{"files for nobody but a folder", folderProfile, "," + signerSection + `,"Storage":{"Inputs":[{"Prefix":"in/"}]}`,
			"Storage:Inputs[0]:Profile names no profile of Signing:Profiles"},
		{"a folder, and files for a profile that does not exist", folderProfile + "," + strings.Replace(personProfile, `"default"`, `"hiring","Format":"Pades"`, 1),
			"," + signerSection, `Storage:Inputs is empty, so that every file goes to the profile "default", which does not exist`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, `{`+apiKey+`,"Signing":{"Profiles":[`+tt.profiles+`]}`+tt.sections+`}`)
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if got := faults(t, err); len(got) != 1 || got[0].Key+" "+got[0].Message != tt.want {
				t.Errorf("faults = %v, want one: %s", got, tt.want)
			}
		})
	}
	_, err := load(t, `{`+apiKey+`,`+signerSection+`,"Signing":{"Profiles":[`+nameless+`,`+folderProfile+`]}}`)
	if got := faults(t, err); !strings.Contains(got[len(got)-1].Message, `the profile "Signing:Profiles[0]"`) || strings.Contains(err.Error(), "The Minutes") {
		t.Errorf("faults = %v, want the other profile named by its place, since its name is none", got)
	}
}

func TestOnlySignerFolderProfilesWatchNothing(t *testing.T) {
	t.Parallel()
	got, err := load(t, `{`+apiKey+`,`+signerSection+`,"Signing":{"Profiles":[`+folderProfile+`]}}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := got.Folder("a.pdf"); ok || len(got.Storage.Inputs) != 0 {
		t.Errorf("inputs = %v, want none", got.Storage.Inputs)
	}
}

func TestRequirePolicyFollowsTheMethod(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]bool{
		personProfile: false, strings.Replace(personProfile, "{", `{"RequirePolicy":true,`, 1): true,
		folderProfile: false, strings.Replace(personProfile, "{", `{"RequirePolicy":null,`, 1): false,
	} {
		got, err := load(t, `{`+apiKey+`,`+signerSection+`,"Signing":{"Profiles":[`+profile+`]}}`)
		if err != nil || got.Signing.Profiles[0].RequirePolicy != want {
			t.Errorf("%s: %v, RequirePolicy %t, want %t", profile, err, !want, want)
		}
	}
}

// Whoever saves a profile asks the settings, which see more than the profile's own rules.
func TestCheckSeesTheWholeService(t *testing.T) {
	t.Parallel()
	person, err := load(t, `{`+apiKey+`,`+signerSection+`,"Signing":{"Profiles":[`+personProfile+`]}}`)
	if err != nil {
		t.Fatal(err)
	}
	without, err := load(t, "{"+kms+","+apiKey+"}")
	if err != nil {
		t.Fatal(err)
	}
	p := person.Signing.Profiles[0]
	if got := person.Check(p); got != nil {
		t.Errorf("with a Signer, Check = %v, want nil", got)
	}
	p.Signer = nil
	var rules []int
	for _, r := range without.Check(p) {
		rules = append(rules, r.Rule)
	}
	if diff := cmp.Diff([]int{5, 9}, rules); diff != "" {
		t.Errorf("rules without a Signer (-want +got):\n%s", diff)
	}
}
