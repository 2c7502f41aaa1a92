package settings_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/settings"
)

func entry(t *testing.T, s settings.Settings, key string) settings.Entry {
	t.Helper()
	all := s.Report()
	i := slices.IndexFunc(all, func(e settings.Entry) bool { return e.Key == key })
	if i < 0 {
		t.Fatalf("%s is not reported", key)
	}
	return all[i]
}

func TestReportSaysWhereAValueCameFrom(t *testing.T) {
	t.Parallel()
	got, err := load(t, `{`+kms+`,`+apiKey+`,`+signerSection+`,"upload":{"maxBytes":2048,"Enabled":null},"WatchedFolder":{"IgnoredPrefixes":["a","b"]},
		"Storage":{"Inputs":[{"Name":"in","Prefix":"in/","IgnoredPrefixes":[]}]}}`,
		"PIPELINE__maxconcurrency=25", "Signer__PollIntervalSeconds=5", "Storage__Inputs__1__Prefix=more/", "Storage__Inputs__1__Name=more",
		"WatchedFolder__IgnoredPrefixes__1=c", "WatchedFolder__IgnoredPrefixes__2=d", "WatchedFolder__IgnoredExtensions__0=.x", "Signing__TrustAnchors__0=root.pem")
	if err != nil {
		t.Fatal(err)
	}
	const byDefault, file, environment = settings.FromDefault, settings.FromFile, settings.FromEnvironment
	for _, want := range []settings.Entry{
		{Key: "Upload:MaxBytes", Value: int64(2048), Source: file},
		{Key: "Upload:Enabled", Value: true, Source: byDefault},
		{Key: "Pipeline:MaxConcurrency", Value: 25, Source: environment, Variable: "PIPELINE__maxconcurrency"},
		{Key: "Signer:Endpoint", Value: "https://signer.example.com", Source: file},
		{Key: "Signer:ApiKey", Value: "***", Source: file},
		{Key: "Signer:WebhookSecret", Value: "", Source: byDefault},
		{Key: "Signer:PollIntervalSeconds", Value: 5, Source: environment, Variable: "Signer__PollIntervalSeconds"},
		{Key: "Signing:TrustAnchors", Value: []string{"root.pem"}, Source: environment, Variable: "Signing__TrustAnchors__0"},
		{Key: "WatchedFolder:IgnoredPrefixes", Value: []string{"a", "c", "d"}, Source: environment, Variable: "WatchedFolder__IgnoredPrefixes__1"},
		{Key: "WatchedFolder:IgnoredExtensions", Value: []string{".x"}, Source: environment, Variable: "WatchedFolder__IgnoredExtensions__0"},
		{Key: "Storage:Inputs[0]:Name", Value: "in", Source: file},
		{Key: "Storage:Inputs[0]:Profile", Value: "default", Source: byDefault},
		{Key: "Storage:Inputs[0]:IgnoredPrefixes", Value: []string{}, Source: file},
		{Key: "Storage:Inputs[0]:IgnoredExtensions", Value: []string{}, Source: byDefault},
		{Key: "Storage:Inputs[1]:Prefix", Value: "more/", Source: environment, Variable: "Storage__Inputs__1__Prefix"},
		{Key: "RateLimiting:Upload:WindowSeconds", Value: 60, Source: byDefault},
	} {
		if diff := cmp.Diff(want, entry(t, got, want.Key)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Key, diff)
		}
	}
	if profiles := entry(t, got, "Signing:Profiles"); profiles.Value != 1 || profiles.Note == "" {
		t.Errorf("profiles = %+v, want their number and a note", profiles)
	}
}

// What is off is not in force.
func TestReportLeavesOutWhatIsOff(t *testing.T) {
	t.Parallel()
	got, err := load(t, "{"+kms+","+apiKey+`,"RateLimiting":{"Enabled":false}}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range got.Report() {
		switch section, _, _ := strings.Cut(e.Key, ":"); section {
		case "Signer", "Encryption", "RateLimiting":
			if e.Value != "" && e.Value != false {
				t.Errorf("%s is reported as %v, want only that it is off", e.Key, e.Value)
			}
		}
	}
	if inputs := entry(t, got, "Storage:Inputs[0]:Name"); inputs.Value != "default" || inputs.Source != settings.FromDefault {
		t.Errorf("the folder that nobody wrote = %+v, want it reported as a default", inputs)
	}
	if all := (settings.Settings{}).Report(); len(all) == 0 || all[0].Source != settings.FromDefault {
		t.Errorf("settings that nobody read report %v", all)
	}
}

func TestReportHidesSecrets(t *testing.T) {
	t.Parallel()
	const webhook = "swordfish swordfish swordfish swordfish"
	got, err := load(t, "{"+kms+","+signerSection+","+encryptionSection+"}", "Auth__ApiKey="+secretARN, "Signer__ApiKey=application|swordfish",
		"Encryption__Password=swordfish swordfish", "Encryption__Salt=c3dvcmRmaXNoIHN3b3JkZmlzaA==", "Signer__WebhookSecret="+webhook)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(got.Report())
	if err != nil {
		t.Fatal(err)
	}
	if text := string(data); strings.Contains(text, "swordfish") || strings.Contains(text, "c3dv") || strings.Contains(text, secretARN) || strings.Contains(text, "null") {
		t.Errorf("the report shows a secret or lacks a value: %s", text)
	}
	for _, key := range []string{"Auth:ApiKey", "Signer:ApiKey", "Signer:WebhookSecret", "Encryption:Password", "Encryption:Salt"} {
		if e := entry(t, got, key); e.Value != "***" || e.Source != settings.FromEnvironment {
			t.Errorf("%s is reported as %+v, want *** of the environment", key, e)
		}
	}
	if diff := cmp.Diff([]string{webhook, "application|swordfish", "swordfish swordfish"}, got.Literals()); diff != "" {
		t.Errorf("literals (-want +got):\n%s", diff)
	}
}

func TestLiterals(t *testing.T) {
	t.Parallel()
	s := settings.Settings{
		Auth:       settings.Auth{ApiKey: "the same for both"},
		Signer:     settings.Signer{ApiKey: secretARN, WebhookSecret: "eleven char"},
		Encryption: settings.Encryption{Password: "the same for both"},
	}
	if diff := cmp.Diff([]string{"the same for both"}, s.Literals()); diff != "" {
		t.Errorf("literals (-want +got):\n%s", diff)
	}
	if got := (settings.Settings{}).Literals(); len(got) != 0 {
		t.Errorf("literals of nothing = %q", got)
	}
}

var knownHere = regexp.MustCompile(`known here are (.*)$`)

// Every key that a file may have is in the report, but for those of profiles: the reader's own words tell which there are.
func TestReportHasEveryKey(t *testing.T) {
	t.Parallel()
	sections := []string{
		"Signing", "Signer", "Storage", "Storage__Inputs__0", "WatchedFolder", "Pipeline", "Encryption", "Auth", "Upload", "RateLimiting",
		"RateLimiting__Upload", "RateLimiting__Actions", "RateLimiting__SignerNotification", "Metrics", "Readiness", "Statistics",
	}
	file := "{" + kms + "," + apiKey + "," + signerSection + "," + encryptionSection + `,"Storage":{"Inputs":[{"Prefix":""}]}}`
	got, err := load(t, file)
	if err != nil {
		t.Fatal(err)
	}
	var reported []string
	for _, e := range got.Report() {
		reported = append(reported, e.Key)
	}
	for _, section := range sections {
		_, err := load(t, file, section+"__Nothing that is known=1")
		for _, f := range faults(t, err) {
			known := knownHere.FindStringSubmatch(f.Remedy)
			if known == nil {
				t.Fatalf("%s: fault = %v, want the known keys", section, f)
			}
			path := strings.TrimSuffix(f.Key, `"Nothing that is known"`)
			for key := range strings.SplitSeq(known[1], ", ") {
				if key = path + key; key != "Signing:Certificate" && !isReported(reported, key) {
					t.Errorf("%s is not reported", key)
				}
			}
		}
	}
	if slices.Sort(reported); len(slices.Compact(slices.Clone(reported))) != len(reported) {
		t.Errorf("a key is reported twice: %s", fmt.Sprint(reported))
	}
}

func isReported(all []string, key string) bool {
	return slices.ContainsFunc(all, func(r string) bool {
		return r == key || strings.HasPrefix(r, key+":") || strings.HasPrefix(r, key+"[")
	})
}
