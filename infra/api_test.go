package main_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	infra "bulksigner/infra"
)

func TestHTTPAPI(t *testing.T) {
	t.Parallel()
	s := stack(t, "plain")
	check(t, "route", s.one(t, "AWS::ApiGatewayV2::Route", "HttpApiDefaultRoute"), map[string]string{"RouteKey": "$default"})
	check(t, "integration", s.one(t, "AWS::ApiGatewayV2::Integration", "HttpApiDefaultRouteFunction"), map[string]string{
		"IntegrationType": "AWS_PROXY", "PayloadFormatVersion": "2.0", "IntegrationUri": "{Api}",
	})
	stage := s.one(t, "AWS::ApiGatewayV2::Stage", "HttpStage")
	check(t, "stage", stage, map[string]string{
		"StageName": "$default", "AutoDeploy": "true", "AccessLogSettings.DestinationArn": "{ApiAccessLogs}",
		"DefaultRouteSettings.ThrottlingRateLimit": "100", "DefaultRouteSettings.ThrottlingBurstLimit": "200",
	})
	// The gateway waits for 30 s at most: a function that takes longer answers nobody.
	if timeout := number(t, s.one(t, "AWS::Lambda::Function", "Api").at("Timeout")); timeout >= 30 {
		t.Errorf("the API may take %d s, want less than 30", timeout)
	}
	var line map[string]string
	if err := json.Unmarshal([]byte(stage.at("AccessLogSettings.Format")), &line); err != nil {
		t.Errorf("access log format: %v", err)
	}
	for name, value := range line {
		if strings.Contains(value, "header") || strings.Contains(value, "querystring") || strings.Contains(value, "authorizer") {
			t.Errorf("the access log keeps %s = %s, which can hold a secret", name, value)
		}
	}
	for id, r := range s.named("AWS::Lambda::Permission") {
		check(t, id, r, map[string]string{
			"Principal": "apigateway.amazonaws.com", "Action": "lambda:InvokeFunction", "FunctionName": "{Api}",
			"SourceArn": "arn:aws:execute-api:REGION:ACCOUNT:{HttpApi}/*/*",
		})
	}
}

// TestNotifications: the route is the function's alone, with a rate of its own, and nothing asks who calls before it does.
func TestNotifications(t *testing.T) {
	t.Parallel()
	s := stack(t, "signer")
	const name = "HttpApiPOSTapisignernotifications"
	check(t, "route", s.one(t, "AWS::ApiGatewayV2::Route", name), map[string]string{
		"RouteKey": "POST /api/signer/notifications", "AuthorizationType": "NONE", "AuthorizerId": "",
	})
	check(t, "integration", s.one(t, "AWS::ApiGatewayV2::Integration", name+"Notifications"), map[string]string{
		"IntegrationType": "AWS_PROXY", "PayloadFormatVersion": "2.0", "IntegrationUri": "{Notify}",
	})
	check(t, "permission", s.one(t, "AWS::Lambda::Permission", name+"NotificationsPermission"), map[string]string{
		"Principal": "apigateway.amazonaws.com", "Action": "lambda:InvokeFunction", "FunctionName": "{Notify}",
		"SourceArn": "arn:aws:execute-api:REGION:ACCOUNT:{HttpApi}/*/*/api/signer/notifications",
	})
	stage := s.one(t, "AWS::ApiGatewayV2::Stage", "HttpStage")
	check(t, "stage", stage, map[string]string{
		"RouteSettings": `{"POST /api/signer/notifications":{"ThrottlingBurstLimit":100,"ThrottlingRateLimit":50}}`,
		"DefaultRouteSettings.ThrottlingRateLimit": "100",
	})
	// A stage that names a route which is not there yet cannot be made.
	if !slices.Contains(stage.DependsOn, idOf(s, "AWS::ApiGatewayV2::Route", name)) {
		t.Errorf("the stage depends on %v, want the route among them", stage.DependsOn)
	}
}

func TestLogsEnd(t *testing.T) {
	t.Parallel()
	groups := stack(t, "signer").named("AWS::Logs::LogGroup")
	for id, r := range groups {
		check(t, id, r, map[string]string{"RetentionInDays": "180"})
	}
	for _, name := range []string{"SignLogs", "PollLogs", "SweepLogs", "RecoverLogs", "ApiLogs", "NotifyLogs", "ApiAccessLogs"} {
		if _, ok := groups[name]; !ok {
			t.Errorf("there is no log group %s", name)
		}
	}
}

func TestChosenOptions(t *testing.T) {
	t.Parallel()
	s := stack(t, "options")
	for name, bucket := range map[string]string{"Input": "given-input", "Output": "given-output"} {
		check(t, name, s.one(t, "AWS::S3::Bucket", name), map[string]string{
			"BucketName": bucket,
			"BucketEncryption.ServerSideEncryptionConfiguration.ServerSideEncryptionByDefault.SSEAlgorithm":   "aws:kms",
			"BucketEncryption.ServerSideEncryptionConfiguration.ServerSideEncryptionByDefault.KMSMasterKeyID": "{BucketKey}",
			"BucketEncryption.ServerSideEncryptionConfiguration.BucketKeyEnabled":                             "true",
			"LoggingConfiguration.DestinationBucketName":                                                      "given-logs",
			"LoggingConfiguration.LogFilePrefix":                                                              "second/" + name + "/",
		})
	}
	key := s.one(t, "AWS::KMS::Key", "BucketKey")
	check(t, "BucketKey", key, map[string]string{"EnableKeyRotation": "true"})
	if key.DeletionPolicy != "Retain" {
		t.Errorf("the buckets' key goes by %s, and the documents with it", key.DeletionPolicy)
	}
	check(t, "Work", s.one(t, "AWS::SQS::Queue", "Work"), map[string]string{"QueueName": "second-work"})
	if rules := s.one(t, "AWS::S3::Bucket", "Input").at("LifecycleConfiguration.Rules"); !strings.Contains(rules, `"NoncurrentDays":90`) {
		t.Errorf("input versions live by %s, want 90 days", rules)
	}
	// What overlays the settings file here must overlay it there.
	for name := range s.named("AWS::Lambda::Function") {
		check(t, name, s.one(t, "AWS::Lambda::Function", name), map[string]string{
			"Environment.Variables.Pipeline__MaxConcurrency": "25", "Environment.Variables.Upload__Enabled": "false",
			"Environment.Variables.PATH": "", "Environment.Variables.RateLimiting__Upload__PermitsPerWindow": "7",
			"Environment.Variables.Metrics__RequireApiKey": "false", "Environment.Variables.Readiness__RequireApiKey": "true",
			"Environment.Variables.Statistics__Enabled": "false", "Environment.Variables.Encryption__Enabled": "false",
		})
	}
}

// TestReview holds the AwsSolutions rules. Each exception carries its reason.
func TestReview(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "options", "many", "literal", "signer", "quiet", "allowed", "token", "isolated", "network", "existing"} {
		for _, r := range stack(t, name).remarks {
			if r.Error {
				t.Errorf("%s: %s", name, r.Text)
			}
		}
	}
	tolerated := []string{"AwsSolutions-S1", "AwsSolutions-IAM5", "AwsSolutions-APIG4", "AwsSolutions-SQS3"}
	for id, r := range stack(t, "signer").Resources {
		nag, ok := r.Metadata["cdk_nag"].(map[string]any)
		if !ok {
			continue
		}
		for _, rule := range nag["rules_to_suppress"].([]any) {
			rule := rule.(map[string]any)
			if !slices.Contains(tolerated, text(rule["id"])) || len(text(rule["reason"])) < 40 {
				t.Errorf("%s is kept from %s because %q", id, rule["id"], rule["reason"])
			}
			if rule["id"] == "AwsSolutions-IAM5" && rule["applies_to"] == nil {
				t.Errorf("%s is kept from a rule about patterns in whole, want the patterns named", id)
			}
		}
	}
}

func TestRemarks(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, stack, want string }{
		{"a key that is written out", "literal", "Auth:ApiKey is written out"},
		{"a key for Lacuna Signer that is written out", "literal", "Signer:ApiKey is written out"},
		{"a bearer that is written out", "literal", "Signer:WebhookSecret is written out"},
		{"a password that is written out", "literal", "Encryption:Password is written out"},
		{"more than a role can hold", "toomany", "more keys, objects and secrets than a role can hold"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			remarks := stack(t, tt.stack).remarks
			if !slices.ContainsFunc(remarks, func(r infra.Remark) bool { return strings.Contains(r.Text, tt.want) }) {
				t.Errorf("remarks are %v, want one with %q", remarks, tt.want)
			}
		})
	}
	for _, name := range []string{"plain", "signer", "quiet", "allowed", "token", "isolated", "network", "existing"} {
		for _, r := range stack(t, name).remarks {
			t.Errorf("%s: remark without a reason: %s", name, r.Text)
		}
	}
}
