package main_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// look is one metric that an alarm looks at.
type look struct {
	namespace, name   string
	statistic, period string
	dimensions        [][2]string // name and value
}

// looks are the metrics of an alarm, and the formula over them if there is one.
func looks(r resource) (formula string, all []look) {
	if r.at("MetricName") != "" {
		return "", []look{newLook(r, r)}
	}
	for _, m := range r.Properties["Metrics"].([]any) {
		m := resource{Properties: m.(map[string]any)}
		if e := m.at("Expression"); e != "" {
			formula = e
			continue
		}
		stat := resource{Properties: m.Properties["MetricStat"].(map[string]any)}
		all = append(all, newLook(resource{Properties: stat.Properties["Metric"].(map[string]any)}, stat))
	}
	return formula, all
}

func newLook(metric, stat resource) look {
	l := look{
		namespace: metric.at("Namespace"), name: metric.at("MetricName"),
		statistic: stat.at("Statistic") + stat.at("Stat"), period: stat.at("Period"),
	}
	dimensions, _ := metric.Properties["Dimensions"].([]any)
	for _, d := range dimensions {
		d := d.(map[string]any)
		l.dimensions = append(l.dimensions, [2]string{text(d["Name"]), strings.Trim(text(d["Value"]), "{}")})
	}
	return l
}

// of names what a metric is of: a function, a queue, a code.
func (l look) of() string {
	values := make([]string, len(l.dimensions))
	for i, d := range l.dimensions {
		values[i] = d[1]
	}
	return strings.Join(values, "/")
}

func alarmsOf(t *testing.T, name string) map[string]resource {
	t.Helper()
	return stack(t, name).named("AWS::CloudWatch::Alarm")
}

// TestAlarms: alarms come with what they watch, and tell the topic if there is one.
func TestAlarms(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ without, with []string }{
		"plain":  {with: []string{"KeysNearQuota", "CertificateEndsInAMonth", "CertificateEndsInAWeek", "ProfilesStayDegraded", "WorkLate", "TableThrottled"}, without: []string{"SignerDenied", "SweepStumbles", "ChecksLate", "NotifyDies", "SignerRefuses"}},
		"signer": {with: []string{"KeysNearQuota", "SignerDenied", "SweepStumbles", "ChecksLate", "NotifyDies", "NotificationsRefused"}},
		"quiet":  {with: []string{"SignerDenied", "SweepStumbles"}, without: []string{"KeysNearQuota", "NotificationsRefused", "NotifySlow"}},

		"isolated": {with: []string{"KeysNearQuota"}},    // its only key is a new one
		"network":  {without: []string{"KeysNearQuota"}}, // so is its, of an elliptic curve
	}
	for name, tt := range tests {
		alarms := alarmsOf(t, name)
		for _, id := range tt.with {
			if _, ok := alarms[id]; !ok {
				t.Errorf("%s: there is no %s", name, id)
			}
		}
		for _, id := range tt.without {
			if _, ok := alarms[id]; ok {
				t.Errorf("%s: %s watches nothing", name, id)
			}
		}
		for f := range stack(t, name).functions() {
			checkWatched(t, name, f, alarms)
		}
	}
	for name, want := range map[string]string{"plain": "", "quiet": "", "options": `["` + topic + `"]`, "signer": `["` + topic + `"]`} {
		for id, r := range alarmsOf(t, name) {
			if got := r.at("AlarmActions"); got != want {
				t.Errorf("%s: %s tells %q, want %q", name, id, got, want)
			}
		}
	}
}

// checkWatched: an alarm looks at the errors, the throttles and the durations of each function.
func checkWatched(t *testing.T, stack, function string, alarms map[string]resource) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range alarms {
		if _, all := looks(r); all[0].of() == function {
			seen[all[0].name] = true
		}
	}
	for _, metric := range []string{"Errors", "Throttles", "Duration"} {
		if !seen[metric] {
			t.Errorf("%s: nobody watches %s of %s", stack, metric, function)
		}
	}
}

// TestSlowRuns: an alarm comes before the platform ends a run, and not while a run works as it should: rounds stop calling
// 20 s before their end, and have 10 s for their last words.
func TestSlowRuns(t *testing.T) {
	t.Parallel()
	s := stack(t, "signer")
	for name, f := range s.named("AWS::Lambda::Function") {
		end := 1000 * number(t, f.at("Timeout"))
		r := s.one(t, "AWS::CloudWatch::Alarm", name+"Slow")
		check(t, name, r, map[string]string{"Statistic": "Maximum"})
		near := number(t, r.at("Threshold"))
		if round := slices.Contains([]string{"Poll", "Sweep", "Recover"}, name); near >= end || round && near <= end-10_000 {
			t.Errorf("%s: a run of %d ms is slow, of at most %d", name, near, end)
		}
	}
}

// TestThreePasses: the sweep's alarm counts in the sweep's own intervals.
func TestThreePasses(t *testing.T) {
	t.Parallel()
	for name, period := range map[string]string{"signer": "300", "quiet": "86400"} {
		check(t, name, alarmsOf(t, name)["SweepStumbles"], map[string]string{
			"Namespace": "BulkSigner/bulksigner", "Statistic": "Sum", "Period": period, "Threshold": "1",
			"DatapointsToAlarm": "3", "EvaluationPeriods": "4",
		})
	}
}

// TestProfileAlarms: of all profiles the certificate that ends first is looked at, and a service that has none is left in
// peace. What is told once an hour is in every window.
func TestProfileAlarms(t *testing.T) {
	t.Parallel()
	alarms := alarmsOf(t, "plain")
	for id, days := range map[string]string{"CertificateEndsInAMonth": "30", "CertificateEndsInAWeek": "7"} {
		check(t, id, alarms[id], map[string]string{
			"MetricName": "bulksigner_certificate_days_left", "Dimensions": "", "Statistic": "Minimum", "Period": "10800",
			"Threshold": days, "ComparisonOperator": "LessThanThreshold", "TreatMissingData": "notBreaching", "EvaluationPeriods": "1",
		})
	}
	check(t, "ProfilesStayDegraded", alarms["ProfilesStayDegraded"], map[string]string{
		"MetricName": "bulksigner_profiles_degraded", "Dimensions": "", "Statistic": "Maximum", "Period": "3600", "Threshold": "1",
		"TreatMissingData": "notBreaching", "DatapointsToAlarm": "2", "EvaluationPeriods": "3",
	})
}

// TestAlarmLimits: CloudWatch takes ten metrics in a formula, and looks back a day, or a week in steps of an hour or more.
func TestAlarmLimits(t *testing.T) {
	t.Parallel()
	for name := range deployments {
		for id, r := range alarmsOf(t, name) {
			_, all := looks(r)
			period, back := number(t, all[0].period), 24*60*60
			if period >= 60*60 {
				back *= 7
			}
			if n := number(t, r.at("EvaluationPeriods")); len(all) > 10 || period%60 != 0 || n*period > back {
				t.Errorf("%s: %s looks at %d metrics %d times over %d s", name, id, len(all), n, period)
			}
			if slices.ContainsFunc(all, func(l look) bool { return l.period != all[0].period || l.statistic != all[0].statistic }) {
				t.Errorf("%s: %s mixes periods or statistics: %v", name, id, all)
			}
		}
	}
}

// TestOwnMetrics: alarms look where the functions of this stack write, at what they write, under labels that it has. The page
// about metrics is held against the code that counts.
func TestOwnMetrics(t *testing.T) {
	t.Parallel()
	rows := map[string][]string{}
	for line := range strings.Lines(page(t, "metrics.md")) {
		if cells := strings.Split(line, " | "); len(cells) == 7 {
			rows["bulksigner_"+strings.Trim(cells[0], "| `")] = cells
		}
	}
	own := 0
	for id, r := range alarmsOf(t, "signer") {
		_, all := looks(r)
		for _, l := range all {
			if strings.HasPrefix(l.namespace, "AWS/") {
				continue
			}
			own++
			cells, ok := rows[l.name]
			untold := cells != nil && cells[1] == "gauge" && !strings.HasPrefix(cells[5], "recover, each hour; ")
			if !ok || untold || l.namespace != "BulkSigner/bulksigner" {
				t.Errorf("%s looks at %s in %s, which nobody writes there", id, l.name, l.namespace)
				continue
			}
			if summed := l.statistic == "Sum"; summed != (cells[1] == "counter") {
				t.Errorf("%s looks at the %s of the %s %s", id, l.statistic, cells[1], l.name)
			}
			for _, d := range l.dimensions {
				checkLabel(t, id, d[0], d[1], cells[2])
			}
		}
	}
	if own < 10 {
		t.Errorf("only %d metrics of our own are looked at", own)
	}
}

// checkLabel: the page has a label, and among its values, if it names them, this one.
func checkLabel(t *testing.T, id, name, value, labels string) {
	t.Helper()
	_, after, ok := strings.Cut(labels, "`"+name+"`")
	if !ok || strings.HasPrefix(after, ":") && !strings.Contains(after, "`"+value+"`") {
		t.Errorf("%s looks at %s=%s, and there is %s", id, name, value, labels)
	}
}

// TestEachCodeOnce: a failed job raises one alarm of a class, so that its code says which.
func TestEachCodeOnce(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for id, r := range alarmsOf(t, "signer") {
		_, all := looks(r)
		for _, l := range all {
			if l.name != "bulksigner_jobs_failed_total" || l.of() == "" {
				continue
			}
			if other, ok := seen[l.of()]; ok {
				t.Errorf("%s and %s both look at %s", id, other, l.of())
			}
			seen[l.of()] = id
		}
	}
	if len(seen) < 12 {
		t.Errorf("codes that raise an alarm are %v", slices.Sorted(maps.Keys(seen)))
	}
}

// TestDashboard: it shows every alarm, and what each of them looks at.
func TestDashboard(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "signer", "quiet"} {
		var body struct {
			Widgets []struct {
				Type       string
				Properties struct {
					Alarms  []string
					Metrics [][]any
				}
			}
		}
		if err := json.Unmarshal([]byte(stack(t, name).one(t, "AWS::CloudWatch::Dashboard", "Dashboard").at("DashboardBody")), &body); err != nil {
			t.Fatal(err)
		}
		var states, shown []string
		for _, w := range body.Widgets {
			for _, a := range w.Properties.Alarms {
				states = append(states, strings.Trim(a, "{}"))
			}
			for _, m := range w.Properties.Metrics {
				if options, _ := m[len(m)-1].(map[string]any); options["visible"] != false {
					shown = append(shown, strings.Split(text(options["label"]), ", ")...)
				}
			}
		}
		want := slices.Sorted(maps.Keys(alarmsOf(t, name)))
		for what, got := range map[string][]string{"states": states, "figures": shown} {
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s: %s of %v, want of %v", name, what, got, want)
			}
		}
		if len(body.Widgets) > 12 {
			t.Errorf("%s: %d widgets, want few", name, len(body.Widgets))
		}
	}
}
