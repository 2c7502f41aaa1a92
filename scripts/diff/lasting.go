package main

// lasting are the properties by which CloudFormation makes a resource anew when they change, by type: "*" is all of them. Of
// a type that is not here nobody knows.
var lasting = map[string][]string{
	"AWS::DynamoDB::GlobalTable":      {"TableName", "KeySchema", "LocalSecondaryIndexes"},
	"AWS::DynamoDB::Table":            {"TableName", "KeySchema", "LocalSecondaryIndexes", "ImportSourceSpecification"},
	"AWS::S3::Bucket":                 {"BucketName", "BucketNamePrefix", "BucketNamespace"},
	"AWS::S3::BucketPolicy":           {"Bucket"},
	"AWS::SQS::Queue":                 {"QueueName", "FifoQueue"},
	"AWS::SQS::QueuePolicy":           {},
	"AWS::KMS::Key":                   {"KeySpec", "KeyUsage", "MultiRegion", "Origin"},
	"AWS::KMS::Alias":                 {"AliasName"},
	"AWS::Lambda::Function":           {"FunctionName", "PackageType"},
	"AWS::Lambda::EventSourceMapping": {"EventSourceArn", "StartingPosition", "StartingPositionTimestamp", "SelfManagedEventSource"},
	"AWS::Lambda::Permission":         {"*"},
	"AWS::Lambda::EventInvokeConfig":  {"FunctionName", "Qualifier"},
	"AWS::Logs::LogGroup":             {"LogGroupName"},
	"AWS::Logs::MetricFilter":         {"LogGroupName", "FilterName"},
	"AWS::IAM::Role":                  {"RoleName", "Path"},
	"AWS::IAM::Policy":                {},
	"AWS::IAM::ManagedPolicy":         {"ManagedPolicyName", "Path", "Description"},
	"AWS::Scheduler::Schedule":        {"Name"},
	"AWS::CloudWatch::Alarm":          {"AlarmName"},
	"AWS::CloudWatch::CompositeAlarm": {"AlarmName"},
	"AWS::CloudWatch::Dashboard":      {"DashboardName"},
	"AWS::ApiGatewayV2::Api":          {"ProtocolType"},
	"AWS::ApiGatewayV2::Stage":        {"ApiId", "StageName"},
	"AWS::ApiGatewayV2::Route":        {"ApiId"},
	"AWS::ApiGatewayV2::Integration":  {"ApiId"},
}

// contents are the types that hold what nobody can make again, and what it is.
var contents = map[string]string{
	"AWS::DynamoDB::GlobalTable": "every job, profile and event",
	"AWS::DynamoDB::Table":       "every job, profile and event",
	"AWS::S3::Bucket":            "its documents",
	"AWS::KMS::Key":              "the key: what it encrypted cannot be read without it",
	"AWS::Logs::LogGroup":        "its log",
	"AWS::SQS::Queue":            "its messages; recover rings again for the jobs",
}

// grave are the types whose loss stops a deployment. The others are replaced by what comes after them.
var grave = map[string]bool{
	"AWS::DynamoDB::GlobalTable": true, "AWS::DynamoDB::Table": true, "AWS::S3::Bucket": true, "AWS::KMS::Key": true,
}

// remains reports whether CloudFormation leaves a resource where it is that it takes out of the stack. Without a policy of
// its own it does not.
func remains(policy string) bool { return policy == "Retain" || policy == "RetainExceptOnCreate" }
