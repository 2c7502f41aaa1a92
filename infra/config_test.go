package main_test

import (
	"debug/elf"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	infra "bulksigner/infra"
)

// contains reports the sentences that an error lacks.
func contains(t *testing.T, err error, sentences ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("got no error, want %q", sentences)
	}
	for _, s := range sentences {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("error is %q, want %q in it", err, s)
		}
	}
}

func TestReadOptions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		context map[string]any
		want    []string // sentences of the error
	}{
		{"nothing given", nil, nil},
		{"numbers of a context file", map[string]any{"inputDays": 37.0}, nil},
		{"numbers of the command line", map[string]any{"inputDays": "400"}, nil},
		{"versions that go too early", map[string]any{"inputDays": 36}, []string{"context inputDays: it must be a whole number from 37"}},
		{"days in words", map[string]any{"inputDays": "many"}, []string{"context inputDays"}},
		{"an endless loop", map[string]any{"inputBucket": "one-bucket", "outputBucket": "one-bucket"},
			[]string{"every output would be taken in again"}},
		{"all faults together", map[string]any{
			"stack": "Upper_Case", "inputBucket": "a", "outputBucket": "UPPER", "encryption": "none", "accessLogsBucket": "x y",
			"alarmTopicArn": "operators", "settings": "", "dist": "",
		}, []string{"context stack", "context inputBucket", "context outputBucket", "context encryption", "context accessLogsBucket",
			"context alarmTopicArn", "context settings", "context dist"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := infra.ReadOptions(func(key string) any { return tt.context[key] })
			if tt.want == nil {
				if err != nil {
					t.Errorf("ReadOptions = %v, want no error", err)
				}
				return
			}
			contains(t, err, tt.want...)
		})
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	good := configured(pfxProfile("letters", letters, lettersPass))
	tests := []struct {
		name     string
		settings map[string]any
		environ  []string
		want     []string
	}{
		{"good", good, nil, nil},
		{"a secret's ARN in the environment", good, []string{"Auth__ApiKey=" + apiKey}, nil},
		{"keys of Lacuna Signer in the environment", good, []string{"Signer__Endpoint=https://signer.example.com",
			"SIGNER__ApiKey=application|of-the-tests", "Signer__WebhookSecret=a bearer of thirty-two characters"},
			[]string{"SIGNER__ApiKey: it would be readable", "Signer__WebhookSecret: it would be readable"}},
		{"secrets' ARNs of Lacuna Signer in the environment", good, []string{"Signer__Endpoint=https://signer.example.com",
			"Signer__ApiKey=" + signerKey, "Signer__WebhookSecret=" + bearer}, nil},
		{"a password in the environment", good, []string{"Encryption__Enabled=true", "Encryption__Password=a password of many characters",
			"Encryption__Salt=MDEyMzQ1Njc4OWFiY2RlZg=="}, []string{"Encryption__Password: it would be readable"}},
		{"a password's ARN in the environment", good, []string{"Encryption__Enabled=true", "Encryption__Password=" + sealing,
			"Encryption__Salt=MDEyMzQ1Njc4OWFiY2RlZg=="}, nil},
		{"no bearer in the environment", good, []string{"Signer__Endpoint=https://signer.example.com", "Signer__ApiKey=" + signerKey,
			"Signer__WebhookSecret="}, nil},
		{"half of Lacuna Signer", good, []string{"Signer__Endpoint=https://signer.example.com"}, []string{"Signer:Endpoint", "Signer:ApiKey"}},
		{"a person without Lacuna Signer", configured(personProfile("people")), nil, []string{"Signer:Endpoint", "Signer:ApiKey"}},
		{"a key in the environment", good, []string{"auth__apikey=a key of thirty-two characters.."}, []string{"readable in the template"}},
		{"concurrency below the platform's", good, []string{"Pipeline__MaxConcurrency=1"}, []string{"Pipeline:MaxConcurrency"}},
		{"more than an environment holds", good, []string{"Auth__ApiKeyHeader=X-" + strings.Repeat("a", 4000)}, []string{"has room for 3072"}},
		{"no key for the API", map[string]any{"Signing": good["Signing"], "Storage": good["Storage"]}, nil, []string{"Auth:ApiKey"}},
		{"an object that no role can name", configured(kmsProfile("p", keyID, "s3://certificates/*.pem")), nil,
			[]string{"s3://certificates/*.pem: a role cannot name"}},
		{"a trust anchor that no role can name", anchored("s3://certificates/$roots.pem", configured(pfxProfile("p", letters, lettersPass))), nil,
			[]string{"s3://certificates/$roots.pem: a role cannot name"}},
		{"an image that no role can name", configured(sealed(pfxProfile("p", letters, lettersPass), "s3://seals/?.png")), nil,
			[]string{"s3://seals/?.png: a role cannot name"}},
		{"nothing to validate against", map[string]any{"Signing": map[string]any{"Profiles": []any{pfxProfile("default", letters, lettersPass)}},
			"Auth": good["Auth"]}, nil, []string{"Signing:Profiles[0]:ValidateCertificate", "Signing:TrustAnchors"}},
		{"all faults together", configured(kmsProfile("P", "key", "")), []string{"Nonsense__A=1", "Upload__MaxBytes=x"},
			[]string{"Signing:Profiles[0]:Name", "Signing:Profiles[0]:Certificate:Kms:KeyId", "Upload:MaxBytes"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := deployment{settings: tt.settings, environ: tt.environ}
			_, err := d.config(t.TempDir())
			if tt.want == nil {
				if err != nil {
					t.Errorf("Load = %v, want no error", err)
				}
				return
			}
			contains(t, err, tt.want...)
		})
	}
}

// TestInputDays: an input must be there for as long as its person may take, and a month more.
func TestInputDays(t *testing.T) {
	t.Parallel()
	local := configured(pfxProfile("letters", letters, lettersPass))
	after := func(hours int) map[string]any {
		return atSigner(map[string]any{"TimeoutHours": hours}, personProfile("people"))
	}
	tests := []struct {
		name     string
		settings map[string]any
		given    any
		want     int
		refused  string
	}{
		{"no person is asked", local, nil, 37, ""},
		{"no person is asked, more is given", local, 400, 400, ""},
		{"the usual week", after(168), nil, 37, ""},
		{"an hour more is a day more", after(169), nil, 38, ""},
		{"a person has an hour", after(1), nil, 37, ""},
		{"a person has a year", after(8760), nil, 395, ""},
		{"as much as is needed", after(8760), "395", 395, ""},
		{"less than is needed", after(8760), 394, 394, "context inputDays: it must be at least 395: the 8760 hours of Signer:TimeoutHours"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := deployment{settings: tt.settings, context: map[string]any{}}
			if tt.given != nil {
				d.context["inputDays"] = tt.given
			}
			config, err := d.config(t.TempDir())
			if tt.refused != "" {
				contains(t, err, tt.refused)
			} else if err != nil {
				t.Error(err)
			}
			if config.Options.InputDays != tt.want {
				t.Errorf("versions of inputs live %d days, want %d", config.Options.InputDays, tt.want)
			}
		})
	}
}

// TestOverlays: a variable over any section of the settings reaches the functions.
func TestOverlays(t *testing.T) {
	t.Parallel()
	good := atSigner(nil, pfxProfile("letters", letters, lettersPass))
	config, err := deployment{settings: good}.config(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range config.Settings.Report() {
		section, _, _ := strings.Cut(e.Key, ":")
		variable := section + "__Nothing"
		got, err := deployment{settings: good, environ: []string{variable + "=1"}}.config(t.TempDir())
		if got.Overlays[variable] != "1" || err == nil {
			t.Errorf("%s is not handed on, or not refused: %v, %v", variable, got.Overlays, err)
		}
	}
}

func TestLoadWithoutFile(t *testing.T) {
	t.Parallel()
	_, err := infra.Load(infra.Options{Settings: filepath.Join(t.TempDir(), "settings.json")}, nil)
	contains(t, err, "settings.json", "no such file")
}

// TestExample: the example is what is deployed by whoever has not written a settings file yet.
func TestExample(t *testing.T) {
	t.Parallel()
	if _, err := infra.Load(infra.Options{Settings: "../settings.example.json"}, nil); err != nil {
		t.Error(err)
	}
}

func TestBundle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := deployment{settings: configured(pfxProfile("letters", letters, lettersPass))}
	config, err := d.config(dir)
	if err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(dir, "dist", "sign", "settings.json")
	if err := os.WriteFile(stale, []byte("of yesterday"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := infra.Bundle(config); err != nil {
		t.Fatal(err)
	}
	for _, name := range infra.Functions(config.Settings) {
		for file, source := range map[string]string{"settings.json": "my-settings.json", "anchors/root.pem": "anchors/root.pem"} {
			got, err := os.ReadFile(filepath.Join(dir, "dist", name, file))
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(dir, source))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(want) {
				t.Errorf("%s of %s is not what was checked", file, name)
			}
		}
	}
}

// TestFunctionsByNeed: what a service has no use for is not deployed, and need not be built.
func TestFunctionsByNeed(t *testing.T) {
	t.Parallel()
	local := configured(pfxProfile("letters", letters, lettersPass))
	tests := map[string]struct {
		settings map[string]any
		want     []string
	}{
		"no Lacuna Signer": {local, []string{"sign", "recover", "api"}},
		"no notifications": {atSigner(nil, personProfile("people")), []string{"sign", "recover", "api", "poll", "sweep"}},
		"all":              {atSigner(map[string]any{"WebhookSecret": bearer}, personProfile("people")), []string{"sign", "recover", "api", "poll", "sweep", "notify"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			config, err := deployment{settings: tt.settings}.config(dir)
			if err != nil {
				t.Fatal(err)
			}
			if got := infra.Functions(config.Settings); !slices.Equal(got, tt.want) {
				t.Errorf("functions are %v, want %v", got, tt.want)
			}
			for _, name := range programs {
				if !slices.Contains(tt.want, name) {
					if err := os.RemoveAll(filepath.Join(dir, "dist", name)); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := infra.Bundle(config); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestBundleRefusesPrograms(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spoil func(path string) error
		want  string
	}{
		"missing":             {os.Remove, "build the functions first"},
		"not executable":      {func(p string) error { return os.Chmod(p, 0o644) }, "is not executable"},
		"not a program":       {func(p string) error { return os.WriteFile(p, []byte("#!/bin/sh\n"), 0o755) }, "is not a program for Linux"},
		"for another machine": {func(p string) error { return os.WriteFile(p, program(elf.EM_X86_64), 0o755) }, "is built for EM_X86_64"},
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			config, err := deployment{settings: configured(pfxProfile("letters", letters, lettersPass))}.config(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range []string{"sign", "api"} {
				if err := tests[name].spoil(filepath.Join(dir, "dist", f, "bootstrap")); err != nil {
					t.Fatal(err)
				}
			}
			contains(t, infra.Bundle(config), tests[name].want, "/sign/bootstrap", "/api/bootstrap")
		})
	}
}
