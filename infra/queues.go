package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"
)

const (
	// A message that waits longer than this is lost, and rung again from the table.
	retentionDays = 14
	// A message that is being worked on must not come a second time: six times the function's time-out, as the platform
	// asks, so that it can also retry a batch that was throttled.
	visibilitySeconds = 6 * signSeconds
	maxReceives       = 5
)

// newQueues makes the work queue and the queue for messages that nobody could handle, which only the work queue may use.
// The two name each other, so the work queue has a fixed name: its ARN can be said before it exists.
func newQueues(stack awscdk.Stack, prefix string) (work, dead awssqs.Queue) {
	name := prefix + "-work"
	source := stack.FormatArn(&awscdk.ArnComponents{Service: jsii.String("sqs"), Resource: &name})
	dead = awssqs.NewQueue(stack, jsii.String("DeadLetters"), queueProps(&awssqs.QueueProps{
		RedriveAllowPolicy: &awssqs.RedriveAllowPolicy{
			RedrivePermission: awssqs.RedrivePermission_BY_QUEUE,
			SourceQueues:      &[]awssqs.IQueue{awssqs.Queue_FromQueueArn(stack, jsii.String("WorkByName"), source)},
		},
	}))
	work = awssqs.NewQueue(stack, jsii.String("Work"), queueProps(&awssqs.QueueProps{
		QueueName:         &name,
		VisibilityTimeout: awscdk.Duration_Seconds(jsii.Number(visibilitySeconds)),
		DeadLetterQueue:   &awssqs.DeadLetterQueue{Queue: dead, MaxReceiveCount: jsii.Number(maxReceives)},
	}))
	return work, dead
}

// queueProps adds what all queues have in common. Keys of SQS encrypt them: S3 could not write to a queue under the
// managed key of KMS.
func queueProps(p *awssqs.QueueProps) *awssqs.QueueProps {
	p.Encryption = awssqs.QueueEncryption_SQS_MANAGED
	p.EnforceSSL = jsii.Bool(true)
	p.RetentionPeriod = awscdk.Duration_Days(jsii.Number(retentionDays))
	return p
}

// ring lets S3 tell the work queue about new objects of one bucket. The bucket is named by its ARN as a text, since the
// bucket itself comes after this policy: S3 tries the queue when it is told of it.
func ring(stack awscdk.Stack, work awssqs.Queue, bucketArn string) {
	work.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid:        jsii.String("InputBucket"),
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(jsii.String("s3.amazonaws.com"), nil)},
		Actions:    jsii.Strings("sqs:SendMessage"),
		Resources:  jsii.Strings(*work.QueueArn()),
		Conditions: &map[string]any{
			"StringEquals": map[string]any{"aws:SourceAccount": stack.Account()},
			"ArnEquals":    map[string]any{"aws:SourceArn": bucketArn},
		},
	}))
}

// watchDeadLetters raises an alarm on the first message that nobody could handle.
func (s *service) watchDeadLetters() {
	s.alarm(alarm{
		id: "DeadLettersWait", says: "A message could not be handled and waits in the dead-letter queue.",
		metric: s.dead.MetricApproximateNumberOfMessagesVisible(&awscloudwatch.MetricOptions{
			Period: awscdk.Duration_Minutes(jsii.Number(5)), Statistic: jsii.String("Maximum"),
		}),
		atLeast: 1,
	})
}
