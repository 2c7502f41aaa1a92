package settings_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"bulksigner/internal/profile"
	"bulksigner/internal/settings"
)

// FuzzLoad holds that any file and any environment give either settings within their bounds or faults that are complete,
// stand on one line each and keep the API key to themselves.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"good.json", "faulty.json"} {
		f.Add([]byte(read(f, name)), "Upload__MaxBytes=2048\nStorage__Inputs__0__Name=in")
	}
	f.Add([]byte("{"+kms+"}"), "Signing__TrustAnchors__0=root.pem\nSigning__Profiles__0__Name=a\nPipeline__MaxConcurrency=3")
	f.Add([]byte("{"+kms+"}"), "Signer__Endpoint=http://127.0.0.1:8080/\nSigner__ApiKey=application|0123456789")
	f.Add([]byte(`{"Signing":{"Profiles":[`+folderProfile+`]},`+signerSection+`}`), "Signing__Profiles__1__SignerFolder__Id=1")
	f.Add([]byte("{"+kms+","+encryptionSection+"}"), "RateLimiting__Upload__QueueLimit=0\nEncryption__Iterations=20000")
	f.Add([]byte("\xef\xbb\xbf[]"), "Auth__ApiKey__0=1")
	root, err := os.ReadFile("testdata/root.pem")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, file []byte, environ string) {
		fsys := fstest.MapFS{"settings.json": {Data: file}, "root.pem": {Data: root}}
		for _, key := range []string{"w0rdfish", "w0rdfish w0rdfish"} { // one is too short
			s, err := settings.Load(fsys, "settings.json", append(strings.Split(environ, "\n"), "Auth__ApiKey="+key), settings.API)
			if err == nil {
				checkSettings(t, s)
				continue
			}
			checkFaults(t, faults(t, err))
			if !strings.Contains(string(file)+environ, "w0rdfish") && strings.Contains(err.Error(), "w0rdfish") {
				t.Errorf("the faults quote the API key: %v", err)
			}
		}
	})
}

func checkFaults(t *testing.T, all settings.Faults) {
	t.Helper()
	for _, one := range all {
		if line := one.String(); one.Key == "" || one.Message == "" || one.Remedy == "" || strings.ContainsAny(line, "\n\r") {
			t.Errorf("fault %q, want key, message and remedy on one line", line)
		}
	}
}

func checkSettings(t *testing.T, s settings.Settings) {
	t.Helper()
	folderless := !slices.ContainsFunc(s.Signing.Profiles, func(p profile.Profile) bool { return p.Method != profile.SignerFolder })
	if len(s.Signing.Profiles) == 0 || (len(s.Storage.Inputs) == 0) != folderless || s.Auth.ApiKey == "" {
		t.Errorf("settings are not complete: %+v", s)
	}
	if c := s.Pipeline.MaxConcurrency; c < 2 || c > 1000 {
		t.Errorf("MaxConcurrency = %d, want 2 to 1000", c)
	}
	if n := s.Signing.MaxXmlBytes; n < 1024 || n > 5<<20 {
		t.Errorf("MaxXmlBytes = %d, want 1 KiB to 5 MiB", n)
	}
	if o := s.Signing.RevocationOutage; o != settings.OutageRefuse && o != settings.OutageWarn {
		t.Errorf("RevocationOutage = %s, want a known value", o)
	}
	if e := s.Encryption; e.Enabled && (e.Password == "" || len(e.Salt) < 16 || e.Iterations < 10_000 || e.MaxBytes < 1024) {
		t.Errorf("encryption is half-written: %+v", e)
	}
	for _, p := range []settings.Policy{s.RateLimiting.Upload, s.RateLimiting.Actions, s.RateLimiting.SignerNotification} {
		if p.Permits < 1 || p.Window < time.Second || p.Window > time.Hour {
			t.Errorf("policy = %+v, want some permits in a second to an hour", p)
		}
	}
	if report, err := json.Marshal(s.Report()); err != nil || strings.Contains(string(report), string(s.Auth.ApiKey)) {
		t.Errorf("the report is %s, %v, want JSON without the API key", report, err)
	}
	if s.Signer.Configured() != (s.Signer != settings.Signer{}) {
		t.Errorf("Signer is half-written: %+v", s.Signer)
	}
	for _, p := range s.Signing.Profiles {
		for _, r := range s.Check(p) {
			if r.Rule != 35 { // a disabled profile with a folder: refused when it is saved, not when it is read
				t.Errorf("profile %s was let through: %v", p.Name, r)
			}
		}
	}
}
