package main

import (
	"fmt"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"
)

const (
	// A message that waits longer than this is lost, and rung again from the table.
	retentionDays = 14
	// A message that is being worked on must not come a second time: six times the function's time-out, as the platform
	// asks, so that it can also retry a batch that was throttled.
	visibilityTimes = 6
	maxReceives     = 5
	// A message of work that waits so long is no burst any more. One whose run died comes again after half of it.
	workSeconds = 60 * 60
)

// queue is a queue, and the one for those of its messages that nobody could handle.
type queue struct {
	awssqs.Queue
	dead awssqs.Queue
}

// queueOptions say how a queue differs from others.
type queueOptions struct {
	id, dead string // of the queue and of the one for its dead letters
	seconds  int    // time-out of the function that it wakes
	receives int    // how often a message comes before it is a dead letter
	alarm    string // says what it means that one is
	oldest   int    // age of a message in seconds that says that nobody keeps up
}

// newQueues makes the queues that functions are woken by.
func (s *service) newQueues() {
	s.work = s.newQueue(queueOptions{
		id: "Work", dead: "DeadLetters", seconds: signSeconds, receives: maxReceives,
		alarm: "A message could not be handled and waits in the dead-letter queue.", oldest: workSeconds,
	})
	if worksWithSigner(s.settings) {
		s.checks = s.newQueue(checksOptions(s.settings))
	}
}

// newQueue makes a queue and its dead-letter queue, which no other queue may use. The two name each other, so the first has
// a fixed name: its ARN can be said before it exists.
func (s *service) newQueue(o queueOptions) queue {
	name := s.options.Stack + "-" + strings.ToLower(o.id)
	source := s.stack.FormatArn(&awscdk.ArnComponents{Service: jsii.String("sqs"), Resource: &name})
	dead := awssqs.NewQueue(s.stack, &o.dead, queueProps(&awssqs.QueueProps{
		RedriveAllowPolicy: &awssqs.RedriveAllowPolicy{
			RedrivePermission: awssqs.RedrivePermission_BY_QUEUE,
			SourceQueues:      &[]awssqs.IQueue{awssqs.Queue_FromQueueArn(s.stack, jsii.String(o.id+"ByName"), source)},
		},
	}))
	made := awssqs.NewQueue(s.stack, &o.id, queueProps(&awssqs.QueueProps{
		QueueName:         &name,
		VisibilityTimeout: awscdk.Duration_Seconds(jsii.Number(visibilityTimes * o.seconds)),
		DeadLetterQueue:   &awssqs.DeadLetterQueue{Queue: dead, MaxReceiveCount: jsii.Number(o.receives)},
	}))
	s.watchDeadLetters(o, dead)
	s.watchAge(o, made)
	return queue{made, dead}
}

// queueProps adds what all queues have in common. Keys of SQS encrypt them: S3 could not write to a queue under the
// managed key of KMS.
func queueProps(p *awssqs.QueueProps) *awssqs.QueueProps {
	p.Encryption = awssqs.QueueEncryption_SQS_MANAGED
	p.EnforceSSL = jsii.Bool(true)
	p.RetentionPeriod = awscdk.Duration_Days(jsii.Number(retentionDays))
	return p
}

// consume lets a function take messages, hand them back and let them come again.
func (q queue) consume(id string) grant {
	return allow(id, *q.QueueArn(), "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:GetQueueAttributes")
}

// ringWork lets a function send doorbells to the work queue; measureWork also lets it ask how many the queue holds, as
// those do who ring for many.
func (s *service) ringWork() grant { return allow("Ring", *s.work.QueueArn(), "sqs:SendMessage") }

func (s *service) measureWork() grant {
	return allow("Ring", *s.work.QueueArn(), "sqs:SendMessage", "sqs:GetQueueAttributes")
}

// tellOfDeadLetters names the queues for what nobody could handle, and the one of checks, to which its own go back.
func (s *service) tellOfDeadLetters(env map[string]*string) {
	env["DEAD_LETTER_QUEUE_URL"] = s.work.dead.QueueUrl()
	if s.checks.Queue != nil {
		env["DEAD_CHECKS_QUEUE_URL"] = s.checks.dead.QueueUrl()
		env["CHECKS_QUEUE_URL"] = s.checks.QueueUrl()
	}
}

// returnDeadLetters lets a function count what nobody could handle, take it and send it back to its queue. To the work
// queue it may send for other reasons.
func (s *service) returnDeadLetters() []grant {
	take := allow("TakeDeadLetters", *s.work.dead.QueueArn(), "sqs:GetQueueAttributes", "sqs:ReceiveMessage", "sqs:DeleteMessage")
	if s.checks.Queue == nil {
		return []grant{take}
	}
	take.resources = append(take.resources, *s.checks.dead.QueueArn())
	return []grant{take, allow("ReturnChecks", *s.checks.QueueArn(), "sqs:GetQueueAttributes", "sqs:SendMessage")}
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
func (s *service) watchDeadLetters(o queueOptions, dead awssqs.Queue) {
	s.alarm(alarm{
		id: o.dead + "Wait", says: o.alarm, section: "dead-letters", panel: queuesPanel,
		metric: dead.MetricApproximateNumberOfMessagesVisible(highest(5)), atLeast: 1,
	})
}

// watchAge raises an alarm when the functions do not keep up with a queue, or nobody takes its messages.
func (s *service) watchAge(o queueOptions, q awssqs.Queue) {
	s.alarm(alarm{
		id: o.id + "Late", says: fmt.Sprintf("A message of the queue %s waits for more than %d minutes.", strings.ToLower(o.id), o.oldest/60),
		section: "messages-wait-too-long", panel: agesPanel,
		metric: q.MetricApproximateAgeOfOldestMessage(highest(5)), atLeast: float64(o.oldest),
	})
}
