package main_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChoices: what contradicts itself, or would be without effect, is refused with a remedy.
func TestChoices(t *testing.T) {
	t.Parallel()
	const refusedTag = "context tags: "
	tests := []struct {
		name    string
		context map[string]any
		want    []string
	}{
		{"an existing bucket", map[string]any{"existingInputBucket": "their.documents"}, nil},
		{"an existing bucket and its key", map[string]any{"existingInputBucket": "their-documents", "existingInputKeyArn": keyARN}, nil},
		{"a key of nothing", map[string]any{"existingInputKeyArn": keyARN}, []string{"context existingInputKeyArn: there is no existingInputBucket"}},
		{"a key by alias", map[string]any{"existingInputBucket": "their-documents", "existingInputKeyArn": aliasARN}, []string{"context existingInputKeyArn: "}},
		{"an existing bucket and a new one", map[string]any{"existingInputBucket": "a-bucket", "inputBucket": "b-bucket"},
			[]string{"context existingInputBucket: inputBucket names a bucket to be made", "leave one of them out"}},
		{"days of a bucket that is not ours", map[string]any{"existingInputBucket": "a-bucket", "inputDays": 90},
			[]string{"context inputDays: the stack does not change the lifecycle", "set it there"}},
		{"an endless loop", map[string]any{"existingInputBucket": "a-bucket", "outputBucket": "a-bucket"}, []string{"every output would be taken in again"}},
		{"logs that are taken in", map[string]any{"existingInputBucket": "a-bucket", "accessLogsBucket": "a-bucket"}, []string{"a log is no document"}},
		{"no bucket", map[string]any{"existingInputBucket": "s3://a"}, []string{"context existingInputBucket: "}},

		{"a domain", map[string]any{"domainName": "sign.example.com", "certificateArn": shown}, nil},
		{"a domain without certificate", map[string]any{"domainName": "sign.example.com"}, []string{"context domainName: domainName and certificateArn belong together", "give both"}},
		{"a certificate without domain", map[string]any{"certificateArn": shown}, []string{"context domainName: "}},
		{"no name", map[string]any{"domainName": "https://sign.example.com/", "certificateArn": keyARN}, []string{"context domainName: ", "context certificateArn: "}},
		{"a name too long", map[string]any{"domainName": strings.Repeat("sign.", 60) + "example.com", "certificateArn": shown}, []string{"context domainName: it has more characters"}},

		{"a key", map[string]any{"newSigningKey": "RSA_4096", "signingKeyCustodian": custodian}, nil},
		{"a kind of key that signs nothing here", map[string]any{"newSigningKey": "ECC_SECG_P256K1"}, []string{`context newSigningKey: "ECC_SECG_P256K1" is not usable; it may be RSA_2048 or RSA_4096 or ECC_NIST_P256`}},
		{"a custodian of nothing", map[string]any{"signingKeyCustodian": custodian}, []string{"context signingKeyCustodian: the stack makes no key"}},
		{"a custodian that is everybody", map[string]any{"newSigningKey": "RSA_2048", "signingKeyCustodian": "*"}, []string{"context signingKeyCustodian: "}},

		{"days that CloudWatch has", map[string]any{"logDays": "3653"}, nil},
		{"days that it has not", map[string]any{"logDays": 100}, []string{"context logDays: CloudWatch keeps logs for one of these", "90, 120"}},
		{"days in words", map[string]any{"logDays": "many"}, []string{"context logDays: "}},
		{"perhaps", map[string]any{"keep": "perhaps"}, []string{"context keep: it must be true or false"}},

		{"tags of a file", map[string]any{"tags": map[string]any{"team": "legal", "Responsável": ""}}, nil},
		{"tags of the command line", map[string]any{"tags": `{"team": "legal"}`}, nil},
		{"tags that are none", map[string]any{"tags": "team=legal"}, []string{"context tags: it must be an object"}},
		{"a list of tags", map[string]any{"tags": []any{"team"}}, []string{"context tags: it must be an object"}},
		{"a number", map[string]any{"tags": map[string]any{"team": 5}}, []string{refusedTag + `"team" is not usable`}},
		{"a tag of AWS", map[string]any{"tags": map[string]any{"aws:team": "x"}}, []string{refusedTag + `"aws:team"`}},
		{"a tag of the stack", map[string]any{"tags": map[string]any{"Stack": "x"}}, []string{refusedTag + `"Stack" is set already`}},
		{"tags that IAM takes for one", map[string]any{"tags": map[string]any{"team": "x", "Team": "y"}}, []string{refusedTag + `"team" is set already`}},
		{"a value too long", map[string]any{"tags": map[string]any{"team": strings.Repeat("x", 257)}}, []string{refusedTag}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := optionsOf(tt.context)
			checkRefused(t, err, tt.want)
		})
	}
}

// TestExistingInput: a bucket that somebody else made is told of one notification and otherwise left alone.
func TestExistingInput(t *testing.T) {
	t.Parallel()
	s := stack(t, "existing")
	if got := slices.Sorted(maps.Keys(s.named("AWS::S3::Bucket"))); !slices.Equal(got, []string{"Output"}) {
		t.Errorf("the stack makes the buckets %v, want the output bucket alone", got)
	}
	if len(s.statements("InputPolicy", resourcePolicies...)) > 0 {
		t.Error("the stack writes a policy over that of the bucket's owner")
	}
	all := s.named("Custom::S3BucketNotifications")
	for id, r := range all {
		check(t, id, r, map[string]string{"BucketName": "their.documents", "Managed": "false",
			"NotificationConfiguration": `{"QueueConfigurations":[{"Events":["s3:ObjectCreated:*"],"QueueArn":{"Fn::GetAtt":["` + idOf(s, "AWS::SQS::Queue", "Work") + `","Arn"]}}]}`})
		if !slices.Contains(r.DependsOn, idOf(s, "AWS::SQS::QueuePolicy", "WorkPolicy")) {
			t.Errorf("%s depends on %v, want the queue's policy among them: S3 tries it", id, r.DependsOn)
		}
	}
	if len(all) != 1 {
		t.Errorf("%d notifications, want 1", len(all))
	}
	check(t, "Sign", s.one(t, "AWS::Lambda::Function", "Sign"), map[string]string{"Environment.Variables.INPUT_BUCKET": "their.documents"})
	for _, st := range s.statements("WorkPolicy", resourcePolicies...) {
		if st.effect == "Allow" && (!slices.Equal(st.actions, []string{"sqs:SendMessage"}) || !strings.Contains(st.conditions, ":s3:::their.documents")) {
			t.Errorf("%s lets send %v under %s", st.sid, st.actions, st.conditions)
		}
	}
}

// TestNotifier: the function that adds the notification may do so with this bucket alone, and its logs end.
func TestNotifier(t *testing.T) {
	t.Parallel()
	s := stack(t, "existing")
	want := map[string][]string{
		"{NotifierLogs}":               {"logs:CreateLogStream", "logs:PutLogEvents"},
		"arn:aws:s3:::their.documents": {"s3:GetBucketNotification", "s3:PutBucketNotification"},
	}
	if diff := cmp.Diff(want, rights(s.statements("NotifierRole", rolePolicies...))); diff != "" {
		t.Errorf("rights (-want +got):\n%s", diff)
	}
	for id, r := range s.named("AWS::Lambda::Function") {
		if strings.HasPrefix(id, "BucketNotificationsHandler") {
			check(t, id, r, map[string]string{"Role": "{NotifierRole}", "LoggingConfig.LogGroup": "{NotifierLogs}"})
		}
	}
	for id, r := range s.named("AWS::IAM::Role") {
		if got := r.at("ManagedPolicyArns"); strings.Contains(got, ":iam::aws:") {
			t.Errorf("%s has policies that nobody wrote out: %s", id, got)
		}
	}
}

// TestKeyOfExistingInput: whoever touches its objects may use its key, through S3.
func TestKeyOfExistingInput(t *testing.T) {
	t.Parallel()
	for role, want := range map[string][]string{
		"SignRole": {"kms:Decrypt", "kms:GenerateDataKey"}, "ApiRole": {"kms:Decrypt", "kms:GenerateDataKey"}, "RecoverRole": {"kms:Decrypt"},
	} {
		if got := rights(stack(t, "existing").statements(role, rolePolicies...))[keyARN]; !slices.Equal(got, want) {
			t.Errorf("%s may %v with the key, want %v", role, got, want)
		}
	}
}

// TestDomain: the API is called by its name alone, with TLS 1.2 or more.
func TestDomain(t *testing.T) {
	t.Parallel()
	s := stack(t, "existing")
	check(t, "domain", s.one(t, "AWS::ApiGatewayV2::DomainName", "Domain"), map[string]string{
		"DomainName": "sign.example.com", "DomainNameConfigurations.SecurityPolicy": "TLS_1_2",
		"DomainNameConfigurations.EndpointType": "REGIONAL", "DomainNameConfigurations.CertificateArn": shown,
	})
	mapping := s.one(t, "AWS::ApiGatewayV2::ApiMapping", "DomainMapping")
	check(t, "mapping", mapping, map[string]string{
		"ApiId": "{HttpApi}", "Stage": "$default", "DomainName": "{Domain}", "ApiMappingKey": "",
	})
	if !slices.Contains(mapping.DependsOn, idOf(s, "AWS::ApiGatewayV2::Stage", "HttpStage")) {
		t.Errorf("the mapping depends on %v, want the stage among them, which it names", mapping.DependsOn)
	}
	check(t, "API", s.one(t, "AWS::ApiGatewayV2::Api", "HttpApi"), map[string]string{"DisableExecuteApiEndpoint": "true"})
	if got := text(s.Outputs["ApiUrl"]["Value"]); got != "https://sign.example.com/" || s.Outputs["DomainTarget"] == nil {
		t.Errorf("outputs are %v, want the API's address and what its name points to", s.Outputs)
	}
	check(t, "API", stack(t, "plain").one(t, "AWS::ApiGatewayV2::Api", "HttpApi"), map[string]string{"DisableExecuteApiEndpoint": "false"})
}

// TestRemoval: what holds data stays, unless the context says otherwise; a key that signs stays in any case.
func TestRemoval(t *testing.T) {
	t.Parallel()
	holds := []string{"AWS::S3::Bucket", "AWS::DynamoDB::GlobalTable", "AWS::Logs::LogGroup"}
	for name, want := range map[string][2]string{"plain": {"Retain", "true"}, "isolated": {"Delete", "false"}} {
		s := stack(t, name)
		for id, r := range s.Resources {
			if slices.Contains(holds, r.Type) && r.DeletionPolicy != want[0] {
				t.Errorf("%s: when the stack goes, %s is to %s, want %s", name, id, r.DeletionPolicy, want[0])
			}
		}
		check(t, name, s.one(t, "AWS::DynamoDB::GlobalTable", "Table"), map[string]string{"Replicas.DeletionProtectionEnabled": want[1]})
		if len(s.named("Custom::S3AutoDeleteObjects")) > 0 {
			t.Errorf("%s: something may delete every version of every document", name)
		}
	}
	if key := stack(t, "isolated").one(t, "AWS::KMS::Key", "SigningKey"); key.DeletionPolicy != "Retain" || key.UpdateReplacePolicy != "Retain" {
		t.Errorf("the key goes by %s and %s, and its certificate with it", key.DeletionPolicy, key.UpdateReplacePolicy)
	}
}

func TestLogDays(t *testing.T) {
	t.Parallel()
	for id, r := range stack(t, "isolated").named("AWS::Logs::LogGroup") {
		check(t, id, r, map[string]string{"RetentionInDays": "400"})
	}
}

// TestTags: everything that can have tags has those of the stack and those of the context.
func TestTags(t *testing.T) {
	t.Parallel()
	want := map[string]map[string]string{
		"plain":    {"service": "bulksigner", "stack": "bulksigner"},
		"isolated": {"service": "bulksigner", "stack": "bulksigner", "cost-center": "42", "Responsável": "ana@example.com"},
		"network":  {"service": "bulksigner", "stack": "bulksigner", "team": "legal"},
	}
	for name, tags := range want {
		s := stack(t, name)
		for _, kind := range []string{"AWS::S3::Bucket", "AWS::Lambda::Function", "AWS::SQS::Queue", "AWS::IAM::Role", "AWS::Logs::LogGroup", "AWS::KMS::Key"} {
			for id, r := range s.named(kind) {
				got := map[string]string{}
				for _, tag := range r.Properties["Tags"].([]any) {
					tag := tag.(map[string]any)
					got[text(tag["Key"])] = text(tag["Value"])
				}
				if diff := cmp.Diff(tags, got); diff != "" {
					t.Errorf("%s: tags of %s (-want +got):\n%s", name, id, diff)
				}
			}
		}
	}
}

// TestSigningKey: nobody signs with a new key but sign and, if there is one, its custodian; nothing but digests; and no policy
// of the account can add to it.
func TestSigningKey(t *testing.T) {
	t.Parallel()
	const sign, api = "{SignRole}", "{ApiRole}"
	tests := map[string]struct {
		spec             string
		signers, readers []string
		algorithms       []any
	}{
		"isolated": {"RSA_2048", []string{sign}, []string{sign, api}, []any{"RSASSA_PKCS1_V1_5_SHA_256", "RSASSA_PKCS1_V1_5_SHA_512"}},
		"network":  {"ECC_NIST_P256", []string{sign, custodian}, []string{sign, api, custodian}, []any{"ECDSA_SHA_256"}},
	}
	for name, tt := range tests {
		s := stack(t, name)
		key := s.one(t, "AWS::KMS::Key", "SigningKey")
		check(t, name, key, map[string]string{"KeySpec": tt.spec, "KeyUsage": "SIGN_VERIFY"})
		check(t, name, s.one(t, "AWS::KMS::Alias", "SigningKeyAlias"), map[string]string{"AliasName": "alias/bulksigner-signing", "TargetKeyId": "{SigningKey}"})
		if s.Outputs["SigningKeyArn"] == nil {
			t.Errorf("%s: nobody says which key it is", name)
		}
		who := map[string][]string{}
		for _, v := range key.Properties["KeyPolicy"].(map[string]any)["Statement"].([]any) {
			v := v.(map[string]any)
			st := parseStatement("key", v)
			for _, action := range st.actions {
				if strings.Contains(action, "*") || action == "kms:CreateGrant" || st.effect != "Allow" {
					t.Errorf("%s: %s %ss %s", name, st.sid, st.effect, action)
				}
				who[action] = append(who[action], texts(v["Principal"].(map[string]any)["AWS"])...)
			}
			if slices.Contains(st.actions, "kms:Sign") {
				checkDigests(t, name, st, tt.algorithms)
			}
		}
		for action, want := range map[string][]string{"kms:Sign": tt.signers, "kms:GetPublicKey": tt.readers, "kms:PutKeyPolicy": {"arn:aws:iam::ACCOUNT:root"}} {
			if !slices.Equal(who[action], want) {
				t.Errorf("%s: %v may %s, want %v", name, who[action], action, want)
			}
		}
	}
}

func checkDigests(t *testing.T, name string, st statement, algorithms []any) {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal([]byte(st.conditions), &got); err != nil {
		t.Fatal(err)
	}
	var want any = algorithms
	if len(algorithms) == 1 {
		want = algorithms[0]
	}
	allowed := got["StringEquals"].(map[string]any)
	if list, ok := allowed["kms:SigningAlgorithm"].([]any); ok && len(list) == 1 {
		allowed["kms:SigningAlgorithm"] = list[0]
	}
	if diff := cmp.Diff(map[string]any{"StringEquals": map[string]any{"kms:MessageType": "DIGEST", "kms:SigningAlgorithm": want}}, got); diff != "" {
		t.Errorf("%s signs under (-want +got):\n%s", name, diff)
	}
}

// TestTicks: what the clock could not do is kept for a fortnight, and nothing is put back from there.
func TestTicks(t *testing.T) {
	t.Parallel()
	check(t, "DeadTicks", stack(t, "plain").one(t, "AWS::SQS::Queue", "DeadTicks"), map[string]string{
		"MessageRetentionPeriod": "1209600", "SqsManagedSseEnabled": "true", "RedriveAllowPolicy.redrivePermission": "denyAll", "RedrivePolicy": "",
	})
}

// TestNobodyIsHeldBack: concurrency is bounded at the queues. A reserved one would refuse ticks and callers.
func TestNobodyIsHeldBack(t *testing.T) {
	t.Parallel()
	for id, f := range stack(t, "signer").functions() {
		check(t, id, f, map[string]string{"ReservedConcurrentExecutions": "", "RecursiveLoop": ""}) // Terminate is the platform's own
	}
}
