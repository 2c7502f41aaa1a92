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
	jobsPanel         panel = "Jobs that failed"
	sharePanel        panel = "Failed jobs, percent"
	queuesPanel       panel = "Messages that nobody could handle"
	agesPanel         panel = "Age of the oldest message, seconds"
	functionsPanel    panel = "Errors, throttles and runs of functions"
	durationsPanel    panel = "Longest run, milliseconds"
	signerPanel       panel = "Lacuna Signer"
	certificatesPanel panel = "Days until the first certificate ends"
	profilesPanel     panel = "Profiles that cannot sign"
	servicesPanel     panel = "KMS quota in percent, table and API"
)

var panels = []panel{
	jobsPanel, sharePanel, queuesPanel, agesPanel, functionsPanel, durationsPanel, signerPanel,
	certificatesPanel, profilesPanel, servicesPanel,
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

// figures are the metrics of a panel's alarms, under the alarms' names: one that several alarms look at is one line.
func (s *service) figures(p panel) (all []awscloudwatch.IMetric) {
	var seen []awscloudwatch.IMetric
	names := map[awscloudwatch.IMetric]string{}
	for _, a := range s.alarms {
		switch {
		case a.panel != p:
		case names[a.metric] != "":
			names[a.metric] += ", " + a.id
		default:
			seen, names[a.metric] = append(seen, a.metric), a.id
		}
	}
	for _, m := range seen {
		all = append(all, labeled(m, names[m]))
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
	props := &awscloudwatch.GraphWidgetProps{
		Title: jsii.String(string(p)), Left: &figures, Width: jsii.Number(half), Height: jsii.Number(6),
	}
	if p != certificatesPanel { // where one that has ended has less than no days left
		props.LeftYAxis = &awscloudwatch.YAxisProps{Min: jsii.Number(0)}
	}
	return awscloudwatch.NewGraphWidget(props)
}
