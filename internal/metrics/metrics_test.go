package metrics_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/job"
	"bulksigner/internal/metrics"
	"bulksigner/internal/profile"
)

var nameForm = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

// The definitions keep to the rules of both readers, and to the conventions of Prometheus.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	if !slices.IsSortedFunc(metrics.Defined, func(a, b metrics.Metric) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the metrics are not in the order of their names")
	}
	if n := len(metrics.Defined); n > 100 {
		t.Errorf("%d metrics do not fit into one line for CloudWatch", n)
	}
	for _, m := range metrics.Defined {
		if !nameForm.MatchString(m.Name) || m.Help == "" {
			t.Errorf("%s: the name or the help is not one", m.Name)
		}
		if strings.HasSuffix(m.Name, "_total") != (m.Kind == metrics.KindCounter) {
			t.Errorf("%s is a %s", m.Name, m.Kind)
		}
		if strings.HasSuffix(m.Name, "_seconds") != (m.Unit == "Seconds") {
			t.Errorf("%s has the unit %s", m.Name, m.Unit)
		}
		if rises := slices.IsSorted(m.Bounds); !rises || (len(m.Bounds) > 0) != (m.Kind == metrics.KindHistogram) {
			t.Errorf("%s is a %s with the bounds %v", m.Name, m.Kind, m.Bounds)
		}
		all := slices.Concat(m.Labels, m.Extra)
		if len(all) > 9 {
			t.Errorf("%s has %d labels", m.Name, len(all))
		}
		for _, l := range all {
			if !nameForm.MatchString(l.Name) || l.Name == "le" {
				t.Errorf("%s has a label %q", m.Name, l.Name)
			}
		}
	}
}

func TestWhatAddsUpIsStored(t *testing.T) {
	t.Parallel()
	var want []string
	for _, m := range metrics.Defined {
		if m.Kind != metrics.KindGauge {
			want = append(want, m.Name)
		}
	}
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(job.StoredMetrics))); diff != "" {
		t.Errorf("job.StoredMetrics (-want +got):\n%s", diff)
	}
}

// The names are those of the product, which dashboards know.
func TestNames(t *testing.T) {
	t.Parallel()
	want := []string{
		"cert_validation_failed_total{profile}", "certificate_days_left{profile}", "files_encrypted_total", "files_refused_total{profile}",
		"inputs_diverged_total{profile}", "jobs_awaiting_signer", "jobs_canceled_total",
		"jobs_completed_total", "jobs_dispatched_to_signer_total{profile}", "jobs_enqueued_total{folder}", "jobs_failed_total",
		"jobs_in_flight", "jobs_verify_skipped_total{profile}", "pipeline_pause_total", "pipeline_paused", "pipeline_resume_total", "profiles_degraded",
		"signer_api_errors_total{op}", "signer_denied_total", "signer_folder_jobs_enqueued_total{profile}",
		"signer_folder_signatures_total{outcome}", "signer_folder_sweep_errors_total{op}", "signer_notifications_total{outcome}",
		"signer_poll_duration_seconds", "signing_duration_seconds{format}",
	}
	var got []string
	for _, m := range metrics.Defined {
		name := m.Name
		for _, l := range m.Labels {
			name += "{" + l.Name + "}"
		}
		got = append(got, name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFormatsAreThoseOfProfiles(t *testing.T) {
	t.Parallel()
	for _, f := range profile.Formats {
		if err := metrics.Check(metrics.KindHistogram, job.MetricSigning, job.LabelFormat, string(f)); err != nil {
			t.Errorf("the format %s: %v", f, err)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const counter, histogram, gauge = metrics.KindCounter, metrics.KindHistogram, metrics.KindGauge
	tests := []struct {
		name   string
		kind   metrics.Kind
		metric string
		labels []string
		want   string // "" is no fault
	}{
		{"without labels", counter, job.MetricCompleted, nil, ""},
		{"a label that somebody chose", counter, job.MetricDispatched, []string{"profile", "contracts"}, ""},
		{"a file that was uploaded", counter, job.MetricEnqueued, []string{"folder", job.UploadFolder}, ""},
		{"a label with values of its own", counter, job.MetricSweepErrors, []string{"op", job.OpPass}, ""},
		{"a dimension", counter, job.MetricFailed, []string{"code", "signer.timeout"}, ""},
		{"a gauge", gauge, job.MetricPaused, nil, ""},
		{"a gauge of a profile", gauge, job.MetricCertificateDays, []string{"profile", "contracts"}, ""},
		{"a histogram", histogram, job.MetricPoll, nil, ""},

		{"unknown", counter, "jobs_lost_total", nil, "no such metric"},
		{"with the prefix", counter, "bulksigner_jobs_completed_total", nil, "no such metric"},
		{"of another kind", histogram, job.MetricCompleted, nil, "is a counter, not a histogram"},
		{"a label too many", counter, job.MetricCompleted, []string{"profile", "contracts"}, "has 0 labels"},
		{"a label too few", counter, job.MetricDispatched, nil, "has 1 labels"},
		{"without its dimension", counter, job.MetricFailed, nil, "has 1 labels"},
		{"a label without value", counter, job.MetricDispatched, []string{"profile"}, "has 1 labels"},
		{"another label", counter, job.MetricDispatched, []string{"folder", "contracts"}, "needs the label profile"},
		{"another value", counter, job.MetricSweepErrors, []string{"op", job.OpPoll}, "the label op"},
		{"an empty value", counter, job.MetricDispatched, []string{"profile", ""}, "the label profile"},
		{"a blank value", counter, job.MetricDispatched, []string{"profile", "  "}, "the label profile"},
		{"a colon first", counter, job.MetricDispatched, []string{"profile", ":x"}, "the label profile"},
		{"no ASCII", counter, job.MetricDispatched, []string{"profile", "açaí"}, "the label profile"},
		{"a control character", counter, job.MetricDispatched, []string{"profile", "a\nb"}, "the label profile"},
		{"a long value", counter, job.MetricDispatched, []string{"profile", strings.Repeat("x", 201)}, "the label profile"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := metrics.Check(tt.kind, tt.metric, tt.labels...)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("Check = %v, want no fault", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("Check = %v, want %q", err, tt.want)
			case err != nil && len(tt.labels) == 2 && tt.labels[1] != "" && strings.Contains(err.Error(), tt.labels[1]):
				t.Errorf("Check quotes the value: %v", err)
			}
		})
	}
}
