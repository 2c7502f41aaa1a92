package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/jsii-runtime-go"
)

// runbook is the page that says what each alarm means and what to do about it.
const runbook = "docs/operations.md"

// alarm says which number is a reason to look: one that is at least so high, or one that fell below what it always is.
type alarm struct {
	id, says       string
	section        string // of the runbook: the anchor of its heading
	panel          panel  // of the dashboard
	metric         awscloudwatch.IMetric
	atLeast, below float64 // one of the two
	times, of      float64 // how many of the last periods must tell so; 0: the last one alone
	silent         bool    // that nothing is told says nothing, even of a number that may be too low
}

// alarm raises an alarm, and sends it to the topic of the context if there is one. Silence is no alarm where a number may
// be too high, and one where it may be too low, unless it is silent by itself.
func (s *service) alarm(a alarm) {
	props := &awscloudwatch.AlarmProps{
		AlarmDescription:   jsii.String(a.says + " See " + runbook + "#" + a.section + "."),
		Metric:             a.metric,
		EvaluationPeriods:  jsii.Number(1),
		Threshold:          &a.atLeast,
		ComparisonOperator: awscloudwatch.ComparisonOperator_GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
		TreatMissingData:   awscloudwatch.TreatMissingData_NOT_BREACHING,
	}
	if a.of > 0 {
		props.DatapointsToAlarm, props.EvaluationPeriods = &a.times, &a.of
	}
	if a.below > 0 {
		props.Threshold = &a.below
		props.ComparisonOperator = awscloudwatch.ComparisonOperator_LESS_THAN_THRESHOLD
		if !a.silent {
			props.TreatMissingData = awscloudwatch.TreatMissingData_BREACHING
		}
	}
	made := awscloudwatch.NewAlarm(s.stack, &a.id, props)
	if s.options.AlarmTopic != "" {
		topic := awssns.Topic_FromTopicArn(made, jsii.String("Topic"), &s.options.AlarmTopic)
		made.AddAlarmAction(awscloudwatchactions.NewSnsAction(topic))
	}
	s.alarms = append(s.alarms, raised{a, made})
}

// raised is an alarm of the stack.
type raised struct {
	alarm
	made awscloudwatch.Alarm
}

// sum counts a metric over some minutes; highest and lowest are the most and the least that it was.
func sum(minutes float64) *awscloudwatch.MetricOptions { return over(minutes, "Sum") }

func highest(minutes float64) *awscloudwatch.MetricOptions { return over(minutes, "Maximum") }

func lowest(minutes float64) *awscloudwatch.MetricOptions { return over(minutes, "Minimum") }

func over(minutes float64, statistic string) *awscloudwatch.MetricOptions {
	return &awscloudwatch.MetricOptions{Period: awscdk.Duration_Minutes(&minutes), Statistic: &statistic}
}

// namespace is where the stack's own metrics are, so that two stacks in one account are told apart.
func (s *service) namespace() string { return "BulkSigner/" + s.options.Stack }

// own is a metric that the functions write. Each is there without labels, and once more with all of them: their names and
// values follow.
func (s *service) own(name string, o *awscloudwatch.MetricOptions, labels ...string) awscloudwatch.Metric {
	dimensions := map[string]*string{}
	for i := 0; i+1 < len(labels); i += 2 {
		dimensions[labels[i]] = &labels[i+1]
	}
	return counted(s.namespace(), "bulksigner_"+name, o, dimensions)
}

func counted(namespace, name string, o *awscloudwatch.MetricOptions, dimensions map[string]*string) awscloudwatch.Metric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace: &namespace, MetricName: &name, Period: o.Period, Statistic: o.Statistic, DimensionsMap: &dimensions,
	})
}

// formula computes a number from metrics by their names in it, over the same minutes.
func formula(expression string, minutes float64, metrics map[string]awscloudwatch.IMetric) awscloudwatch.MathExpression {
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Expression: &expression, Period: awscdk.Duration_Minutes(&minutes), UsingMetrics: &metrics,
	})
}
