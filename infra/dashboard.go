package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"
	"github.com/aws/jsii-runtime-go"
)

// panel is one graph of the dashboard, by its title.
type panel string

// The panels, with figures of one magnitude in each.
const (
	jobsPanel      panel = "Jobs that failed"
	sharePanel     panel = "Failed jobs, percent"
	queuesPanel    panel = "Messages that nobody could handle"
	agesPanel      panel = "Age of the oldest message, seconds"
	functionsPanel panel = "Errors, throttles and runs of functions"
	durationsPanel panel = "Longest run, milliseconds"
	signerPanel    panel = "Lacuna Signer"
	servicesPanel  panel = "KMS quota in percent, table and API"
)

var panels = []panel{
	jobsPanel, sharePanel, queuesPanel, agesPanel, functionsPanel, durationsPanel, signerPanel, servicesPanel,
}

// The dashboard's columns are 24 units wide.
const whole, half = 24, 12

// newDashboard shows which alarms are raised, and what every one of them looks at. It has no name of its own: names of
// dashboards are an account's, and stacks of one name can be in several regions.
func (s *service) newDashboard() {
	board := awscloudwatch.NewDashboard(s.stack, jsii.String("Dashboard"), &awscloudwatch.DashboardProps{})
	board.AddWidgets(s.alarmStates())
	var row []awscloudwatch.IWidget
	for _, p := range panels {
		if figures := s.figures(p); len(figures) > 0 {
			row = append(row, graph(p, figures))
		}
	}
	board.AddWidgets(row...)
	s.say("DashboardName", board.DashboardName())
}

func (s *service) alarmStates() awscloudwatch.IWidget {
	all := make([]interfacesawscloudwatch.IAlarmRef, len(s.alarms))
	for i, a := range s.alarms {
		all[i] = a.made
	}
	return awscloudwatch.NewAlarmStatusWidget(&awscloudwatch.AlarmStatusWidgetProps{
		Title: jsii.String("Alarms"), Alarms: &all, Width: jsii.Number(whole), Height: jsii.Number(6),
	})
}

// figures are the metrics of a panel's alarms, under the alarms' names.
func (s *service) figures(p panel) (all []awscloudwatch.IMetric) {
	for _, a := range s.alarms {
		if a.panel == p {
			all = append(all, labeled(a.metric, a.id))
		}
	}
	return all
}

func labeled(m awscloudwatch.IMetric, label string) awscloudwatch.IMetric {
	switch m := m.(type) {
	case awscloudwatch.Metric:
		return m.With(&awscloudwatch.MetricOptions{Label: &label})
	case awscloudwatch.MathExpression:
		return m.With(&awscloudwatch.MathExpressionOptions{Label: &label})
	}
	return m
}

func graph(p panel, figures []awscloudwatch.IMetric) awscloudwatch.IWidget {
	return awscloudwatch.NewGraphWidget(&awscloudwatch.GraphWidgetProps{
		Title: jsii.String(string(p)), Left: &figures, Width: jsii.Number(half), Height: jsii.Number(6),
		LeftYAxis: &awscloudwatch.YAxisProps{Min: jsii.Number(0)},
	})
}
