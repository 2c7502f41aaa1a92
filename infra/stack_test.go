package main_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	infra "bulksigner/infra"
)

// check compares properties, given by their paths, with their texts.
func check(t *testing.T, name string, r resource, want map[string]string) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if got := r.at(path); got != want[path] {
			t.Errorf("%s: %s = %q, want %q", name, path, got, want[path])
		}
	}
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	s := stack(t, "plain")
	tests := map[string]struct{ timeout, memory, limit, disk string }{
		"Sign":    {"300", "512", "460MiB", "4096"},
		"Recover": {"55", "256", "230MiB", ""},
		"Api":     {"29", "512", "460MiB", ""},
	}
	for name, tt := range tests {
		f := s.one(t, "AWS::Lambda::Function", name)
		check(t, name, f, map[string]string{
			"Runtime": "provided.al2023", "Architectures": `["arm64"]`, "Handler": "bootstrap", "Timeout": tt.timeout,
			"MemorySize": tt.memory, "Role": "{" + name + "Role}", "LoggingConfig.LogGroup": "{" + name + "Logs}",
			"Environment.Variables.TABLE_NAME": "{Table}", "Environment.Variables.INPUT_BUCKET": "{Input}",
			"Environment.Variables.OUTPUT_BUCKET": "{Output}", "Environment.Variables.WORK_QUEUE_URL": "{Work}",
			"Environment.Variables.GOMEMLIMIT": tt.limit, "EphemeralStorage.Size": tt.disk,
		})
		// The platform checks a role when it is connected to the queue.
		if !slices.ContainsFunc(f.DependsOn, func(id string) bool { return plain(id) == name+"RoleDefaultPolicy" }) {
			t.Errorf("%s depends on %v, want its role's policy among them", name, f.DependsOn)
		}
	}
	// Constructs can bring functions of their own, with roles that nobody wrote.
	got := slices.Sorted(maps.Keys(s.named("AWS::Lambda::Function")))
	if want := slices.Sorted(maps.Keys(tests)); !slices.Equal(got, want) {
		t.Errorf("functions are %v, want %v", got, want)
	}
	if len(infra.Functions()) != len(tests) {
		t.Errorf("Functions() = %v, want %d", infra.Functions(), len(tests))
	}
}

func TestNothingComesUnasked(t *testing.T) {
	t.Parallel()
	allowed := []string{
		"AWS::ApiGatewayV2::Api", "AWS::ApiGatewayV2::Integration", "AWS::ApiGatewayV2::Route", "AWS::ApiGatewayV2::Stage",
		"AWS::CloudWatch::Alarm", "AWS::DynamoDB::GlobalTable", "AWS::IAM::ManagedPolicy", "AWS::IAM::Policy", "AWS::IAM::Role",
		"AWS::KMS::Key", "AWS::Lambda::EventInvokeConfig", "AWS::Lambda::EventSourceMapping", "AWS::Lambda::Function",
		"AWS::Lambda::Permission", "AWS::Logs::LogGroup", "AWS::S3::Bucket", "AWS::S3::BucketPolicy", "AWS::SQS::Queue",
		"AWS::SQS::QueuePolicy", "AWS::Scheduler::Schedule",
	}
	for name := range deployments {
		for id, r := range stack(t, name).Resources {
			if !slices.Contains(allowed, r.Type) {
				t.Errorf("%s: %s is a %s, which this service does not use", name, id, r.Type)
			}
		}
	}
}

func TestBuckets(t *testing.T) {
	t.Parallel()
	s := stack(t, "plain")
	for name, part := range map[string]string{"Input": "input", "Output": "output"} {
		b := s.one(t, "AWS::S3::Bucket", name)
		check(t, name, b, map[string]string{
			"BucketName":                     "bulksigner-" + part + "-ACCOUNT-REGION",
			"VersioningConfiguration.Status": "Enabled",
			"BucketEncryption.ServerSideEncryptionConfiguration.ServerSideEncryptionByDefault.SSEAlgorithm": "AES256",
			"PublicAccessBlockConfiguration.BlockPublicAcls":                                                "true",
			"PublicAccessBlockConfiguration.BlockPublicPolicy":                                              "true",
			"PublicAccessBlockConfiguration.IgnorePublicAcls":                                               "true",
			"PublicAccessBlockConfiguration.RestrictPublicBuckets":                                          "true",
			"OwnershipControls.Rules.ObjectOwnership":                                                       "BucketOwnerEnforced",
			"LifecycleConfiguration.Rules.AbortIncompleteMultipartUpload.DaysAfterInitiation":               "7",
		})
		if b.DeletionPolicy != "Retain" || b.UpdateReplacePolicy != "Retain" {
			t.Errorf("%s is not kept: %s, %s", name, b.DeletionPolicy, b.UpdateReplacePolicy)
		}
	}
	rules := s.one(t, "AWS::S3::Bucket", "Input").at("LifecycleConfiguration.Rules")
	if !strings.Contains(rules, `"NoncurrentVersionExpiration":{"NoncurrentDays":37}`) {
		t.Errorf("input versions live by %s, want 37 days after they were replaced", rules)
	}
	if rules := s.one(t, "AWS::S3::Bucket", "Output").at("LifecycleConfiguration.Rules"); strings.Contains(rules, "Expiration") {
		t.Errorf("outputs expire by %s, want never", rules)
	}
}

func TestNewFilesRing(t *testing.T) {
	t.Parallel()
	s := stack(t, "plain")
	input := s.one(t, "AWS::S3::Bucket", "Input")
	check(t, "Input", input, map[string]string{
		"NotificationConfiguration": `{"QueueConfigurations":[{"Event":"s3:ObjectCreated:*","Queue":{"Fn::GetAtt":["` +
			idOf(s, "AWS::SQS::Queue", "Work") + `","Arn"]}}]}`,
	})
	if !slices.Contains(input.DependsOn, idOf(s, "AWS::SQS::QueuePolicy", "WorkPolicy")) {
		t.Errorf("the input bucket depends on %v, want the queue's policy among them", input.DependsOn)
	}
	if got := s.one(t, "AWS::S3::Bucket", "Output").at("NotificationConfiguration"); got != "" {
		t.Errorf("the output bucket notifies %s, which would sign what was signed", got)
	}
}

func idOf(s template, kind, name string) string {
	for id, r := range s.Resources {
		if r.Type == kind && plain(id) == name {
			return id
		}
	}
	return ""
}

func TestQueues(t *testing.T) {
	t.Parallel()
	s := stack(t, "plain")
	for _, name := range []string{"Work", "DeadLetters"} {
		check(t, name, s.one(t, "AWS::SQS::Queue", name), map[string]string{
			"MessageRetentionPeriod": "1209600", "SqsManagedSseEnabled": "true",
		})
	}
	work := s.one(t, "AWS::SQS::Queue", "Work")
	check(t, "Work", work, map[string]string{
		"RedrivePolicy.deadLetterTargetArn": "{DeadLetters}", "RedrivePolicy.maxReceiveCount": "5", "VisibilityTimeout": "1800",
	})
	check(t, "DeadLetters", s.one(t, "AWS::SQS::Queue", "DeadLetters"), map[string]string{
		"RedriveAllowPolicy.redrivePermission": "byQueue",
		"RedriveAllowPolicy.sourceQueueArns":   `[{"Fn::Join":["",["arn:",{"Ref":"AWS::Partition"},":sqs:",{"Ref":"AWS::Region"},":",{"Ref":"AWS::AccountId"},":` + work.at("QueueName") + `"]]}]`,
	})
	visible, hidden := number(t, s.one(t, "AWS::Lambda::Function", "Sign").at("Timeout")), number(t, work.at("VisibilityTimeout"))
	if hidden < 6*visible {
		t.Errorf("a message is hidden for %d s, want at least six times the %d s of a run", hidden, visible)
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestEventSources(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]string{"plain": "10", "options": "25"} {
		sources := stack(t, name).named("AWS::Lambda::EventSourceMapping")
		if len(sources) != 1 {
			t.Errorf("%s: %d event sources, want 1", name, len(sources))
		}
		for id, r := range sources {
			check(t, name+" "+id, r, map[string]string{
				"FunctionResponseTypes": `["ReportBatchItemFailures"]`, "BatchSize": "1", "EventSourceArn": "{Work}",
				"FunctionName": "{Sign}", "ScalingConfig.MaximumConcurrency": most,
			})
		}
	}
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	s := stack(t, "plain")
	check(t, "schedule", s.one(t, "AWS::Scheduler::Schedule", "RecoverEveryMinute"), map[string]string{
		"ScheduleExpression": "rate(1 minute)", "FlexibleTimeWindow.Mode": "OFF", "Target.Arn": "{Recover}",
		"Target.RoleArn": "{RecoverSchedulerRole}",
		"Target.RetryPolicy.MaximumRetryAttempts":     "0",
		"Target.RetryPolicy.MaximumEventAgeInSeconds": "60",
	})
	check(t, "asynchronous invocation", s.one(t, "AWS::Lambda::EventInvokeConfig", "RecoverEventInvokeConfig"), map[string]string{
		"FunctionName": "{Recover}", "MaximumRetryAttempts": "0", "MaximumEventAgeInSeconds": "60",
	})
	if timeout := number(t, s.one(t, "AWS::Lambda::Function", "Recover").at("Timeout")); timeout >= 60 {
		t.Errorf("recover may run for %d s, want less than the minute between two runs", timeout)
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	table := stack(t, "plain").one(t, "AWS::DynamoDB::GlobalTable", "Table")
	check(t, "table", table, map[string]string{
		"BillingMode":                        "PAY_PER_REQUEST",
		"KeySchema":                          `[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}]`,
		"TimeToLiveSpecification":            `{"AttributeName":"expiresAt","Enabled":true}`,
		"Replicas.DeletionProtectionEnabled": "true",
		"Replicas.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled": "true",
	})
	indexes := table.at("GlobalSecondaryIndexes")
	for _, want := range []string{
		`"IndexName":"byStatus","KeySchema":[{"AttributeName":"statusPk","KeyType":"HASH"},{"AttributeName":"statusSk","KeyType":"RANGE"}]`,
		`"IndexName":"byDay","KeySchema":[{"AttributeName":"dayPk","KeyType":"HASH"},{"AttributeName":"daySk","KeyType":"RANGE"}]`,
		`"NonKeyAttributes":["documentId","claimUntil"]`, // of byStatus
		`"NonKeyAttributes":["documentId"]`,              // of byDay, which a claim must not rewrite
	} {
		if !strings.Contains(indexes, want) {
			t.Errorf("indexes are %s, want %s among them", indexes, want)
		}
	}
	if table.DeletionPolicy != "Retain" || table.UpdateReplacePolicy != "Retain" {
		t.Errorf("the table is not kept: %s, %s", table.DeletionPolicy, table.UpdateReplacePolicy)
	}
}
