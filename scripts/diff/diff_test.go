package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Parts of a stack, as the CDK writes them.
const (
	table = `"TableCD117FA1":{"Type":"AWS::DynamoDB::GlobalTable","DeletionPolicy":"Retain","UpdateReplacePolicy":"Retain",
		"Properties":{"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"Replicas":[{"Region":{"Ref":"AWS::Region"},"DeletionProtectionEnabled":true}]}}`
	bucket = `"Input49F21B70":{"Type":"AWS::S3::Bucket","DeletionPolicy":"Retain","UpdateReplacePolicy":"Retain",
		"Properties":{"BucketName":{"Fn::Join":["",["bulksigner-input-",{"Ref":"AWS::AccountId"}]]}}}`
	guard = `"InputPolicy89B2EE46":{"Type":"AWS::S3::BucketPolicy","Properties":{"Bucket":{"Ref":"Input49F21B70"},"PolicyDocument":{"Statement":[
		{"Action":"s3:*","Condition":{"Bool":{"aws:SecureTransport":"false"}},"Effect":"Deny","Principal":{"AWS":"*"},"Resource":{"Fn::GetAtt":["Input49F21B70","Arn"]}}]}}}`
	function = `"Sign988FF37F":{"Type":"AWS::Lambda::Function","Properties":{"Role":{"Fn::GetAtt":["SignRoleF70C5B8B","Arn"]},"Timeout":300,
		"Code":{"S3Key":"1.zip"},"Environment":{"Variables":{"TABLE_NAME":{"Ref":"TableCD117FA1"},"GOMEMLIMIT":"460MiB"}}}},
		"SignRoleF70C5B8B":{"Type":"AWS::IAM::Role","Properties":{"ManagedPolicyArns":[{"Ref":"SignRoleNamed1D7650DBC"}],"AssumeRolePolicyDocument":
		{"Statement":[{"Action":"sts:AssumeRole","Effect":"Allow","Principal":{"Service":"lambda.amazonaws.com"}}]}}}`
	rights = `"SignRoleDefaultPolicy00000000":{"Type":"AWS::IAM::Policy","Properties":{"Roles":[{"Ref":"SignRoleF70C5B8B"}],"PolicyDocument":{"Statement":[
		{"Sid":"Items","Effect":"Allow","Action":["dynamodb:GetItem","dynamodb:PutItem"],"Resource":{"Fn::GetAtt":["TableCD117FA1","Arn"]}}]}}}`
	named = `"SignRoleNamed1D7650DBC":{"Type":"AWS::IAM::ManagedPolicy","Properties":{"PolicyDocument":{"Statement":[
		{"Effect":"Allow","Action":"kms:Sign","Resource":"arn:aws:kms:sa-east-1:111122223333:key/one","Condition":{"StringEquals":{"kms:MessageType":"DIGEST"}}}]}}}`
	watch = `"WorkLate00000000":{"Type":"AWS::CloudWatch::Alarm","Properties":{"Threshold":3600,"Period":300}},
		"RecoverEveryMinuteED926D0C":{"Type":"AWS::Scheduler::Schedule","Properties":{"ScheduleExpression":"rate(1 minute)"}}`
	invoke = `"ApiPermission3946A214":{"Type":"AWS::Lambda::Permission","Properties":{"Action":"lambda:InvokeFunction","FunctionName":{"Fn::GetAtt":["Sign988FF37F","Arn"]},"Principal":"apigateway.amazonaws.com"}}`
	queue  = `"Work00000000":{"Type":"AWS::SQS::Queue","DeletionPolicy":"Delete","UpdateReplacePolicy":"Delete","Properties":{"QueueName":"work"}}`
)

func whole(more ...string) string {
	return strings.Join(append([]string{table, bucket, guard, function, rights, named, watch, invoke, queue}, more...), ",")
}

func parse(t *testing.T, resources string) template {
	t.Helper()
	out, err := parseTemplate(strings.NewReader(`{"Resources":{` + resources + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestADeploymentIsToldInWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		extra  string   // resources that both templates have besides
		change []string // old, new, old, new, …
		want   []string // lines
		never  []string // what no line says
		losses int
	}{
		{"nothing", "", nil, []string{"A deployment would change nothing."}, nil, 0},
		{"another key of the table", "", []string{`"AttributeName":"pk"`, `"AttributeName":"id"`}, []string{
			"A deployment would replace 1, remove 0, add 0 and change 0 resources.",
			"! Table (table) is made anew: KeySchema is another",
			"THE SERVICE LOSES SIGHT OF ITS DATA: every job, profile and event. The old one stays in the account, and the new one is EMPTY.",
		}, []string{"DATA IS LOST"}, 1},
		{"another bucket, and what is built on it", "", []string{`"bulksigner-input-"`, `"other-input-"`}, []string{
			"! Input (bucket) is made anew: BucketName is another", "! InputPolicy (policy) is made anew: Input is another",
			"BucketName: bulksigner-input-ACCOUNT → other-input-ACCOUNT",
		}, nil, 1},
		{"a bucket that does not stay", "",
			[]string{`"bulksigner-input-"`, `"other-input-"`, `"AWS::S3::Bucket","DeletionPolicy":"Retain","UpdateReplacePolicy":"Retain"`, `"AWS::S3::Bucket","DeletionPolicy":"Delete","UpdateReplacePolicy":"Delete"`},
			[]string{"DATA IS LOST: its documents."}, nil, 1},
		{"the table goes and stays where it is", "", []string{table + ",", ""}, []string{
			"- Table (table)", "It stays in the account, outside of the stack, with every job, profile and event.",
		}, []string{"LOST", "LOSES"}, 0},
		{"a table that was restored", "", []string{table + ",", "", `"TABLE_NAME":{"Ref":"TableCD117FA1"}`, `"TABLE_NAME":"restored","TABLE_RESTORED":"2026-07-15T03:00:00Z"`}, []string{
			"The functions would work on the table restored instead of Table, restored to 2026-07-15T03:00:00Z, and start paused.",
		}, []string{"ANOTHER TABLE"}, 0},
		{"a table that nobody says was restored", "", []string{`"TABLE_NAME":{"Ref":"TableCD117FA1"}`, `"TABLE_NAME":"another"`}, []string{
			"THE FUNCTIONS WOULD WORK ON ANOTHER TABLE: another instead of Table, and nobody says that it holds the same jobs.",
		}, nil, 1},
		{"a table that was restored is left for a new one", "", []string{`"TABLE_NAME":{"Ref":"TableCD117FA1"}`,
			`"TABLE_NAME":{"Ref":"Fresh00000000"},"TABLE_RESTORED":"2026-07-15T03:00:00Z"`, `"TableCD117FA1":{"Type"`, `"Fresh00000000":{"Type"`}, []string{
			"THE FUNCTIONS WOULD WORK ON ANOTHER TABLE: Fresh, which is new and EMPTY, instead of Table.",
		}, []string{"restored to"}, 1},
		{"tags alone", "", []string{`"Threshold":3600`, `"Threshold":3600,"Tags":[{"Key":"stack"}]`, `"QueueName":"work"`, `"QueueName":"work","Tags":[1]`},
			[]string{"Their tags alone change\n  ~ Work, WorkLate\n"}, []string{"Alarms", "\nChanged", "nothing →"}, 0},
		{"deep in a list", "", []string{`"DeletionProtectionEnabled":true`, `"DeletionProtectionEnabled":false`},
			[]string{"Replicas.0.DeletionProtectionEnabled: true → false"}, nil, 0},
		{"another queue", "", []string{`"QueueName":"work"`, `"QueueName":"labor"`},
			[]string{"! Work (queue) is made anew: QueueName is another", "Lost with it: its messages; recover rings again for the jobs."}, nil, 0},
		{"a table that is not to stay any more", "", []string{`"Type":"AWS::DynamoDB::GlobalTable","DeletionPolicy":"Retain"`, `"Type":"AWS::DynamoDB::GlobalTable","DeletionPolicy":"Delete"`},
			[]string{"~ Table (table)", "DeletionPolicy: Retain → Delete"}, nil, 0},
		{"a program, memory and time", "", []string{`"1.zip"`, `"2.zip"`, `"Timeout":300`, `"Timeout":600`, `"460MiB"`, `"900MiB"`}, []string{
			"~ Sign (function)", "its program, or the settings beside it", "Timeout: 300 → 600", "Environment.Variables.GOMEMLIMIT: 460MiB → 900MiB",
		}, []string{"1.zip"}, 0},
		{"a right more", "", []string{`"dynamodb:PutItem"`, `"dynamodb:PutItem","dynamodb:Scan"`}, []string{
			"Permissions given", "+ sign may dynamodb:Scan on Table", "its statements: see the permissions below",
		}, []string{"Permissions taken", "dynamodb:GetItem"}, 0},
		{"a right less", "", []string{`"dynamodb:GetItem","dynamodb:PutItem"`, `"dynamodb:GetItem"`}, []string{"Permissions taken", "- sign may no longer dynamodb:PutItem on Table"}, []string{"Permissions given"}, 0},
		{"another key, and a condition that is gone", "", []string{`key/one","Condition":{"StringEquals":{"kms:MessageType":"DIGEST"}}`, `key/two"`}, []string{
			"+ sign may kms:Sign on arn:aws:kms:sa-east-1:111122223333:key/two",
			"- sign may no longer kms:Sign on arn:aws:kms:sa-east-1:111122223333:key/one, if kms:MessageType StringEquals DIGEST",
		}, nil, 0},
		{"a guard that is lifted", "", []string{`"Effect":"Deny","Principal":{"AWS":"*"}`, `"Effect":"Allow","Principal":{"AWS":"*"}`}, []string{
			"+ everybody may s3:* on Input, if aws:SecureTransport Bool false", "- everybody is no longer denied s3:* on Input, if aws:SecureTransport Bool false",
		}, nil, 0},
		{"a role that another service may take", "", []string{`"Service":"lambda.amazonaws.com"`, `"Service":["lambda.amazonaws.com","ec2.amazonaws.com"]`},
			[]string{"+ lambda.amazonaws.com, ec2.amazonaws.com may sts:AssumeRole on the role of sign"}, nil, 0},
		{"a managed policy of AWS", "", []string{`[{"Ref":"SignRoleNamed1D7650DBC"}]`, `[{"Ref":"SignRoleNamed1D7650DBC"},"arn:aws:iam::aws:policy/AdministratorAccess"]`},
			[]string{"+ sign may all that the policy arn:aws:iam::aws:policy/AdministratorAccess allows"}, nil, 0},
		{"a policy inside of a role", "", []string{`"ManagedPolicyArns":[{"Ref":"SignRoleNamed1D7650DBC"}],`, `"ManagedPolicyArns":[{"Ref":"SignRoleNamed1D7650DBC"}],
			"Policies":[{"PolicyName":"Inside","PolicyDocument":{"Statement":[{"Effect":"Allow","Action":"s3:DeleteObject","Resource":"*"}]}}],`},
			[]string{"+ sign may s3:DeleteObject on *"}, nil, 0},
		{"an endpoint, which gives no right by itself", `"KeysEndpoint":{"Type":"AWS::EC2::VPCEndpoint","Properties":{"PolicyDocument":{"Statement":[
			{"Effect":"Allow","Principal":"*","Action":"kms:*","Resource":"*"}]}}},`, []string{`"kms:*"`, `"kms:Decrypt"`},
			[]string{"+ everybody may kms:Decrypt on what the endpoint KeysEndpoint leads to, given the right to it"}, []string{"kms:Decrypt on *"}, 0},
		{"another caller", "", []string{`"Principal":"apigateway.amazonaws.com"`, `"Principal":"*"`},
			[]string{"! ApiPermission (right to invoke) is made anew: Principal is another", "+ * may invoke the function Sign"}, nil, 0},
		{"an alarm and a schedule", "", []string{"3600", "7200", "rate(1 minute)", "rate(5 minutes)"}, []string{
			"Alarms and schedules changed", "~ WorkLate (alarm)", "Threshold: 3600 → 7200", "ScheduleExpression: rate(1 minute) → rate(5 minutes)",
		}, []string{"\nChanged"}, 0},
		{"a resource of an unknown type", `"Thing":{"Type":"AWS::New::Thing","Properties":{"A":1}},`, []string{`{"A":1}`, `{"A":2}`},
			[]string{"~ Thing (Thing)", "It may be made anew: what replaces a resource of the type AWS::New::Thing is not known here."}, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := tt.extra + whole()
			after := before
			for i := 0; i+1 < len(tt.change); i += 2 {
				if !strings.Contains(after, tt.change[i]) {
					t.Fatalf("the template has no %s", tt.change[i])
				}
				after = strings.Replace(after, tt.change[i], tt.change[i+1], 1)
			}
			r := newReport(parse(t, before), parse(t, after))
			var out strings.Builder
			r.write(&out)
			for _, line := range tt.want {
				if !strings.Contains(out.String(), line) {
					t.Errorf("it does not say %q:\n%s", line, out.String())
				}
			}
			for _, line := range tt.never {
				if strings.Contains(out.String(), line) {
					t.Errorf("it says %q:\n%s", line, out.String())
				}
			}
			if got := len(r.losses()); got != tt.losses {
				t.Errorf("%d losses, want %d", got, tt.losses)
			}
		})
	}
}

func TestNewAndRemovedResourcesAreTold(t *testing.T) {
	t.Parallel()
	with, without := parse(t, whole()), parse(t, function)
	var grows, shrinks strings.Builder
	newReport(without, with).write(&grows)
	newReport(with, without).write(&shrinks)
	for _, line := range []string{"add 9 and", "+ Table (table)", "+ sign may kms:Sign on"} {
		if !strings.Contains(grows.String(), line) {
			t.Errorf("what is new is not told by %q:\n%s", line, grows.String())
		}
	}
	for _, line := range []string{"remove 9, add 0", "- Table (table)", "- sign may no longer dynamodb:GetItem on Table", "- everybody is no longer denied s3:* on Input"} {
		if !strings.Contains(shrinks.String(), line) {
			t.Errorf("what goes is not told by %q:\n%s", line, shrinks.String())
		}
	}
}

func TestWhatStaysIsTold(t *testing.T) {
	t.Parallel()
	var some, none strings.Builder
	writeLeft(&some, parse(t, whole()), map[string]string{"Input49F21B70": "bulksigner-input-111122223333"})
	writeLeft(&none, parse(t, queue), nil)
	for _, line := range []string{"Input (bucket): bulksigner-input-111122223333", "delete-bucket --bucket bulksigner-input-111122223333", "aws dynamodb delete-table --table-name Table"} {
		if !strings.Contains(some.String(), line) {
			t.Errorf("it does not say %q:\n%s", line, some.String())
		}
	}
	if strings.Contains(some.String(), "Work") || !strings.HasPrefix(none.String(), "Nothing stays") {
		t.Errorf("what goes is said to stay:\n%s%s", some.String(), none.String())
	}
}

func TestWhatIsNoTemplateIsRefused(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"nothing": "", "no JSON": "Resources: {}", "no resources": `{"Resources":{}}`, "endless": `{"Resources":"` + strings.Repeat("x", maxTemplate) + `"}`,
	} {
		file := filepath.Join(t.TempDir(), "template.json")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readTemplate(file); err == nil {
			t.Errorf("%s is a template", name)
		}
	}
}

func FuzzReport(f *testing.F) {
	f.Add(`{"Resources":{`+whole()+`}}`, `{"Resources":{`+function+`}}`)
	f.Add(`{"Resources":{"A":{"Type":"AWS::IAM::Policy","Properties":{"PolicyDocument":{"Statement":{"Action":1}}}}}}`, `{"Resources":{"A":{}}}`)
	f.Fuzz(func(t *testing.T, was, is string) {
		a, err := parseTemplate(strings.NewReader(was))
		if err != nil {
			return
		}
		b, err := parseTemplate(strings.NewReader(is))
		if err != nil {
			return
		}
		var out, same strings.Builder
		newReport(a, b).write(&out)
		writeLeft(&out, a, nil)
		newReport(a, a).write(&same)
		if same.String() != "A deployment would change nothing.\n" {
			t.Errorf("a template differs from itself:\n%s", same.String())
		}
		if _, err := json.Marshal(out.String()); err != nil {
			t.Error(err)
		}
	})
}
