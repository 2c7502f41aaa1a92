package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/jsii-runtime-go"
)

// alarm says which number is a reason to look: one that is at least so high, or one that fell below what it always is.
type alarm struct {
	id, says       string
	metric         awscloudwatch.Metric // over one period, which decides alone
	atLeast, below float64              // one of the two
}

// alarm raises an alarm, and sends it to the topic of the context if there is one. Silence is no alarm where a number may
// be too high, and one where it may be too low.
func (s *service) alarm(a alarm) {
	props := &awscloudwatch.AlarmProps{
		AlarmDescription:   &a.says,
		Metric:             a.metric,
		EvaluationPeriods:  jsii.Number(1),
		Threshold:          &a.atLeast,
		ComparisonOperator: awscloudwatch.ComparisonOperator_GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
		TreatMissingData:   awscloudwatch.TreatMissingData_NOT_BREACHING,
	}
	if a.below > 0 {
		props.Threshold = &a.below
		props.ComparisonOperator = awscloudwatch.ComparisonOperator_LESS_THAN_THRESHOLD
		props.TreatMissingData = awscloudwatch.TreatMissingData_BREACHING
	}
	made := awscloudwatch.NewAlarm(s.stack, &a.id, props)
	if s.options.AlarmTopic != "" {
		topic := awssns.Topic_FromTopicArn(made, jsii.String("Topic"), &s.options.AlarmTopic)
		made.AddAlarmAction(awscloudwatchactions.NewSnsAction(topic))
	}
}

// sum counts a metric over some minutes.
func sum(minutes float64) *awscloudwatch.MetricOptions {
	return &awscloudwatch.MetricOptions{Period: awscdk.Duration_Minutes(&minutes), Statistic: jsii.String("Sum")}
}
