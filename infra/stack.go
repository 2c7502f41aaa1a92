package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"bulksigner/internal/settings"
)

// functions lists what is deployed. One more is one more line, and its own file.
var functions = []function{signFunction, recoverFunction, apiFunction}

// Functions names the programs that are deployed, one folder each.
func Functions() []string {
	names := make([]string, len(functions))
	for i, f := range functions {
		names[i] = f.name
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
	table         awsdynamodb.TableV2
	work, dead    awssqs.Queue
}

// NewStack builds the service as one stack. It looks nothing up, so that it is the same for every account and region, and
// needs neither of them to be built.
func NewStack(scope constructs.Construct, c Config) awscdk.Stack {
	s := &service{options: c.Options, settings: c.Settings, overlays: c.Overlays, needs: needsOf(c.Settings)}
	s.stack = awscdk.NewStack(scope, &s.options.Stack, &awscdk.StackProps{
		Description: jsii.String("Signs documents in bulk under the ICP-Brasil policy AD-RB"),
	})
	s.table = newTable(s.stack)
	s.work, s.dead = newQueues(s.stack, s.options.Stack)
	s.newBuckets()
	roles := make([]*string, len(functions))
	for i, f := range functions {
		roles[i] = s.add(f)
	}
	s.keepVersions(roles)
	s.watchDeadLetters()
	s.outputs()
	s.remark()
	return s.stack
}

func (s *service) outputs() {
	s.say("InputBucketName", s.input.BucketName())
	s.say("OutputBucketName", s.output.BucketName())
	s.say("TableName", s.table.TableName())
	s.say("WorkQueueUrl", s.work.QueueUrl())
	s.say("DeadLetterQueueUrl", s.dead.QueueUrl())
}

func (s *service) say(id string, value *string) {
	awscdk.NewCfnOutput(s.stack, &id, &awscdk.CfnOutputProps{Value: value})
}

// remark warns of what works but should not stay.
func (s *service) remark() {
	if !s.settings.Auth.ApiKey.Stored() {
		awscdk.Annotations_Of(s.stack).AddWarningV2(jsii.String("bulksigner:api-key"), jsii.String(
			"Auth:ApiKey is written out in the settings file and goes into every function's package: whoever may read a "+
				"function's code can read it. Put it into a secret of Secrets Manager and name the secret's ARN."), nil)
	}
}
