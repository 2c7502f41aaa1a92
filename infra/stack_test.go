package main_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
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
	s := stack(t, "signer")
	tests := map[string]struct{ timeout, memory, limit, disk, checks, dead, deadChecks string }{
		"Sign":    {"300", "512", "460MiB", "4096", "", "", ""},
		"Poll":    {"75", "256", "230MiB", "", "", "", ""},
		"Sweep":   {"75", "256", "230MiB", "", "{Checks}", "", ""},
		"Recover": {"55", "256", "230MiB", "", "", "", ""},
		"Api":     {"29", "512", "460MiB", "", "{Checks}", "{DeadLetters}", "{DeadChecks}"},
		"Notify":  {"20", "256", "230MiB", "", "{Checks}", "", ""},
	}
	for name, tt := range tests {
		f := s.one(t, "AWS::Lambda::Function", name)
		check(t, name, f, map[string]string{
			"Runtime": "provided.al2023", "Architectures": `["arm64"]`, "Handler": "bootstrap", "Timeout": tt.timeout,
			"MemorySize": tt.memory, "Role": "{" + name + "Role}", "LoggingConfig.LogGroup": "{" + name + "Logs}",
			"Environment.Variables.TABLE_NAME": "{Table}", "Environment.Variables.INPUT_BUCKET": "{Input}",
			"Environment.Variables.OUTPUT_BUCKET": "{Output}", "Environment.Variables.WORK_QUEUE_URL": "{Work}",
			"Environment.Variables.GOMEMLIMIT": tt.limit, "EphemeralStorage.Size": tt.disk,
			"Environment.Variables.DEAD_LETTER_QUEUE_URL": tt.dead, "Environment.Variables.DEAD_CHECKS_QUEUE_URL": tt.deadChecks,
			"Environment.Variables.CHECKS_QUEUE_URL": tt.checks, "Environment.Variables.METRICS_NAMESPACE": "BulkSigner/bulksigner",
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
}

// TestMemoryForEncryption: the largest output that is encrypted fits into sign, which holds it whole.
func TestMemoryForEncryption(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"plain": "512", "signer": "512", "literal": "896"} {
		sign := stack(t, name).one(t, "AWS::Lambda::Function", "Sign")
		check(t, name, sign, map[string]string{"MemorySize": want})
	}
}

// TestNothingOfSigner: a service that signs everything itself has nothing that waits for Lacuna Signer.
func TestNothingOfSigner(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		name string
		want []string
	}{
		"AWS::Lambda::Function":           {"plain", []string{"Api", "Recover", "Sign"}},
		"AWS::Scheduler::Schedule":        {"plain", []string{"RecoverEveryMinute"}},
		"AWS::SQS::Queue":                 {"plain", []string{"DeadLetters", "DeadTicks", "Work"}},
		"AWS::ApiGatewayV2::Route":        {"quiet", []string{"HttpApiDefaultRoute"}},
		"AWS::Lambda::EventSourceMapping": {"quiet", []string{"SignWork", "SweepChecks"}},
	}
	for kind, tt := range tests {
		if got := slices.Sorted(maps.Keys(stack(t, tt.name).named(kind))); !slices.Equal(got, tt.want) {
			t.Errorf("%s of %s are %v, want %v", kind, tt.name, got, tt.want)
		}
	}
}

func TestNothingComesUnasked(t *testing.T) {
	t.Parallel()
	allowed := []string{
		"AWS::ApiGatewayV2::Api", "AWS::ApiGatewayV2::Integration", "AWS::ApiGatewayV2::Route", "AWS::ApiGatewayV2::Stage",
		"AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard", "AWS::DynamoDB::GlobalTable", "AWS::IAM::ManagedPolicy", "AWS::IAM::Policy", "AWS::IAM::Role",
		"AWS::KMS::Key", "AWS::Lambda::EventInvokeConfig", "AWS::Lambda::EventSourceMapping", "AWS::Lambda::Function",
		"AWS::Lambda::Permission", "AWS::Logs::LogGroup", "AWS::S3::Bucket", "AWS::S3::BucketPolicy", "AWS::SQS::Queue",
		"AWS::SQS::QueuePolicy", "AWS::Scheduler::Schedule",
	}
	network := []string{"AWS::EC2::FlowLog", "AWS::EC2::RouteTable", "AWS::EC2::SecurityGroup", "AWS::EC2::SecurityGroupIngress",
		"AWS::EC2::Subnet", "AWS::EC2::SubnetRouteTableAssociation", "AWS::EC2::VPC", "AWS::EC2::VPCEndpoint"}
	chosen := map[string][]string{
		"isolated": append(network, "AWS::KMS::Alias"),
		"network": append(slices.Clone(network), "AWS::KMS::Alias", "AWS::EC2::EIP", "AWS::EC2::InternetGateway",
			"AWS::EC2::NatGateway", "AWS::EC2::Route", "AWS::EC2::VPCGatewayAttachment", "AWS::ApiGatewayV2::ApiMapping", "AWS::ApiGatewayV2::DomainName"),
		"existing": {"AWS::ApiGatewayV2::ApiMapping", "AWS::ApiGatewayV2::DomainName", "Custom::S3BucketNotifications"},
		"token":    {"AWS::EC2::SecurityGroup", "AWS::EC2::SecurityGroupEgress", "AWS::EC2::SecurityGroupIngress"},
	}
	for name := range deployments {
		for id, r := range stack(t, name).Resources {
			if !slices.Contains(allowed, r.Type) && !slices.Contains(chosen[name], r.Type) {
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
	for name, days := range map[string]string{"plain": "37", "options": "90", "signer": "72", "quiet": "40"} { // 1000 hours are 42 days
		rules := stack(t, name).one(t, "AWS::S3::Bucket", "Input").at("LifecycleConfiguration.Rules")
		if !strings.Contains(rules, `"NoncurrentVersionExpiration":{"NoncurrentDays":`+days+`}`) {
			t.Errorf("input versions of %s live by %s, want %s days after they were replaced", name, rules, days)
		}
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

// TestPagesMaySendFiles: those of the service's own address, to the input bucket alone.
func TestPagesMaySendFiles(t *testing.T) {
	t.Parallel()
	origins := map[string]string{
		"plain":   `{"Fn::GetAtt":["` + idOf(stack(t, "plain"), "AWS::ApiGatewayV2::Api", "HttpApi") + `","ApiEndpoint"]}`,
		"network": `"https://sign.example.com"`, // where the gateway's own address is closed
	}
	for name, origin := range origins {
		check(t, name, stack(t, name).one(t, "AWS::S3::Bucket", "Input"), map[string]string{
			"CorsConfiguration": `{"CorsRules":[{"AllowedHeaders":["Content-Type","If-None-Match"],"AllowedMethods":["PUT"],` +
				`"AllowedOrigins":[` + origin + `],"MaxAge":3600}]}`,
		})
	}
	for _, name := range []string{"plain", "existing"} {
		if got := stack(t, name).one(t, "AWS::S3::Bucket", "Output").at("CorsConfiguration"); got != "" {
			t.Errorf("%s: pages may use the output bucket by %s", name, got)
		}
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
	s := stack(t, "signer")
	tests := []struct{ queue, dead, function, hidden, receives string }{
		{"Work", "DeadLetters", "Sign", "1800", "5"},
		{"Checks", "DeadChecks", "Sweep", "450", "10"},
	}
	for _, tt := range tests {
		for _, name := range []string{tt.queue, tt.dead} {
			check(t, name, s.one(t, "AWS::SQS::Queue", name), map[string]string{
				"MessageRetentionPeriod": "1209600", "SqsManagedSseEnabled": "true",
			})
		}
		q := s.one(t, "AWS::SQS::Queue", tt.queue)
		check(t, tt.queue, q, map[string]string{
			"QueueName": "bulksigner-" + strings.ToLower(tt.queue), "VisibilityTimeout": tt.hidden,
			"RedrivePolicy.deadLetterTargetArn": "{" + tt.dead + "}", "RedrivePolicy.maxReceiveCount": tt.receives,
		})
		check(t, tt.dead, s.one(t, "AWS::SQS::Queue", tt.dead), map[string]string{
			"RedriveAllowPolicy.redrivePermission": "byQueue",
			"RedriveAllowPolicy.sourceQueueArns":   `[{"Fn::Join":["",["arn:",{"Ref":"AWS::Partition"},":sqs:",{"Ref":"AWS::Region"},":",{"Ref":"AWS::AccountId"},":` + q.at("QueueName") + `"]]}]`,
		})
		run, hidden := number(t, s.one(t, "AWS::Lambda::Function", tt.function).at("Timeout")), number(t, q.at("VisibilityTimeout"))
		if hidden < 6*run {
			t.Errorf("a message of %s is hidden for %d s, want at least six times the %d s of a run", tt.queue, hidden, run)
		}
	}
}

// TestChecksOutliveASweep: a check is dropped when a sweep has looked, and is no dead letter before. Each of its receives but
// the first comes at least 10 s and at most 900 s after the one before.
func TestChecksOutliveASweep(t *testing.T) {
	t.Parallel()
	for name, interval := range map[string]int{"signer": 300, "quiet": 86400} {
		receives := number(t, stack(t, name).one(t, "AWS::SQS::Queue", "Checks").at("RedrivePolicy.maxReceiveCount"))
		age := 0
		for again := range receives - 1 {
			age += min(10<<min(again, 10), 900)
		}
		if age <= interval || receives < 5 {
			t.Errorf("%s: a check comes %d times until it is %d s old, want it to be older than %d s", name, receives, age, interval)
		}
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
	work := map[string]string{"BatchSize": "1", "EventSourceArn": "{Work}", "FunctionName": "{Sign}", "ScalingConfig.MaximumConcurrency": "10"}
	wider := maps.Clone(work)
	wider["ScalingConfig.MaximumConcurrency"] = "25"
	checks := map[string]string{"BatchSize": "10", "EventSourceArn": "{Checks}", "FunctionName": "{Sweep}", "ScalingConfig.MaximumConcurrency": "2"}
	tests := map[string]map[string]map[string]string{
		"plain":   {"SignWork": work},
		"options": {"SignWork": wider},
		"signer":  {"SignWork": work, "SweepChecks": checks},
	}
	for name, want := range tests {
		sources := stack(t, name).named("AWS::Lambda::EventSourceMapping")
		if len(sources) != len(want) {
			t.Errorf("%s: %d event sources, want %d", name, len(sources), len(want))
		}
		for id, r := range sources {
			check(t, name+" "+id, r, want[id])
			check(t, name+" "+id, r, map[string]string{"FunctionResponseTypes": `["ReportBatchItemFailures"]`})
		}
	}
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	s := stack(t, "signer")
	for name, longest := range map[string]int{"Recover": 60, "Poll": 60 + 20, "Sweep": 60 + 20} { // a round stops calling 20 s before its end
		check(t, "schedule", s.one(t, "AWS::Scheduler::Schedule", name+"EveryMinute"), map[string]string{
			"ScheduleExpression": "rate(1 minute)", "FlexibleTimeWindow.Mode": "OFF", "Target.Arn": "{" + name + "}",
			"Target.RoleArn": "{" + name + "SchedulerRole}",
			"Target.RetryPolicy.MaximumRetryAttempts":     "0",
			"Target.RetryPolicy.MaximumEventAgeInSeconds": "60",
			"Target.DeadLetterConfig.Arn":                 "{DeadTicks}",
		})
		check(t, "asynchronous invocation", s.one(t, "AWS::Lambda::EventInvokeConfig", name+"EventInvokeConfig"), map[string]string{
			"FunctionName": "{" + name + "}", "MaximumRetryAttempts": "0", "MaximumEventAgeInSeconds": "60",
			"DestinationConfig.OnFailure.Destination": "{DeadTicks}",
		})
		if timeout := number(t, s.one(t, "AWS::Lambda::Function", name).at("Timeout")); timeout >= longest {
			t.Errorf("%s may run for %d s, want less than %d", name, timeout, longest)
		}
	}
	if got := len(s.named("AWS::Scheduler::Schedule")); got != 3 {
		t.Errorf("%d schedules, want 3", got)
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
