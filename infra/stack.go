package main

import (
	"maps"
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"bulksigner/internal/settings"
)

// functions lists what can be deployed. One more is one more line, and its own file. notify joins the HTTP API, so that it
// comes after api.
var functions = []function{signFunction, recoverFunction, apiFunction, pollFunction, sweepFunction, notifyFunction}

// deployed are the functions that a service with these settings has use for.
func deployed(s settings.Settings) (all []function) {
	for _, f := range functions {
		if f.wanted == nil || f.wanted(s) {
			all = append(all, f)
		}
	}
	return all
}

// Functions names the programs that a service with these settings deploys, one folder each.
func Functions(s settings.Settings) (names []string) {
	for _, f := range deployed(s) {
		names = append(names, f.name)
	}
	return names
}

// service is the stack while it is built: what its functions share.
type service struct {
	stack    awscdk.Stack
	options  Options
	settings settings.Settings
	overlays map[string]string
	needs    needs

	input, output bucket
	bucketKey     awskms.Key // nil: keys of S3
	network       *network   // nil: none, the functions run outside of any VPC
	table         awsdynamodb.ITableV2
	work, checks  queue // checks is empty without Lacuna Signer
	ticks         awssqs.Queue

	roles map[string]*string // ARNs of the functions' roles, by the functions' names

	alarms []raised

	http  awsapigatewayv2.HttpApi
	stage awsapigatewayv2.HttpStage
}

// NewStack builds the service as one stack. It looks nothing up, so that it is the same for every account and region, and
// needs neither of them to be built.
func NewStack(scope constructs.Construct, c Config) awscdk.Stack {
	s := &service{options: c.Options, settings: c.Settings, overlays: c.Overlays, needs: c.needs(), roles: map[string]*string{}}
	s.stack = awscdk.NewStack(scope, &s.options.Stack, &awscdk.StackProps{
		Description: jsii.String("Signs documents in bulk under the ICP-Brasil policy AD-RB"),
	})
	s.table = s.ourTable()
	s.watchTable()
	s.watchJobs()
	s.newQueues()
	s.newTicks()
	s.newBuckets()
	s.newNetwork()
	var roles []*string
	for _, f := range deployed(s.settings) {
		s.roles[f.name] = s.add(f)
		roles = append(roles, s.roles[f.name])
	}
	s.keepVersions(roles)
	s.takeUploads()
	s.newSigningKey()
	s.newDashboard()
	s.outputs()
	s.tag()
	s.remark()
	return s.stack
}

func (s *service) outputs() {
	s.say("InputBucketName", s.input.BucketName())
	s.say("OutputBucketName", s.output.BucketName())
	s.say("TableName", s.table.TableName())
	s.say("WorkQueueUrl", s.work.QueueUrl())
	s.say("DeadLetterQueueUrl", s.work.dead.QueueUrl())
	if s.checks.Queue != nil {
		s.say("ChecksQueueUrl", s.checks.QueueUrl())
		s.say("DeadChecksQueueUrl", s.checks.dead.QueueUrl())
	}
}

func (s *service) say(id string, value *string) {
	awscdk.NewCfnOutput(s.stack, &id, &awscdk.CfnOutputProps{Value: value})
}

// remark warns of what works but should not stay.
func (s *service) remark() {
	for _, key := range slices.Sorted(maps.Keys(secretKeys)) {
		if value := secretKeys[key](s.settings); value == "" || value.Stored() {
			continue
		}
		awscdk.Annotations_Of(s.stack).AddWarningV2(jsii.String("bulksigner:"+key), jsii.String(key+" is written out in the "+
			"settings file and goes into every function's package: whoever may read a function's code can read it. Put it into "+
			"a secret of Secrets Manager and name the secret's ARN."), nil)
	}
}
