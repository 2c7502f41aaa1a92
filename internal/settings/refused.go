package settings

import (
	"strings"

	"bulksigner/internal/profile"
)

// refusal is the sentence for a key that the product has and this service has not.
type refusal struct{ key, message, remedy string }

const (
	later         = " is not available yet"
	removeSection = "remove the section"
	removeKey     = "remove the key"
)

// refusals lists keys without their indexes; a * at the end stands for the rest of a name. Whatever lies below a key is
// refused with it.
var refusals = []refusal{
	// What will come.
	{"Dashboard", "the dashboard" + later, removeSection},
	{"ApproverPortal", "the approvers' portal" + later, removeSection},
	{"ApproverSecondFactor", "a second factor of approvers" + later, removeSection},
	{"WebPki", "signing in the approver's browser" + later, removeSection},
	{"CloudHub", "signing with the approver's cloud certificate" + later, removeSection},
	{"Auth:CookieName", "signing in to the dashboard" + later, removeKey},
	{"Auth:EntraId", "signing in with Entra ID" + later, removeSection},
	{"RateLimiting:Approval", "approvals are not available yet", removeSection},
	{"RateLimiting:Export", "exporting lists of jobs" + later, removeSection},

	// What belongs to a host, and what takes its place on AWS.
	{"Logging", "the functions log to CloudWatch Logs", removeSection + "; the log groups belong to the stack"},
	{"LogViewer", "CloudWatch Logs shows the log", removeSection},
	{"Database", "jobs are kept in the DynamoDB table of the stack", removeSection},
	{"ConnectionStrings", "jobs are kept in the DynamoDB table of the stack", removeSection},
	{"Backup", "the table has point-in-time recovery and the buckets keep versions", removeSection},
	{"Cluster", "the functions scale by themselves", removeSection + "; Pipeline:MaxConcurrency bounds them"},
	{"Hosting", "API Gateway takes the requests", removeSection},
	{"Kestrel", "API Gateway takes the requests", removeSection},
	{"Urls", "API Gateway takes the requests", removeKey},
	{"AllowedHosts", "API Gateway decides which host names it serves", removeKey},
	{"Console", "a function has no console; it logs to CloudWatch Logs", removeSection},
	{"Branding", "there are no pages of a host to brand", removeSection},
	{"Telemetry", "the functions report to CloudWatch", removeSection},
	{"Storage:Root", "documents are kept in the buckets of the stack", removeKey},
	{"Storage:Provider", "documents are always kept in S3", removeKey},
	{"Storage:AzureFiles", "documents are always kept in S3", removeSection},
	{"Storage:Inputs[]:Path", "a folder is a prefix in the input bucket", "use Prefix"},
	{"Storage:Inputs[]:Provider", "documents are always kept in S3", removeKey},
	{"Storage:Inputs[]:AzureFiles", "documents are always kept in S3", removeSection},
	{"Storage:Inputs[]:PollIntervalSeconds", "S3 reports a file when it arrives", removeKey + "; Storage:ReconcileMinutes finds what was not reported"},
	{"WatchedFolder:PollIntervalSeconds", "S3 reports a file when it arrives", removeKey + "; Storage:ReconcileMinutes finds what was not reported"},
	{"WatchedFolder:Stability*", "S3 shows a file only when it is whole", removeKey},
	{"Pipeline:PollIntervalSeconds", "SQS hands over a job when it is queued", removeKey},
	{"Encryption:PasswordEnvVar", "the variable Encryption__Password sets the password itself, and no other is looked at",
		removeKey + ", and set Encryption:Password to the ARN of a secret in Secrets Manager"},
	{"Signing:PkiSdkLicense", "no licence is needed here", removeKey},
	{"Signing:ProfileSecretsKey", "profiles hold no secrets, only the ARNs of secrets", removeKey},
	{"Signing:TrustLacunaTestRoot", "a root is trusted by being listed", "put the test root into Signing:TrustAnchors"},
}

// refused says why a key is not accepted, if there is more to say than that it is unknown.
func refused(key string) (message, remedy string, ok bool) {
	key = withoutIndexes(key)
	for _, r := range refusals {
		if r.covers(key) {
			return r.message, r.remedy, true
		}
	}
	for _, where := range []string{"Signing:Profiles[]:", "Signing:"} {
		if below, isBelow := cutPrefixFold(key, where); isBelow {
			if r, ok := profile.RefusedKey(below); ok {
				return r.Message, r.Remedy, true
			}
		}
	}
	return "", "", false
}

func (r refusal) covers(key string) bool {
	if stem, open := strings.CutSuffix(r.key, "*"); open {
		_, ok := cutPrefixFold(key, stem)
		return ok
	}
	return foldKey(r.key) == foldKey(key)
}

// sections are those that exist. Variables are read for them and, so that nothing is ignored, for the refused ones.
var sections = []string{
	"Signing", "Signer", "Storage", "WatchedFolder", "Pipeline", "Encryption", "Auth", "Upload", "RateLimiting", "Metrics", "Readiness", "Statistics",
}

func isSection(name string) bool {
	for _, s := range sections {
		if foldKey(s) == foldKey(name) {
			return true
		}
	}
	for _, r := range refusals {
		if r.covers(name) {
			return true
		}
	}
	return false
}
