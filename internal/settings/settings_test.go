package settings_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"bulksigner/internal/settings"
)

func TestSecretsHide(t *testing.T) {
	t.Parallel()
	s := settings.Settings{Auth: settings.Auth{ApiKey: "swordfish"}}
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var line strings.Builder
	slog.New(slog.NewJSONHandler(&line, nil)).Info("settings", "settings", s, "key", s.Auth.ApiKey)
	slog.New(slog.NewTextHandler(&line, nil)).Info("settings", "settings", s, "key", s.Auth.ApiKey)
	for _, text := range []string{fmt.Sprintf("%v %+v %#v %s %q", s, s, s, s.Auth.ApiKey, s.Auth.ApiKey), string(data), line.String()} {
		if strings.Contains(text, "swordfish") || !strings.Contains(text, "(secret)") {
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
		{"not an authority", "leaf.pem", "is not the certificate of an authority", 0},
		{"outside", "../root.pem", "is neither PEM nor the path of a file beside the settings file", 0},
		{"absolute", "/conf/root.pem", "is neither PEM nor the path of a file beside the settings file", 0},
		{"empty", "", "is neither PEM nor the path of a file beside the settings file", 0},
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
