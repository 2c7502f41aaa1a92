package main

import (
	"regexp"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3notifications"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// Existing is an input bucket that somebody else made. The stack adds one notification to it and changes nothing else: what
// its owner has to see to is in the README, and the functions refuse a bucket without versions by themselves.
type Existing struct {
	Bucket string // existingInputBucket: its name; default none, the stack makes one
	Key    string // existingInputKeyArn: the key of KMS that encrypts it; default none
}

var (
	existingForm = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`) // older buckets can have dots
	ownKeyForm   = regexp.MustCompile(`^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[a-zA-Z0-9-]+$`)
)

// existing reads the options of an existing input bucket, and refuses those that would be without effect beside it.
func (r *optionReader) existing(o Options) Existing {
	e := Existing{Bucket: r.text("existingInputBucket", "", existingForm), Key: r.text("existingInputKeyArn", "", ownKeyForm)}
	if e.Bucket == "" {
		if e.Key != "" {
			r.fault("existingInputKeyArn", "there is no existingInputBucket that it could encrypt; name that too, or leave both out")
		}
		return e
	}
	if o.InputBucket != "" {
		r.fault("existingInputBucket", "inputBucket names a bucket to be made, and this one that exists; leave one of them out")
	}
	if o.InputDays != 0 {
		r.fault("inputDays", "the stack does not change the lifecycle of existingInputBucket; set it there, and leave this out")
	}
	if e.Bucket == o.OutputBucket {
		r.fault("existingInputBucket", "it is the output bucket too, so that every output would be taken in again; name another")
	}
	if e.Bucket == o.AccessLogs {
		r.fault("existingInputBucket", "it is the bucket for access logs too, and a log is no document; name another")
	}
	return e
}

// existingInput is the input bucket of somebody else.
func (s *service) existingInput() bucket {
	notifier, role := s.newNotifierRole()
	b := awss3.Bucket_FromBucketAttributes(s.stack, jsii.String("Input"), &awss3.BucketAttributes{
		BucketName: &s.options.Existing.Bucket, NotificationsHandlerRole: role,
	})
	in := bucket{IBucket: b, name: s.options.Existing.Bucket, arn: s.s3(s.options.Existing.Bucket)}
	s.joinNotifications(in, notifier)
	return in
}

// newNotifierRole is for the function that CloudFormation has add the notification: it reads the bucket's configuration,
// keeps what others wrote into it and writes ours beside it. It may do so with this bucket alone.
func (s *service) newNotifierRole() (awslogs.LogGroup, awsiam.IRole) {
	logs := s.newLogGroup("NotifierLogs")
	role := awsiam.NewRole(s.stack, jsii.String("NotifierRole"), &awsiam.RoleProps{
		Description: jsii.String("Adds a notification to the input bucket"),
		AssumedBy:   awsiam.NewServicePrincipal(jsii.String("lambda.amazonaws.com"), nil),
	})
	role.AddToPolicy(allow("Logs", *logs.LogGroupArn(), "logs:CreateLogStream", "logs:PutLogEvents").statement())
	role.AddToPolicy(allow("Notify", s.s3(s.options.Existing.Bucket), "s3:GetBucketNotification", "s3:PutBucketNotification").statement())
	return logs, role.WithoutPolicyUpdates(nil)
}

// joinNotifications adds ours to the notifications that the bucket has. The queue is named by its ARN, so that the construct
// leaves its policy alone, which is narrower than what it would write.
func (s *service) joinNotifications(in bucket, logs awslogs.LogGroup) {
	ring(s.stack, s.work.Queue, in.arn)
	queue := awssqs.Queue_FromQueueArn(s.stack, jsii.String("WorkOfInput"), s.work.QueueArn())
	in.AddEventNotification(awss3.EventType_OBJECT_CREATED, awss3notifications.NewSqsDestination(queue))
	in.Node().FindChild(jsii.String("Notifications")).Node().AddDependency(s.work.Queue) // with its policy
	notifier := s.notifier()
	notifier.AddPropertyOverride(jsii.String("LoggingConfig.LogGroup"), logs.LogGroupName())
	notifier.Node().AddDependency(s.stack.Node().FindChild(jsii.String("NotifierRole")))
}

// notifier is the function that the construct brought along, which nothing else says where to log.
func (s *service) notifier() awscdk.CfnResource {
	for _, c := range *s.stack.Node().Children() {
		if strings.HasPrefix(*constructs.Node_Of(c).Id(), "BucketNotificationsHandler") {
			return constructs.Node_Of(c).DefaultChild().(awscdk.CfnResource)
		}
	}
	panic("the CDK adds notifications to existing buckets without a function now; nothing has to be said about its logs")
}
