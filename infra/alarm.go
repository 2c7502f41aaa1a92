package main

import (
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
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

// watchTicks raises an alarm when most runs of a function that the clock wakes fail, and when nothing wakes it.
func (s *service) watchTicks(id string, f awslambda.Function) {
	name := strings.ToLower(id)
	s.alarm(alarm{
		id: id + "Fails", says: "Most runs of the " + name + " function fail.",
		metric: f.MetricErrors(sum(5)), atLeast: 3,
	})
	s.alarm(alarm{
		id: id + "Rests", says: "The " + name + " function was not woken for a quarter of an hour.",
		metric: f.MetricInvocations(sum(15)), below: 1,
	})
}

// sum counts a metric over some minutes.
func sum(minutes float64) *awscloudwatch.MetricOptions {
	return &awscloudwatch.MetricOptions{Period: awscdk.Duration_Minutes(&minutes), Statistic: jsii.String("Sum")}
}

// namespace is where the stack's own metrics are, so that two stacks in one account are told apart.
func (s *service) namespace() string { return "BulkSigner/" + s.options.Stack }

// own is a metric that the functions write. Each is there without dimensions too.
func (s *service) own(name string, o *awscloudwatch.MetricOptions) awscloudwatch.Metric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace: jsii.String(s.namespace()), MetricName: jsii.String("bulksigner_" + name), Period: o.Period, Statistic: o.Statistic,
	})
}
