package main

import (
	"encoding/json"
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2integrations"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"
)

// Requests a second that reach the function, and how many may come at once. Above them callers read 429.
const (
	requestsPerSecond = 100
	requestsAtOnce    = 200
)

var apiFunction = function{
	name:     "api",
	purpose:  "Answers the REST API",
	memoryMB: 512,
	seconds:  29, // the gateway waits for 30, so that the function's own answer comes first
	dead:     true,
	grants:   apiGrants,
	named:    apiNamed,
	connect:  serveAPI,
}

// apiGrants: it takes uploads in and hands outputs out, and its links can do no more than its role. It looks whether an input
// is there before its job is tried again, lists them when the folders are searched or shown, gives dead letters back, and
// asks no key to sign.
func apiGrants(s *service) []grant {
	return slices.Concat(
		[]grant{
			allow("WriteUploads", s.input.objects("uploads/*"), "s3:PutObject").because(anyName),
			allow("ReadOutputs", s.output.objects("*"), "s3:GetObject").because(anyName),
			s.lookAtInputs(),
			{id: "SeeWhatIsMissing", actions: []string{"s3:ListBucket"}, resources: []string{s.input.arn, s.output.arn}},
			s.changeItems(),
			s.measureWork(),
		},
		s.returnDeadLetters(),
		s.listJobs(),
		s.throughS3("kms:Decrypt", "kms:GenerateDataKey"),
	)
}

// apiNamed: whoever saves a profile is to know at once whether its key opens, and whose it is. A key in a PKCS#12 file can
// only be looked at by opening the file.
func apiNamed(s *service) []grant {
	return slices.Concat(s.readPublicKeys(), s.readAnchors(), s.readContainers(), s.readSecrets("Access", s.needs.access), signerKey(s))
}

// serveAPI puts the function behind an HTTP API: every path and method is its own affair.
func serveAPI(s *service, f awslambda.Function) {
	s.http = awsapigatewayv2.NewHttpApi(s.stack, jsii.String("HttpApi"), &awsapigatewayv2.HttpApiProps{
		ApiName:            &s.options.Stack,
		CreateDefaultStage: jsii.Bool(false),
		DefaultIntegration: invoke("Function", f),

		DisableExecuteApiEndpoint: jsii.Bool(s.options.Domain.Name != ""),
	})
	accept(s.http, "AwsSolutions-APIG4", "The function compares an API key itself, in constant time, on every route but "+
		"health and readiness: an authorizer would be one more function to invoke for the same comparison.")
	s.stage = awsapigatewayv2.NewHttpStage(s.stack, jsii.String("HttpStage"), &awsapigatewayv2.HttpStageProps{
		HttpApi:   s.http,
		StageName: jsii.String("$default"), // any other name would be a part of every path
		Throttle: &awsapigatewayv2.ThrottleSettings{
			RateLimit: jsii.Number(requestsPerSecond), BurstLimit: jsii.Number(requestsAtOnce),
		},
		AutoDeploy: jsii.Bool(true),
	})
	s.logRequests(s.stage)
	s.offer()
	s.watchEnds("Api", f)
	s.alarm(alarm{
		id: "ApiFails", says: "The API answers with server errors.", section: "the-api-fails", panel: servicesPanel,
		metric: s.http.MetricServerError(sum(5)), atLeast: 5,
	})
}

// invoke answers requests by a function.
func invoke(id string, f awslambda.Function) awsapigatewayv2.HttpRouteIntegration {
	return awsapigatewayv2integrations.NewHttpLambdaIntegration(&id, f, &awsapigatewayv2integrations.HttpLambdaIntegrationProps{
		PayloadFormatVersion: awsapigatewayv2.PayloadFormatVersion_VERSION_2_0(),
	})
}

// logRequests keeps one line per request. Headers and query are not in it: they can hold keys, names and file names.
func (s *service) logRequests(stage awsapigatewayv2.HttpStage) {
	format, err := json.Marshal(map[string]string{
		"requestId": "$context.requestId",
		"time":      "$context.requestTime",
		"ip":        "$context.identity.sourceIp",
		"method":    "$context.httpMethod",
		"path":      "$context.path",
		"status":    "$context.status",
		"bytes":     "$context.responseLength",
		"latencyMs": "$context.responseLatency",
		"error":     "$context.integrationErrorMessage",
	})
	if err != nil {
		panic(err) // strings can be encoded
	}
	stage.Node().DefaultChild().(awsapigatewayv2.CfnStage).SetAccessLogSettings(
		&awsapigatewayv2.CfnStage_AccessLogSettingsProperty{
			DestinationArn: s.newLogGroup("ApiAccessLogs").LogGroupArn(),
			Format:         jsii.String(string(format)),
		})
}
