package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsscheduler"
	"github.com/aws/jsii-runtime-go"
)

// tickSeconds is the age at which a tick is of no use any more: the next one has come.
const tickSeconds = 60

// everyMinute wakes a function by the clock. Nothing repeats a run that failed, neither the scheduler nor the platform,
// which would do so twice by itself: the next minute does.
func (s *service) everyMinute(f awslambda.Function) {
	f.ConfigureAsyncInvoke(&awslambda.EventInvokeConfigOptions{
		RetryAttempts: jsii.Number(0),
		MaxEventAge:   awscdk.Duration_Seconds(jsii.Number(tickSeconds)),
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
		},
	})
	schedule.Node().AddDependency(role)
}

// newSchedulerRole may wake this function and nothing else, and only schedules of this account may take it on.
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
	return role
}
