package settings_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"bulksigner/internal/settings"
)

// encryptionSection is a whole section Encryption.
const encryptionSection = `"Encryption":{"Enabled":true,"Password":"a password of tests","Salt":"AAECAwQFBgcICQoLDA0ODw=="}`

func TestEncryptionIsCheckedWhereItIsEnabled(t *testing.T) {
	t.Parallel()
	const section = `"Password":"short","Salt":"not base64","Iterations":1,"MaxBytes":-1`
	got, err := load(t, `{`+kms+`,`+apiKey+`,"Encryption":{`+section+`}}`)
	if err != nil || got.Encryption.Enabled || string(got.Encryption.Password) != "short" {
		t.Errorf("switched off: %+v, %v, want no faults", got.Encryption, err)
	}
	for name, file := range map[string]string{"unknown": `{"Sale":""}`, "of a host": `{"PasswordEnvVar":"A"}`, "of another type": `{"Salt":7}`} {
		if _, err := load(t, `{`+kms+`,`+apiKey+`,"Encryption":`+file+`}`); len(faults(t, err)) != 1 {
			t.Errorf("switched off, %s: %v, want one fault", name, err)
		}
	}
	_, err = load(t, `{`+kms+`,`+apiKey+`,"Encryption":{"Enabled":true,`+section+`}}`)
	if all := faults(t, err); len(all) != 4 {
		t.Errorf("switched on: %v, want a fault for each of four keys", all)
	}
	_, err = load(t, `{`+kms+`,`+apiKey+`,"Encryption":{"Enabled":true}}`)
	all := faults(t, err)
	if len(all) != 2 || all[0].Key != "Encryption:Password" || all[1].Key != "Encryption:Salt" || !strings.HasPrefix(all[1].Message, "is missing") {
		t.Errorf("switched on alone: %v, want Password and Salt missing", all)
	}
}

func TestSaltsAndPasswords(t *testing.T) {
	t.Parallel()
	bytes := func(n int) string { return base64.StdEncoding.EncodeToString(make([]byte, n)) }
	tests := []struct{ key, value, want string }{
		{"Password", "twelve chars", ""},
		{"Password", strings.Repeat("ç", 12), ""},
		{"Password", secretARN, ""},
		{"Password", "eleven char", "is shorter than 12 characters"},
		{"Password", " twelve chars", "has white space around it or control characters in it"},
		{"Password", strings.Repeat("x", 513), "is longer than 512 bytes"},
		{"Password", "arn:aws:ssm:sa-east-1:111122223333:parameter/password", "looks like an ARN, but not of a secret"},
		{"Password", "", "is missing, and outputs cannot be encrypted without it"},
		{"Salt", bytes(16), ""},
		{"Salt", " " + bytes(1024) + "\n", ""},
		{"Salt", bytes(15), "has fewer than 16 bytes"},
		{"Salt", bytes(1025), "has more than 1024 bytes"},
		{"Salt", strings.TrimRight(bytes(16), "="), "is not base64"},
		{"Salt", strings.Repeat("0a", 16) + "-_", "is not base64"},
		{"Salt", "  ", "has fewer than 16 bytes"},
		{"Salt", "", "is missing, and outputs cannot be encrypted without it"},
	}
	for _, tt := range tests {
		got, err := load(t, "{"+kms+","+apiKey+","+encryptionSection+"}", "Encryption__"+tt.key+"="+tt.value)
		if tt.want == "" {
			written := map[string]string{"Password": string(got.Encryption.Password), "Salt": base64.StdEncoding.EncodeToString(got.Encryption.Salt)}
			if err != nil || written[tt.key] != strings.TrimSpace(tt.value) {
				t.Errorf("%s=%.40q is read as %.40q, %v", tt.key, tt.value, written[tt.key], err)
			}
			continue
		}
		if got := faults(t, err); len(got) != 1 || got[0].Key != "Encryption:"+tt.key || got[0].Message != tt.want {
			t.Errorf("%s=%.40q: %v, want one fault: %s", tt.key, tt.value, got, tt.want)
		}
	}
}

func TestProfilesThatEncrypt(t *testing.T) {
	t.Parallel()
	const file = `{` + apiKey + `,"Signing":{"TrustAnchors":["root.pem"],"Profiles":[{"Name":"default","Encrypt":true,
		"Certificate":{"Source":"Kms","Kms":{"KeyId":"alias/a","Certificate":"s3://bucket/a.pem"}}}]}`
	got, err := load(t, file+","+encryptionSection+"}")
	if err != nil {
		t.Fatal(err)
	}
	p := got.Signing.Profiles[0]
	if refusals := got.Check(p); !p.Encrypt || refusals != nil {
		t.Errorf("Encrypt = %t, Check = %v, want true and nothing", p.Encrypt, refusals)
	}
	got.Encryption = settings.Encryption{}
	if refusals := got.Check(p); len(refusals) != 1 || refusals[0].Rule != 18 {
		t.Errorf("without encryption, Check = %v, want rule 18", refusals)
	}
	for name, section := range map[string]string{"absent": ``, "off": `,"Encryption":{"Enabled":false}`} {
		_, err := load(t, file+section+"}")
		if got := faults(t, err); len(got) != 1 || got[0].Key != "Signing:Profiles[0]:Encrypt" || !strings.Contains(got[0].Message, "Encryption:Enabled") {
			t.Errorf("%s: %v, want one fault for the profile", name, got)
		}
	}
	_, err = load(t, file+`,"Encryption":{"Enabled":true,"Password":"a password of tests"}}`)
	if got := faults(t, err); len(got) != 1 || got[0].Key != "Encryption:Salt" {
		t.Errorf("half-written: %v, want nothing said of the profile", got)
	}
}
