package settings_test

import (
	"fmt"
	"strings"
	"testing"
)

// A value of the wrong type is one fault: nothing that follows from it is said as well.
func TestWrongTypesAreOneFaultEach(t *testing.T) {
	t.Parallel()
	profiles := func(members string) string {
		return `{` + apiKey + `,"Signing":{"TrustAnchors":["root.pem"],"Profiles":[{"Name":"default",` + members + `}]}}`
	}
	const key = `"Certificate":{"Source":"Kms","Kms":{"KeyId":"alias/a","Certificate":"s3://bucket/a"}}`
	seal := func(members string) string {
		return profiles(key + `,"Format":"Pades","Signature":{"Seal":{"Width":200,"Height":60,` + members + `}}`)
	}
	tests := []struct{ file, key, message string }{
		{`{` + apiKey + `,"Signing":7}`, "Signing", "is not a section"},
		{`{` + apiKey + `,"Signing":{"Profiles":{}}}`, "Signing:Profiles", "is not a list"},
		{`{` + apiKey + `,"Signing":{"TrustAnchors":["root.pem"],"Profiles":[{"Name":"default",` + key + `},true]}}`, "Signing:Profiles[1]", "is not a section"},
		{`{` + apiKey + `,"Signing":{"Certificate":"alias/a"}}`, "Signing:Certificate", "is not a section"},
		{`{` + apiKey + `,"Signing":{"Certificate":{"Source":7,"Pfx":{"Location":"s3://bucket/a","Password":"` + secretARN + `"}}}}`, "Signing:Certificate:Source", "is not text"},
		{profiles(key + `,"Enabled":"false"`), "Signing:Profiles[0]:Enabled", "is not a truth value"},
		{profiles(key + `,"Format":1`), "Signing:Profiles[0]:Format", "is not text"},
		{profiles(key + `,"Signature":"SHA-256"`), "Signing:Profiles[0]:Signature", "is not a section"},
		{profiles(`"Certificate":{"Source":"Kms","Kms":[]}`), "Signing:Profiles[0]:Certificate:Kms", "is not a section"},
		{profiles(`"Certificate":{"Source":"Kms","Kms":{"KeyId":7,"Certificate":"s3://bucket/a"}}`), "Signing:Profiles[0]:Certificate:Kms:KeyId", "is not text"},
		{profiles(key + `,"Signature":{"Detached":1}`), "Signing:Profiles[0]:Signature:Detached", "is not a truth value"},
		{profiles(key + `,"Signature":{"Element":false}`), "Signing:Profiles[0]:Signature:Element", "is not text"},
		{profiles(key + `,"Format":"Pades","Signature":{"Seal":true}`), "Signing:Profiles[0]:Signature:Seal", "is not a section"},
		{seal(`"Page":1.5`), "Signing:Profiles[0]:Signature:Seal:Page", "is not a whole number, or far too large"},
		{seal(`"Page":"1"`), "Signing:Profiles[0]:Signature:Seal:Page", "is not a number"},
		{seal(`"Left":"1"`), "Signing:Profiles[0]:Signature:Seal:Left", "is not a number"},
		{seal(`"Left":1e100`), "Signing:Profiles[0]:Signature:Seal:Left", "is not a number, or far too long"},
		{seal(`"Left":0.123456789012345678901`), "Signing:Profiles[0]:Signature:Seal:Left", "is not a number, or far too long"},
		{seal(`"Image":{}`), "Signing:Profiles[0]:Signature:Seal:Image", "is not text"},
		{profiles(`"Certificate":{"Source":"CloudHsm","CloudHsm":"/a.so"}`), "Signing:Profiles[0]:Certificate:CloudHsm", "is not a section"},
		{profiles(`"Certificate":{"Source":"CloudHsm","CloudHsm":{"ModulePath":"/a.so","Slot":true,"Thumbprint":"` + strings.Repeat("a", 40) + `","Pin":"` + secretARN + `"}}`),
			"Signing:Profiles[0]:Certificate:CloudHsm:Slot", "is not a number"},
		{profiles(key + `,"Method":7,"SignerFolder":{}`), "Signing:Profiles[0]:Method", "is not text"},
		{profiles(`"Method":true`), "Signing:Profiles[0]:Method", "is not text"},
		{profiles(key + `,"Signer":"Ana"`), "Signing:Profiles[0]:Signer", "is not a section"},
		{profiles(key + `,"Signer":{"Identifier":52998224725}`), "Signing:Profiles[0]:Signer:Identifier", "is not text"},
		{`{` + kms + `,` + apiKey + `,"Signer":"application|secret"}`, "Signer", "is not a section"},
		{`{` + apiKey + `,"Signer":7,"Signing":{"Profiles":[` + folderProfile + `]}}`, "Signer", "is not a section"},
		{`{` + kms + `,` + apiKey + `,"Signer":{"Endpoint":"https://a.example","ApiKey":7}}`, "Signer:ApiKey", "is not text"},
		{`{` + kms + `,` + apiKey + `,"Signer":{"Endpoint":7,"ApiKey":"application|0123456789"}}`, "Signer:Endpoint", "is not text"},
		{`{` + kms + `,` + apiKey + `,` + strings.TrimSuffix(signerSection, "}") + `,"RequestsPerSecond":0.5}}`, "Signer:RequestsPerSecond", "is not a whole number, or far too large"},
		{`{` + kms + `,` + apiKey + `,` + strings.TrimSuffix(signerSection, "}") + `,"SkipUnchangedDocuments":1}}`, "Signer:SkipUnchangedDocuments", "is not a truth value"},
		{`{` + strings.TrimSuffix(kms, "}") + `,"RevocationOutage":true},` + apiKey + `}`, "Signing:RevocationOutage", "is not text"},
		{`{` + kms + `,` + apiKey + `,"Storage":{"Inputs":"in/"}}`, "Storage:Inputs", "is not a list"},
		{`{` + kms + `,` + apiKey + `,"Storage":{"Inputs":["in/",{"Prefix":"default/"}]}}`, "Storage:Inputs[0]", "is not a section"},
		{`{` + kms + `,` + apiKey + `,"Storage":{"Inputs":[{"Name":7,"Prefix":"in/"},{"Prefix":"default/"}]}}`, "Storage:Inputs[0]:Name", "is not text"},
		{`{` + kms + `,` + apiKey + `,"Storage":{"Inputs":[{"Prefix":["in/"]},{"Name":"b","Prefix":""}]}}`, "Storage:Inputs[0]:Prefix", "is not text"},
		{`{` + kms + `,` + apiKey + `,"Storage":{"Inputs":[{"Prefix":"in/","Profile":[]}]}}`, "Storage:Inputs[0]:Profile", "is not text"},
		{`{` + kms + `,` + apiKey + `,"WatchedFolder":{"IgnoredPrefixes":["a",null]}}`, "WatchedFolder:IgnoredPrefixes[1]", "is not text"},
		{`{` + kms + `,` + apiKey + `,"WatchedFolder":{"IgnoredPrefixes":[` + strings.Repeat(`"a",`, 100) + `"a"]}}`, "WatchedFolder:IgnoredPrefixes", "has more than 100 entries"},
		{`{` + kms + `,` + apiKey + `,"Pipeline":{"MaxConcurrency":"10"}}`, "Pipeline:MaxConcurrency", "is not a number"},
		{`{` + kms + `,` + apiKey + `,"Pipeline":{"MaxConcurrency":1e3}}`, "Pipeline:MaxConcurrency", "is not a whole number, or far too large"},
		{`{` + kms + `,` + apiKey + `,"Upload":{"MaxBytes":9223372036854775808}}`, "Upload:MaxBytes", "is not a whole number, or far too large"},
		{`{` + kms + `,` + apiKey + `,"Pipeline":{"RejectAlreadyProcessedFileNames":"no"}}`, "Pipeline:RejectAlreadyProcessedFileNames", "is not a truth value"},
		{`{` + kms + `,` + apiKey + `,"Encryption":true}`, "Encryption", "is not a section"},
		{`{` + kms + `,` + apiKey + `,"Encryption":{"Enabled":"true"}}`, "Encryption:Enabled", "is not a truth value"},
		{`{` + kms + `,` + apiKey + `,"Encryption":{"Password":123456789012}}`, "Encryption:Password", "is not text"},
		{`{` + kms + `,` + apiKey + `,"Encryption":{"Salt":[]}}`, "Encryption:Salt", "is not text"},
		{`{` + kms + `,` + apiKey + `,"Encryption":{"Iterations":"600000"}}`, "Encryption:Iterations", "is not a number"},
		{`{` + kms + `,` + apiKey + `,"Encryption":{"MaxBytes":1.5}}`, "Encryption:MaxBytes", "is not a whole number, or far too large"},
		{`{` + kms + `,` + apiKey + `,` + strings.Replace(encryptionSection, `"a password of tests"`, `7`, 1) + `}`, "Encryption:Password", "is not text"},
		{`{` + kms + `,` + apiKey + `,"RateLimiting":[]}`, "RateLimiting", "is not a section"},
		{`{` + kms + `,` + apiKey + `,"RateLimiting":{"Upload":30}}`, "RateLimiting:Upload", "is not a section"},
		{`{` + kms + `,` + apiKey + `,"RateLimiting":{"Upload":{"QueueLimit":"0"}}}`, "RateLimiting:Upload:QueueLimit", "is not a number"},
		{`{` + kms + `,` + apiKey + `,"Metrics":{"RequireApiKey":1}}`, "Metrics:RequireApiKey", "is not a truth value"},
		{`{` + kms + `,` + apiKey + `,"Readiness":{"RequireApiKey":1}}`, "Readiness:RequireApiKey", "is not a truth value"},
		{`{` + kms + `,` + apiKey + `,"Statistics":{"Enabled":1}}`, "Statistics:Enabled", "is not a truth value"},
		{`{` + apiKey + `,"Encryption":{"Enabled":1},"Signing":{"TrustAnchors":["root.pem"],"Profiles":[{"Name":"default","Encrypt":true,` + key + `}]}}`,
			"Encryption:Enabled", "is not a truth value"},
		{`{` + kms + `,"Auth":{"ApiKey":1234567890123456}}`, "Auth:ApiKey", "is not text"},
		{`{` + kms + `,"Auth":"0123456789abcdef"}`, "Auth", "is not a section"},
	}
	for _, tt := range tests {
		_, err := load(t, tt.file)
		got := faults(t, err)
		if len(got) != 1 || got[0].Key != tt.key || got[0].Message != tt.message {
			t.Errorf("%.120s: %v, want one: %s %s", tt.file, got, tt.key, tt.message)
		}
	}
}

func TestNullMeansTheDefault(t *testing.T) {
	t.Parallel()
	got, err := load(t, `{`+kms+`,`+apiKey+`,"Storage":null,"Upload":{"MaxBytes":null,"Enabled":null},"Pipeline":{"MaxConcurrency":null}}`)
	if err != nil {
		t.Fatal(err)
	}
	if got.Upload.MaxBytes != 104857600 || !got.Upload.Enabled || got.Pipeline.MaxConcurrency != 10 || len(got.Storage.Inputs) != 1 {
		t.Errorf("settings = %+v, want the defaults", got)
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		section, key string
		min, max     int64
	}{
		{"Pipeline", "MaxConcurrency", 2, 1000},
		{"Upload", "MaxBytes", 1024, 1 << 30},
		{"Storage", "ReconcileMinutes", 15, 1440},
		{"Signing", "KeyRequestsPerSecond", 1, 20000},
		{"Signing", "MaxXmlBytes", 1024, 5 << 20},
		{"Signer", "PollIntervalSeconds", 1, 3600},
		{"Signer", "TimeoutHours", 1, 8760},
		{"Signer", "MaxConsecutiveApiFailures", 1, 100},
		{"Signer", "FolderSweepIntervalSeconds", 60, 86400},
		{"Signer", "RequestsPerSecond", 1, 1000},
		{"Encryption", "Iterations", 10_000, 10_000_000},
		{"Encryption", "MaxBytes", 1024, 512 << 20},
		{"RateLimiting__Upload", "PermitsPerWindow", 1, 1_000_000},
		{"RateLimiting__Actions", "WindowSeconds", 1, 3600},
		{"RateLimiting__SignerNotification", "QueueLimit", 0, 0},
	}
	for _, tt := range tests {
		for value, ok := range map[int64]bool{tt.min: true, tt.max: true, tt.min - 1: false, tt.max + 1: false, -1: false} {
			variable := fmt.Sprintf("%s__%s=%d", tt.section, tt.key, value)
			_, err := load(t, "{"+kms+","+apiKey+","+signerSection+","+encryptionSection+"}", variable)
			if (err == nil) != ok {
				t.Errorf("%s: %v, want accepted %t", variable, err, ok)
			}
		}
	}
}
