package settings_test

import (
	"fmt"
	"strings"
	"testing"
)

// Every key that the product has and this service has not, with a word of its sentence.
func TestRefusedKeysHaveTheirSentence(t *testing.T) {
	t.Parallel()
	const yet = "not available yet"
	tests := []struct{ key, want string }{
		{"RateLimiting:Approval", yet}, {"RateLimiting:Export", yet}, {"Encryption:PasswordEnvVar", "Encryption__Password"},
		{"Dashboard", yet}, {"ApproverPortal", yet}, {"ApproverSecondFactor", yet}, {"WebPki", yet}, {"CloudHub", yet},
		{"Auth:CookieName", yet}, {"Auth:EntraId", yet},
		{"Logging", "CloudWatch"}, {"LogViewer", "CloudWatch"}, {"Console", "CloudWatch"}, {"Telemetry", "CloudWatch"},
		{"Database", "DynamoDB"}, {"ConnectionStrings", "DynamoDB"}, {"Backup", "recovery"}, {"Cluster", "scale"},
		{"Hosting", "API Gateway"}, {"Kestrel", "API Gateway"}, {"Urls", "API Gateway"}, {"AllowedHosts", "API Gateway"},
		{"Branding", "no pages"},
		{"Storage:Root", "buckets"}, {"Storage:Provider", "S3"}, {"Storage:AzureFiles", "S3"},
		{"WatchedFolder:PollIntervalSeconds", "S3"}, {"WatchedFolder:StabilitySampleMilliseconds", "S3"},
		{"Pipeline:PollIntervalSeconds", "SQS"},
		{"Signing:PkiSdkLicense", "no licence"}, {"Signing:ProfileSecretsKey", "no secrets"}, {"Signing:TrustLacunaTestRoot", "listed"},
		{"Signing:Certificate:Pkcs11", "CloudHsm"}, {"Signing:Certificate:AzureKeyVault", yet},
		{"Signing:Certificate:WindowsStore", "no Windows certificate store"}, {"Signing:Certificate:Pin", "PIN"},
		{"LOGGING", "CloudWatch"}, {"storage:root", "buckets"},
	}
	for _, tt := range tests {
		t.Run(tt.key, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, "{}", "Auth__ApiKey=0123456789abcdef",
				"Signing__Certificate__Source=Kms", "Signing__Certificate__Kms__KeyId=alias/a", "Signing__Certificate__Kms__Certificate=s3://bucket/a",
				strings.ReplaceAll(tt.key, ":", "__")+"__Anything=1")
			got := faults(t, err)
			if len(got) != 1 || !strings.EqualFold(got[0].Key, tt.key) || !strings.Contains(got[0].Message, tt.want) || got[0].Variable == "" {
				t.Errorf("faults = %v, want one for %s: %s", got, tt.key, tt.want)
			}
		})
	}
}

func TestRefusedKeysOfEntries(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"Path", "Provider", "AzureFiles", "PollIntervalSeconds"} {
		_, err := load(t, fmt.Sprintf(`{%s,%s,"Storage":{"Inputs":[{"Prefix":"in/",%q:null}]}}`, kms, apiKey, key))
		if got := faults(t, err); len(got) != 1 || got[0].Key != "Storage:Inputs[0]:"+key || strings.Contains(got[0].Message, "unknown") {
			t.Errorf("faults = %v, want one sentence for %s", got, key)
		}
	}
}

func TestUnknownKeysNameTheNearest(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, section, key, remedy string }{
		{"a letter too few", "Upload", "MaxByte", "write MaxBytes, or remove it"},
		{"two letters swapped", "Upload", "Enabeld", "write Enabled, or remove it"},
		{"three letters off", "Upload", "MxByt", "remove it; known here are Enabled, MaxBytes"},
		{"nothing like it", "Storage", "Queue", "remove it; known here are ReconcileMinutes, Inputs"},
		{"a letter that only looks the same", "Upload", "MaxByteſ", "write MaxBytes, or remove it"},
		{"very long", "Storage", strings.Repeat("Inputs", 20), "remove it; known here are ReconcileMinutes, Inputs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, fmt.Sprintf(`{%s,%s,%q:{%q:1}}`, kms, apiKey, tt.section, tt.key))
			if got := faults(t, err); len(got) != 1 || got[0].Message != "is unknown" || got[0].Remedy != tt.remedy || len(got[0].Key) > 100 {
				t.Errorf("faults = %v, want %s", got, tt.remedy)
			}
		})
	}
}
