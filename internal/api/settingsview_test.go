package api_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"bulksigner/internal/api"
	"bulksigner/internal/fault"
	"bulksigner/internal/settings"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	s := newService(t, func(_ *service, p *api.Parts) {
		p.Settings.Signer.WebhookSecret = "hidden secret hidden secret hidden secret"
		p.Settings.RateLimiting.Enabled = true
	})
	b := bodyOf(t, s.send(t, "GET", "/api/settings", ""))
	var got struct {
		Settings []struct {
			Key, Source    string
			Value          any
			Variable, Note *string
		}
	}
	if err := json.Unmarshal([]byte(b), &got); err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	for _, e := range got.Settings {
		values[e.Key] = e.Value
		if e.Source != "default" || e.Variable != nil {
			t.Errorf("%s comes from %s", e.Key, e.Source)
		}
	}
	for key, want := range map[string]any{
		"Pipeline:MaxConcurrency": 25.0, "Upload:Enabled": true, "Auth:ApiKey": "***", "Signer:ApiKey": "***", "Signer:WebhookSecret": "***",
		"Encryption:Password": "***", "Encryption:Salt": "***", "Storage:Inputs[0]:Name": "in", "Signer:Endpoint": "https://signer.example",
	} {
		if values[key] != want {
			t.Errorf("%s = %v, want %v", key, values[key], want)
		}
	}
	if len(got.Settings) != len(s.settings.Report()) {
		t.Errorf("%d settings, want all %d", len(got.Settings), len(s.settings.Report()))
	}
	if strings.Contains(b, "hidden") || strings.Contains(b, key) {
		t.Errorf("secrets are shown: %s", b)
	}
}

// What a variable has set is said to come from it.
func TestSettingsSayWhereTheyComeFrom(t *testing.T) {
	t.Parallel()
	file := fstest.MapFS{"settings.json": {Data: []byte(`{"Auth":{"ApiKey":"` + key + `"},"Signing":{"Certificate":{"Source":"Kms","Kms":{"KeyId":"alias/a","Certificate":"s3://keys/a.pem"}}},
		"Upload":{"Enabled":false}}`)}}
	loaded, err := settings.Load(file, "settings.json", []string{"Upload__MaxBytes=2048"}, settings.API)
	if err != nil {
		t.Fatal(err)
	}
	s := newService(t, func(_ *service, p *api.Parts) { p.Settings = loaded })
	b := bodyOf(t, s.send(t, "GET", "/api/settings", ""))
	for _, want := range []string{
		`{"key":"Upload:Enabled","value":false,"source":"file","variable":null,"note":null}`,
		`{"key":"Upload:MaxBytes","value":2048,"source":"environment","variable":"Upload__MaxBytes","note":null}`,
		`{"key":"Statistics:Enabled","value":true,"source":"default","variable":null,"note":null}`,
	} {
		if !strings.Contains(b, want) {
			t.Errorf("%s is not in %s", want, b)
		}
	}
}

// Settings say which routes need the key.
func TestRoutesThatMayBeOpen(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path string
		set  func(*settings.Settings, bool)
	}{
		{"/api/metrics", func(s *settings.Settings, need bool) { s.Metrics.RequireApiKey = need }},
		{"/api/ready", func(s *settings.Settings, need bool) { s.Readiness.RequireApiKey = need }},
	}
	for _, tt := range tests {
		for _, need := range []bool{true, false} {
			s := newService(t, func(_ *service, p *api.Parts) { tt.set(&p.Settings, need) })
			d, _ := documentOf(t, s)
			if got := d.Paths[tt.path]["get"].open(); got == need {
				t.Errorf("%s needs the key: %v, and the document says that it is open: %v", tt.path, need, got)
			}
			if r := s.send(t, "GET", tt.path, "", "X-API-Key", ""); need {
				wantProblem(t, r, 401, fault.AuthInvalidCredentials)
			} else if r.StatusCode != 200 {
				t.Errorf("%s = %d without the key, want 200", tt.path, r.StatusCode)
			}
			if r := s.send(t, "GET", tt.path, ""); r.StatusCode != 200 {
				t.Errorf("%s = %d with the key, want 200", tt.path, r.StatusCode)
			}
		}
	}
}
