package settings_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/profile"
	"bulksigner/internal/settings"
)

const apiKey = `"Auth":{"ApiKey":"0123456789abcdef"}`

func TestEnvironmentStandsOverTheFile(t *testing.T) {
	t.Parallel()
	got, err := load(t, `{`+kms+`,"Storage":{"Inputs":[{"Name":"in","Prefix":"in/"}]}}`,
		"PATH=/usr/bin", "SIGNER_CONFIG=x", "Unrelated__Key=1", "AWS__Region=x", "malformed", "=odd",
		"Auth__ApiKey=from the environment",
		"pipeline__maxconcurrency=25",
		"Upload__Enabled=FALSE",
		"Upload__MaxBytes=2048",
		"Signing__Certificate__Kms__KeyId=alias/b",
		"Signing__TrustAnchors__0=root.pem",
		"Storage__Inputs__0__Prefix=",
		"Storage__Inputs__0__IgnoredPrefixes__0=~",
		"Storage__Inputs__1__Name=more",
		"Storage__Inputs__1__Prefix=more/",
		"WatchedFolder__IgnoredExtensions__0=.new",
	)
	if err != nil {
		t.Fatal(err)
	}
	if key := got.Auth.ApiKey; string(key) != "from the environment" {
		t.Errorf("ApiKey = %q, want the variable's", string(key))
	}
	if got.Pipeline.MaxConcurrency != 25 || got.Upload.Enabled || got.Upload.MaxBytes != 2048 {
		t.Errorf("Pipeline = %+v, Upload = %+v, want the variables' values", got.Pipeline, got.Upload)
	}
	if id := got.Signing.Profiles[0].Certificate.Kms.KeyID; id != "alias/b" || len(got.Signing.Anchors) != 1 {
		t.Errorf("KeyID = %s, %d anchors, want alias/b and 1", id, len(got.Signing.Anchors))
	}
	want := []settings.Input{
		{Name: "in", Profile: "default", IgnoredPrefixes: []string{"~"}},
		{Name: "more", Prefix: "more/", Profile: "default"},
	}
	if diff := cmp.Diff(want, got.Storage.Inputs); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{".new"}, got.WatchedFolder.IgnoredExtensions); diff != "" {
		t.Errorf("a list that is set replaces the default (-want +got):\n%s", diff)
	}
}

func TestEnvironmentAddsTenEntriesAndMore(t *testing.T) {
	t.Parallel()
	var environ []string
	for _, i := range []string{"10", "2", "0", "1", "3", "9", "4", "8", "5", "6", "7"} {
		environ = append(environ, "WatchedFolder__IgnoredPrefixes__"+i+"=p"+i)
	}
	got, err := load(t, "{"+kms+","+apiKey+"}", environ...)
	if err != nil {
		t.Fatal(err)
	}
	if list := got.WatchedFolder.IgnoredPrefixes; len(list) != 11 || list[2] != "p2" || list[10] != "p10" {
		t.Errorf("IgnoredPrefixes = %v, want p0 to p10 in order", list)
	}
}

func TestEnvironmentFaultsNameTheVariable(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, variables string
		want            string // the fault's key, variable and message
	}{
		{"not a number", "Pipeline__MaxConcurrency=many", "Pipeline:MaxConcurrency|Pipeline__MaxConcurrency|is not a whole number, or far too large"},
		{"unknown outage", "Signing__RevocationOutage=ignore", "Signing:RevocationOutage|Signing__RevocationOutage|is not a value that is known"},
		{"empty number", "Pipeline__MaxConcurrency=", "Pipeline:MaxConcurrency|Pipeline__MaxConcurrency|is not a whole number, or far too large"},
		{"out of bounds", "PIPELINE__MaxConcurrency=1001", "Pipeline:MaxConcurrency|PIPELINE__MaxConcurrency|is out of bounds"},
		{"not a truth value", "Upload__Enabled=1", "Upload:Enabled|Upload__Enabled|is not a truth value"},
		{"unknown", "Upload__MaxByte=1", "Upload:MaxByte|Upload__MaxByte|is unknown"},
		{"no section", "Upload__MaxBytes__0=1", "Upload:MaxBytes|Upload__MaxBytes__0|is not a number"},
		{"of a section to come", "Dashboard__PollIntervalSeconds=5", "Dashboard|Dashboard__PollIntervalSeconds|the dashboard is not available yet"},
		{"of a policy", "RateLimiting__Actions__WindowSeconds=0", "RateLimiting:Actions:WindowSeconds|RateLimiting__Actions__WindowSeconds|is out of bounds"},
		{"of a host", "Storage__Root=/data", "Storage:Root|Storage__Root|documents are kept in the buckets of the stack"},
		{"profile's refusal", "Signing__Certificate__Kms__KeyId=?", "Signing:Certificate:Kms:KeyId|Signing__Certificate__Kms__KeyId|does not name a KMS key that you manage"},
		{"gap", "Storage__Inputs__1__Name=a", "Storage:Inputs[1]:Name|Storage__Inputs__1__Name|leaves out an index: the list has 0 entries before it"},
		{"index that is none", "Signing__TrustAnchors__0=root.pem Signing__TrustAnchors__x=a", "Signing:TrustAnchors:x|Signing__TrustAnchors__x|lies in a list without saying at which index"},
		{"leading zero", "Signing__TrustAnchors__0=root.pem Signing__TrustAnchors__01=a", "Signing:TrustAnchors:01|Signing__TrustAnchors__01|lies in a list without saying at which index"},
		{"huge index", "Signing__TrustAnchors__0=root.pem Signing__TrustAnchors__99999999999999999999=a",
			"Signing:TrustAnchors[99999999999999999999]|Signing__TrustAnchors__99999999999999999999|lies in a list without saying at which index"},
		{"over a section", "Auth__ApiKey=0123456789abcdef Auth__ApiKey__Value=a", "Auth:ApiKey:Value|Auth__ApiKey__Value|lies below a single value"},
		{"a section's name alone", "Signing__Certificate=a", "Signing:Certificate|Signing__Certificate|is not a single value"},
		{"list in one", "Signing__TrustAnchors=root.pem", "Signing:TrustAnchors|Signing__TrustAnchors|is not a list"},
		{"twice", "Upload__MaxBytes=2048 upload__maxbytes=4096", "upload:maxbytes|Upload__MaxBytes|is also set by upload__maxbytes"},
		{"empty part", "Upload____MaxBytes=1", `Upload:"":MaxBytes|Upload____MaxBytes|is not a key`},
		{"too deep", "Upload" + strings.Repeat("__a", 99) + "=1", "Upload" + strings.Repeat(":a", 9) + `|"Upload` + strings.Repeat("__a", 19) + `_"|is not a key`},
		{"too long", "Auth__ApiKey=" + strings.Repeat("x", 64<<10+1), "Auth:ApiKey|Auth__ApiKey|is longer than 64 KiB"},
		{"not text", "Auth__ApiKey=\xff", "Auth:ApiKey|Auth__ApiKey|is not UTF-8"},
		{"not a name", "Auth__Api\nKey=1", `Auth:"Api\nKey"|"Auth__Api\nKey"|is unknown`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, "{"+kms+","+apiKey+"}", strings.Split(tt.variables, " ")...)
			got := faults(t, err)
			text := got[0].Key + "|" + got[0].Variable + "|" + got[0].Message
			if len(got) != 1 || text != tt.want {
				t.Errorf("faults = %v\n got %s\nwant %s", got, text, tt.want)
			}
		})
	}
}

func TestEnvironmentOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	environ := []string{"Storage__Inputs__1__Prefix=b/", "Storage__Inputs__0__Prefix=a/", "Storage__Inputs__1__Name=b", "upload__enabled=x", "Upload__Enabled=x", "Auth__ApiKey=short"}
	_, first := load(t, "{"+kms+"}", environ...)
	slices.Reverse(environ)
	_, second := load(t, "{"+kms+"}", environ...)
	if diff := cmp.Diff(faults(t, first), faults(t, second)); diff != "" {
		t.Errorf("faults (-forward +backward):\n%s", diff)
	}
}

func TestEnvironmentReachesIntoBlocks(t *testing.T) {
	t.Parallel()
	const file = `{` + apiKey + `,"Signing":{"TrustAnchors":["root.pem"],"Profiles":[{"Name":"default","Format":"Pades",
		"Signature":{"Seal":{"Width":200,"Height":60}}}]}}`
	const seal, token = "Signing__Profiles__0__Signature__Seal__", "Signing__Profiles__0__Certificate__"
	environ := []string{
		seal + "Left=36.5", seal + "Page=-1", token + "Source=CloudHsm", token + "CloudHsm__ModulePath=/opt/hsm.so",
		token + "CloudHsm__Slot=3", token + "CloudHsm__Thumbprint=" + strings.Repeat("aB", 20), token + "CloudHsm__Pin=" + secretARN,
	}
	got, err := load(t, file, environ...)
	if err != nil {
		t.Fatal(err)
	}
	want := profile.New("default")
	want.Format, want.Signature.Seal = profile.Pades, &profile.Seal{Page: -1, Left: 36.5, Width: 200, Height: 60}
	want.Certificate = &profile.Certificate{Source: profile.CloudHsm, CloudHsm: &profile.HsmKey{
		ModulePath: "/opt/hsm.so", Slot: 3, Thumbprint: strings.Repeat("aB", 20), Pin: secretARN,
	}}
	if diff := cmp.Diff([]profile.Profile{want}, got.Signing.Profiles); diff != "" {
		t.Errorf("profiles (-want +got):\n%s", diff)
	}
	for value, message := range map[string]string{
		seal + "Bottom=0x1p4":             "is not a number, or far too long",
		seal + "Bottom=Inf":               "is not a number, or far too long",
		seal + "Bottom=NaN":               "is not a number, or far too long",
		seal + "Bottom=1_0":               "is not a number, or far too long",
		seal + "Bottom=-1":                "is not a place on a page",
		seal + "Image=logo.png":           "is not s3://bucket/key",
		token + "CloudHsm__PinEnvVar=PIN": "names a variable, which whoever may look at a function can read",
	} {
		_, err := load(t, file, append(environ, value)...)
		if got := faults(t, err); len(got) != 1 || got[0].Message != message || !strings.HasPrefix(value, got[0].Variable+"=") {
			t.Errorf("%s: %v, want one fault: %s", value, got, message)
		}
	}
}
