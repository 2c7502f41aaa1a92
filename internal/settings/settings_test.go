package settings_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/settings"
)

func TestSecretsHide(t *testing.T) {
	t.Parallel()
	s := settings.Settings{Auth: settings.Auth{ApiKey: "swordfish"}, Signer: settings.Signer{ApiKey: "swordfish", WebhookSecret: "swordfish"},
		Encryption: settings.Encryption{Password: "swordfish", Salt: settings.Salt("swordfish")}}
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var line strings.Builder
	slog.New(slog.NewJSONHandler(&line, nil)).Info("settings", "settings", s, "key", s.Auth.ApiKey)
	slog.New(slog.NewTextHandler(&line, nil)).Info("settings", "settings", s, "key", s.Auth.ApiKey)
	secret := []byte("swordfish")
	forms := []string{string(secret), base64.StdEncoding.EncodeToString(secret), fmt.Sprint(secret), fmt.Sprintf("%#v", secret)[len("[]byte"):]}
	for _, text := range []string{
		fmt.Sprintf("%v %+v %#v %s %q", s, s, s, s.Auth.ApiKey, s.Auth.ApiKey), string(data), line.String(),
		fmt.Sprintf("%v %s %#v %q", s.Encryption, s.Encryption.Salt, s.Encryption.Salt, s.Encryption.Salt),
	} {
		shows := func(form string) bool { return strings.Contains(text, form) }
		if slices.ContainsFunc(forms, shows) || !shows("(secret)") {
			t.Errorf("shows a secret: %s", text)
		}
	}
}

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, key, want string
		stored          bool
	}{
		{"sixteen characters", "0123456789abcdef", "", false},
		{"sixteen letters of two bytes", strings.Repeat("ç", 16), "", false},
		{"ARN", secretARN, "", true},
		{"fifteen characters", "0123456789abcde", "is shorter than 16 characters", false},
		{"missing", "", "is missing, and the API serves nobody without it", false},
		{"another ARN", "arn:aws:ssm:sa-east-1:111122223333:parameter/api", "looks like an ARN, but not of a secret", false},
		{"white space", " 0123456789abcdef", "has white space around it or control characters in it", false},
		{"line break", "0123456789\nabcdef", "has white space around it or control characters in it", false},
		{"too long", strings.Repeat("x", 513), "is longer than 512 bytes", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := load(t, `{`+kms+`,"Auth":{"ApiKey":`+quote(t, tt.key)+`}}`)
			if tt.want == "" {
				if err != nil || string(got.Auth.ApiKey) != tt.key || got.Auth.ApiKey.Stored() != tt.stored {
					t.Errorf("ApiKey = %q, stored %t, %v, want it as written, stored %t", string(got.Auth.ApiKey), got.Auth.ApiKey.Stored(), err, tt.stored)
				}
				return
			}
			if got := faults(t, err); len(got) != 1 || got[0].Key != "Auth:ApiKey" || got[0].Message != tt.want {
				t.Errorf("faults = %v, want %s", got, tt.want)
			}
		})
	}
}

func TestOnlyTheAPINeedsAKey(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{"settings.json": {Data: []byte("{" + kms + "}")}}
	if _, err := settings.Load(fsys, "settings.json", nil); err != nil {
		t.Errorf("without needs: %v", err)
	}
	_, err := settings.Load(fsys, "settings.json", nil, settings.API)
	if got := faults(t, err); len(got) != 1 || got[0].Key != "Auth:ApiKey" {
		t.Errorf("for the API: %v, want one fault for Auth:ApiKey", got)
	}
}

func TestAnchors(t *testing.T) {
	t.Parallel()
	root := read(t, "root.pem")
	tests := []struct {
		name, entry, want string
		count             int
	}{
		{"file", "root.pem", "", 1},
		{"inline", root, "", 1},
		{"two in one", root + "\n" + root, "", 2},
		{"not an authority", "leaf.pem", "cannot be used: it has a certificate that is not an authority's", 0},
		{"object", "s3://certificates/roots.pem", "", 0},
		{"no object", "s3://certificates", "is not s3://bucket/key", 0},
		{"object of another kind", "https://bucket/roots.pem", "is neither PEM nor s3://bucket/key nor the path of a file beside the settings file", 0},
		{"outside", "../root.pem", "is neither PEM nor s3://bucket/key nor the path of a file beside the settings file", 0},
		{"absolute", "/conf/root.pem", "is neither PEM nor s3://bucket/key nor the path of a file beside the settings file", 0},
		{"empty", "", "is neither PEM nor s3://bucket/key nor the path of a file beside the settings file", 0},
		{"missing", "no.pem", "there is no such file", 0},
		{"a folder", ".", "cannot be read", 0},
		{"too large", "large.pem", "has more than 65536 bytes", 0},
		{"not PEM", "settings.json", "cannot be used: it is neither PEM nor base64 nor DER of a certificate", 0},
		{"private key", "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----", "cannot be used: it holds a private key", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := `{` + apiKey + `,` + strings.TrimSuffix(kms, "}") + `,"TrustAnchors":[` + quote(t, tt.entry) + `]}}`
			got, err := load(t, file)
			if tt.want == "" {
				if err != nil || len(got.Signing.Anchors) != tt.count {
					t.Errorf("%d anchors, %v, want %d", len(got.Signing.Anchors), err, tt.count)
				}
				return
			}
			if got := faults(t, err); len(got) != 1 || got[0].Key != "Signing:TrustAnchors[0]" || got[0].Message != tt.want {
				t.Errorf("faults = %v, want %s", got, tt.want)
			}
		})
	}
}

func TestAnchorObjects(t *testing.T) {
	t.Parallel()
	got, err := load(t, `{`+apiKey+`,`+strings.TrimSuffix(kms, "}")+`,"TrustAnchors":["s3://a-bucket/b.pem","root.pem","s3://a-bucket/a.pem"]}}`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"s3://a-bucket/b.pem", "s3://a-bucket/a.pem"}, got.Signing.AnchorObjects); diff != "" || len(got.Signing.Anchors) != 1 {
		t.Errorf("%d anchors, objects (-want +got):\n%s", len(got.Signing.Anchors), diff)
	}
}

func TestParseAnchors(t *testing.T) {
	t.Parallel()
	root := read(t, "root.pem")
	for data, count := range map[string]int{root: 1, root + root: 2, root + read(t, "leaf.pem"): 0, "": 0, "rubbish": 0} {
		got, err := settings.ParseAnchors([]byte(data))
		if len(got) != count || (err == nil) != (count > 0) || err != nil && !errors.Is(err, fault.CertificateInvalid) {
			t.Errorf("%d anchors, %v, want %d or %s", len(got), err, count, fault.CertificateInvalid)
		}
	}
}

// A profile that validates certificates needs something to validate them against, and says so unless that is unclear.
func TestValidationNeedsAnchors(t *testing.T) {
	t.Parallel()
	const documents = `{` + apiKey + `,"Storage":{"Inputs":[{"Prefix":"in/","Profile":"documents"}]},"Signing":{"Profiles":[{"Name":"documents",
		"Format":"Pades","Certificate":{"Source":"Kms","Kms":{"KeyId":"alias/a","Certificate":"s3://bucket/a.pem"}}`
	tests := []struct{ name, profile, anchors, want string }{
		{"unless it is set", ``, `[]`, "Signing:Profiles[0]:ValidateCertificate"},
		{"asked for", `,"ValidateCertificate":true`, `null`, "Signing:Profiles[0]:ValidateCertificate"},
		{"of a disabled profile", `,"Enabled":false`, `[]`, "Signing:Profiles[0]:ValidateCertificate"},
		{"not asked for", `,"ValidateCertificate":false`, `[]`, ""},
		{"with an anchor", ``, `["root.pem"]`, ""},
		{"with an object", ``, `["s3://bucket/roots.pem"]`, ""},
		{"with an anchor that is missing", ``, `["no.pem"]`, "Signing:TrustAnchors[0]"},
		{"with anchors that cannot be read", ``, `7`, "Signing:TrustAnchors"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, documents+tt.profile+`}],"TrustAnchors":`+tt.anchors+`}}`)
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if got := faults(t, err); len(got) != 1 || got[0].Key != tt.want {
				t.Errorf("faults = %v, want one for %s", got, tt.want)
			}
		})
	}
}
