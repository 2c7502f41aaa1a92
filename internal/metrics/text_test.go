package metrics_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/job"
	"bulksigner/internal/metrics"
)

// show writes counts and gauges and has Prometheus' own parser read them.
func show(t *testing.T, counts []job.Count, gauges ...metrics.Gauge) (string, map[string]*dto.MetricFamily) {
	t.Helper()
	var b bytes.Buffer
	if err := metrics.Text(&b, counts, gauges); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(&b)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return text, families
}

// values are the figures of the families that are no histograms, by name and labels.
func values(families map[string]*dto.MetricFamily) map[string]float64 {
	all := map[string]float64{}
	for name, f := range families {
		for _, m := range f.GetMetric() {
			key := strings.TrimPrefix(name, metrics.Prefix)
			for _, l := range m.GetLabel() {
				key += fmt.Sprintf("{%s=%s}", l.GetName(), l.GetValue())
			}
			switch f.GetType() {
			case dto.MetricType_COUNTER:
				all[key] = m.GetCounter().GetValue()
			case dto.MetricType_GAUGE:
				all[key] = m.GetGauge().GetValue()
			}
		}
	}
	return all
}

// nothing is what is shown before anything was counted.
func nothing() map[string]float64 {
	return map[string]float64{
		"files_encrypted_total": 0, "jobs_canceled_total": 0, "jobs_completed_total": 0, "jobs_failed_total": 0, "pipeline_pause_total": 0, "pipeline_resume_total": 0,
		"signer_denied_total": 0, "signer_api_errors_total{op=poll}": 0, "signer_api_errors_total{op=download}": 0,
		"signer_folder_signatures_total{outcome=signed}": 0, "signer_folder_signatures_total{outcome=refused}": 0,
		"signer_folder_signatures_total{outcome=no-longer-pending}": 0, "signer_folder_signatures_total{outcome=failed}": 0,
		"signer_folder_sweep_errors_total{op=list}": 0, "signer_folder_sweep_errors_total{op=folder}": 0, "signer_folder_sweep_errors_total{op=read}": 0,
		"signer_folder_sweep_errors_total{op=enqueue}": 0, "signer_folder_sweep_errors_total{op=pass}": 0,
		"signer_notifications_total{outcome=queued}": 0, "signer_notifications_total{outcome=waiting}": 0, "signer_notifications_total{outcome=ignored}": 0,
		"signer_notifications_total{outcome=unauthorized}": 0, "signer_notifications_total{outcome=unavailable}": 0, "signer_notifications_total{outcome=limited}": 0,
	}
}

func TestTextOfNothing(t *testing.T) {
	t.Parallel()
	text, families := show(t, nil)
	if diff := cmp.Diff(nothing(), values(families)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Profiles and folders are not known before they are counted.
	if families["bulksigner_jobs_enqueued_total"] != nil || strings.Contains(text, "bulksigner_pipeline_paused") {
		t.Error("what nobody told is shown")
	}
	if n := len(families["bulksigner_signing_duration_seconds"].GetMetric()); n != 3 {
		t.Errorf("%d empty histograms of signing, want one for each format", n)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	total := func(name, labels string, n int64) job.Count {
		return job.Count{Name: name, Labels: labels, Part: job.PartTotal, Value: n}
	}
	counts := []job.Count{
		total(job.MetricCompleted, "{}", 1<<53),
		total(job.MetricEnqueued, `{"folder":"contracts"}`, 3),
		total(job.MetricEnqueued, `{"folder":"(upload)"}`, 4),
		total(job.MetricEnqueued, `{"folder":"contracts"}`, 2), // of another shard
		total(job.MetricSignerErrors, `{"op":"poll"}`, 5),
		total("jobs_of_another_release_total", "in another form", 6),
		total(job.MetricPaused, "{}", 6),
		total(job.MetricCompleted, `{"profile":"contracts"}`, 7), // labels of another release
		total(job.MetricEnqueued, "{}", 8),
		{Name: job.MetricCompleted, Labels: "{}", Part: "another release's", Value: 9},
	}
	text, families := show(t, counts, metrics.Gauge{Name: job.MetricPaused, Value: 1}, metrics.Gauge{Name: job.MetricInFlight, Value: 12},
		ending("memos", 400), ending("contracts", -3), ending("letters", 12), ending("memos", 399))
	want := nothing()
	want["jobs_completed_total"], want["signer_api_errors_total{op=poll}"] = 1<<53, 5
	want["jobs_enqueued_total{folder=contracts}"], want["jobs_enqueued_total{folder=(upload)}"] = 5, 4
	want["pipeline_paused"], want["jobs_in_flight"] = 1, 12
	want["certificate_days_left{profile=contracts}"], want["certificate_days_left{profile=letters}"], want["certificate_days_left{profile=memos}"] = -3, 12, 399
	if diff := cmp.Diff(want, values(families)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const lines = `bulksigner_certificate_days_left{profile="contracts"} -3
bulksigner_certificate_days_left{profile="letters"} 12
bulksigner_certificate_days_left{profile="memos"} 399
`
	if !strings.Contains(text, lines) {
		t.Errorf("the profiles are in another order in\n%s", text)
	}
}

// ending is how many days the certificate of a profile has.
func ending(profile string, days float64) metrics.Gauge {
	return metrics.Gauge{Name: job.MetricCertificateDays, Value: days, Labels: []string{job.LabelProfile, profile}}
}

// A histogram goes through the recorder and comes out as it went in.
func TestTextOfAHistogram(t *testing.T) {
	t.Parallel()
	f := begin(t)
	for _, v := range []float64{0.05, 0.1, 0.3, 0.3, 61, 5000} {
		f.Observe(job.MetricSigning, v, job.LabelFormat, "Xades")
	}
	f.Flush(t.Context())
	// Another release had another bound, between two of ours, and keeps what we do not know.
	old := job.Count{Name: job.MetricSigning, Labels: `{"format":"Xades"}`, Part: "le=0.4", Value: 2}
	unknown := job.Count{Name: job.MetricSigning, Labels: `{"format":"Xades"}`, Part: "longest", Value: 5000}
	text, _ := show(t, append(f.store.calls[0], old, unknown))
	want := `bulksigner_signing_duration_seconds_bucket{format="Xades",le="0.1"} 2
bulksigner_signing_duration_seconds_bucket{format="Xades",le="0.25"} 2
bulksigner_signing_duration_seconds_bucket{format="Xades",le="0.5"} 6
bulksigner_signing_duration_seconds_bucket{format="Xades",le="1"} 6
bulksigner_signing_duration_seconds_bucket{format="Xades",le="2.5"} 6
bulksigner_signing_duration_seconds_bucket{format="Xades",le="5"} 6
bulksigner_signing_duration_seconds_bucket{format="Xades",le="10"} 6
bulksigner_signing_duration_seconds_bucket{format="Xades",le="30"} 6
bulksigner_signing_duration_seconds_bucket{format="Xades",le="60"} 6
bulksigner_signing_duration_seconds_bucket{format="Xades",le="120"} 7
bulksigner_signing_duration_seconds_bucket{format="Xades",le="300"} 7
bulksigner_signing_duration_seconds_bucket{format="Xades",le="600"} 7
bulksigner_signing_duration_seconds_bucket{format="Xades",le="900"} 7
bulksigner_signing_duration_seconds_bucket{format="Xades",le="+Inf"} 8
bulksigner_signing_duration_seconds_sum{format="Xades"} 5061.75
bulksigner_signing_duration_seconds_count{format="Xades"} 8
`
	_, got, _ := strings.Cut(text, "bulksigner_signing_duration_seconds_count{format=\"Pades\"} 0\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Lines stand in one order, each family under its help and type, whatever order they came in.
func TestTextIsInOrder(t *testing.T) {
	t.Parallel()
	counts := []job.Count{
		{Name: job.MetricDispatched, Labels: `{"profile":"b"}`, Part: "total", Value: 2},
		{Name: job.MetricDispatched, Labels: `{"profile":"a"}`, Part: "total", Value: 1},
	}
	text, _ := show(t, counts)
	var families []string
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			families = append(families, strings.Fields(rest)[0])
		}
	}
	for n := 1; n < len(families); n++ {
		if families[n-1] >= families[n] {
			t.Errorf("%s stands before %s", families[n-1], families[n])
		}
	}
	want := `# HELP bulksigner_jobs_dispatched_to_signer_total Documents that were sent to Lacuna Signer.
# TYPE bulksigner_jobs_dispatched_to_signer_total counter
bulksigner_jobs_dispatched_to_signer_total{profile="a"} 1
bulksigner_jobs_dispatched_to_signer_total{profile="b"} 2
`
	if !strings.Contains(text, want) {
		t.Errorf("no such lines:\n%s\nin\n%s", want, text)
	}
}

func TestTextThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	tests := []struct {
		name   string
		w      *writer
		counts []job.Count
		gauges []metrics.Gauge
		want   string
	}{
		{"labels that are none", &writer{}, []job.Count{{Name: job.MetricCompleted, Labels: "profile"}}, nil, "read the counter jobs_completed_total: read its labels"},
		{"a bucket without a bound", &writer{}, []job.Count{{Name: job.MetricPoll, Labels: "{}", Part: "le=x"}}, nil, "the bound of a bucket"},
		{"a gauge that is none", &writer{}, nil, []metrics.Gauge{{Name: job.MetricCompleted}}, "show the gauge jobs_completed_total"},
		{"a gauge without its label", &writer{}, nil, []metrics.Gauge{{Name: job.MetricCertificateDays}}, "show the gauge certificate_days_left: the metric has 1 labels"},
		{"a reader that went away", &writer{err: full}, nil, nil, full.Error()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := metrics.Text(tt.w, tt.counts, tt.gauges)
			if err == nil || !strings.Contains(err.Error(), tt.want) || tt.w.Len() > 0 {
				t.Errorf("Text = %v with %d bytes written, want %q and none", err, tt.w.Len(), tt.want)
			}
		})
	}
}

func TestContentType(t *testing.T) {
	t.Parallel()
	format := expfmt.ResponseFormat(map[string][]string{"Content-Type": {metrics.ContentType}})
	if format.FormatType() != expfmt.TypeTextPlain {
		t.Errorf("%s is read as %s", metrics.ContentType, format)
	}
}

// Whatever a label's value is, Prometheus reads it as it was; whatever labels are stored, its parser gets along.
func FuzzText(f *testing.F) {
	for _, s := range []string{"contracts", "", `a"b\c`, "a\nb", "\\n", "ç€😀", "\xff", "\r", "{}", "#", `"}`} {
		f.Add(s, int64(1))
	}
	f.Fuzz(func(t *testing.T, s string, n int64) {
		labels, err := json.Marshal(map[string]string{job.LabelProfile: s})
		if err != nil {
			t.Fatal(err)
		}
		n &= math.MaxInt64 >> 10 // what a float64 holds exactly
		_, families := show(t, []job.Count{{Name: job.MetricDispatched, Labels: string(labels), Part: job.PartTotal, Value: n}})
		var want map[string]string // as JSON tells it, which has no broken UTF-8
		if err := json.Unmarshal(labels, &want); err != nil {
			t.Fatal(err)
		}
		all := families["bulksigner_jobs_dispatched_to_signer_total"].GetMetric()
		if len(all) != 1 || all[0].GetLabel()[0].GetValue() != want[job.LabelProfile] || int64(all[0].GetCounter().GetValue()) != n {
			t.Errorf("%q %d was read as %v", s, n, all)
		}
		var b bytes.Buffer
		parser := expfmt.NewTextParser(model.LegacyValidation)
		if err := metrics.Text(&b, []job.Count{{Name: job.MetricDispatched, Labels: s, Part: s, Value: n}}, nil); err == nil {
			if _, err := parser.TextToMetricFamilies(&b); err != nil {
				t.Error(err)
			}
		}
	})
}
