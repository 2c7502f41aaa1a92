package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsscheduler"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"
)

// tickSeconds is the age at which a tick is of no use any more: the next one has come.
const tickSeconds = 60

// newTicks makes the queue for ticks that woke nobody, or whose run failed. Nobody takes from it, since the next minute has
// made up for each: it says for a fortnight what went wrong and when.
func (s *service) newTicks() {
	s.ticks = awssqs.NewQueue(s.stack, jsii.String("DeadTicks"), queueProps(&awssqs.QueueProps{
		RedriveAllowPolicy: &awssqs.RedriveAllowPolicy{RedrivePermission: awssqs.RedrivePermission_DENY_ALL},
	}))
	accept(s.ticks, "AwsSolutions-SQS3", "It is itself where ticks go that could not be handled, by the scheduler and by the "+
		"platform; the rule knows of the dead letters of queues alone.")
	s.alarm(alarm{
		id: "TicksLost", says: "Ticks of the clock woke nobody, or their runs failed.", section: "ticks-are-lost", panel: queuesPanel,
		metric: s.ticks.MetricNumberOfMessagesSent(sum(15)), atLeast: 3,
	})
}

// keepTicks lets a function's role, and the scheduler's, keep a tick that was lost.
func (s *service) keepTicks() grant {
	return allow("KeepTicks", *s.ticks.QueueArn(), "sqs:SendMessage")
}

// everyMinute wakes a function by the clock. Nothing repeats a run that failed, neither the scheduler nor the platform,
// which would do so twice by itself: the next minute does.
func (s *service) everyMinute(f awslambda.Function) {
	f.ConfigureAsyncInvoke(&awslambda.EventInvokeConfigOptions{
		RetryAttempts: jsii.Number(0),
		MaxEventAge:   awscdk.Duration_Seconds(jsii.Number(tickSeconds)),
	})
	// Set here and not above, where the construct would give the role more than it needs.
	invoke := f.Node().FindChild(jsii.String("EventInvokeConfig")).Node().DefaultChild().(awslambda.CfnEventInvokeConfig)
	invoke.SetDestinationConfig(&awslambda.CfnEventInvokeConfig_DestinationConfigProperty{
		OnFailure: &awslambda.CfnEventInvokeConfig_OnFailureProperty{Destination: s.ticks.QueueArn()},
	})
	role := s.newSchedulerRole(f)
	schedule := awsscheduler.NewCfnSchedule(f, jsii.String("EveryMinute"), &awsscheduler.CfnScheduleProps{
		ScheduleExpression: jsii.String("rate(1 minute)"),
		FlexibleTimeWindow: &awsscheduler.CfnSchedule_FlexibleTimeWindowProperty{Mode: jsii.String("OFF")},
		Target: &awsscheduler.CfnSchedule_TargetProperty{
			Arn:     f.FunctionArn(),
			RoleArn: role.RoleArn(),
			RetryPolicy: &awsscheduler.CfnSchedule_RetryPolicyProperty{
				MaximumRetryAttempts:     jsii.Number(0),
				MaximumEventAgeInSeconds: jsii.Number(tickSeconds),
			},
			DeadLetterConfig: &awsscheduler.CfnSchedule_DeadLetterConfigProperty{Arn: s.ticks.QueueArn()},
		},
	})
	schedule.Node().AddDependency(role)
}

// newSchedulerRole may wake this function and keep its ticks, nothing else, and only schedules of this account may take it on.
func (s *service) newSchedulerRole(f awslambda.Function) awsiam.Role {
	group := s.stack.FormatArn(&awscdk.ArnComponents{
		Service: jsii.String("scheduler"), Resource: jsii.String("schedule-group"), ResourceName: jsii.String("default"),
	})
	role := awsiam.NewRole(f, jsii.String("SchedulerRole"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("scheduler.amazonaws.com"), &awsiam.ServicePrincipalOpts{
			Conditions: &map[string]any{"StringEquals": map[string]any{
				"aws:SourceAccount": s.stack.Account(), "aws:SourceArn": group,
			}},
		}),
	})
	role.AddToPolicy(allow("Wake", *f.FunctionArn(), "lambda:InvokeFunction").statement())
	role.AddToPolicy(s.keepTicks().statement())
	return role
}
