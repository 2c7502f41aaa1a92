package metrics_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/job"
	"bulksigner/internal/metrics"
)

// emf is a line as CloudWatch reads it.
type emf struct {
	AWS struct {
		Timestamp         int64
		CloudWatchMetrics []struct {
			Namespace  string
			Dimensions [][]string
			Metrics    []struct{ Name, Unit string }
		}
	}
	root map[string]any
}

// units are those of the definitions; CloudWatch knows more.
var units = []string{"Count", "Seconds", "None"}

// readEMF reads lines and holds each to the specification of the embedded metric format, and to the narrower rules that
// CloudWatch has for names and dimensions.
func readEMF(t *testing.T, text []byte) (lines []emf) {
	t.Helper()
	for line := range bytes.Lines(text) {
		if len(line) > 256<<10 || !bytes.HasSuffix(line, []byte("\n")) {
			t.Fatalf("a line of %d bytes is too long or not ended", len(line))
		}
		e, err := parseEMF(line)
		if err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		lines = append(lines, e)
	}
	return lines
}

func parseEMF(line []byte) (e emf, err error) {
	if err := json.Unmarshal(line, &e.root); err != nil {
		return emf{}, err
	}
	head, err := json.Marshal(e.root["_aws"])
	if err != nil {
		return emf{}, err
	}
	delete(e.root, "_aws")
	d := json.NewDecoder(bytes.NewReader(head))
	d.DisallowUnknownFields() // no additional members
	if err := d.Decode(&e.AWS); err != nil {
		return emf{}, fmt.Errorf("the metadata: %w", err)
	}
	return e, e.fault()
}

func (e emf) fault() error {
	if e.AWS.Timestamp <= 0 || len(e.AWS.CloudWatchMetrics) == 0 {
		return fmt.Errorf("there is no time, or no directive")
	}
	used := map[string]bool{}
	for _, c := range e.AWS.CloudWatchMetrics {
		if c.Namespace == "" || len(c.Namespace) > 255 || strings.HasPrefix(c.Namespace, "AWS/") {
			return fmt.Errorf("the namespace is %q", c.Namespace)
		}
		if len(c.Dimensions) == 0 || len(c.Metrics) == 0 || len(c.Metrics) > 100 {
			return fmt.Errorf("%d sets of dimensions, %d metrics", len(c.Dimensions), len(c.Metrics))
		}
		for _, set := range c.Dimensions {
			if err := e.set(set, used); err != nil {
				return err
			}
		}
		for _, m := range c.Metrics {
			if m.Name == "" || len(m.Name) > 255 || used[m.Name] || !slices.Contains(units, m.Unit) || !measured(e.root[m.Name]) {
				return fmt.Errorf("the metric %q in %q is %v", m.Name, m.Unit, e.root[m.Name])
			}
			used[m.Name] = true
		}
	}
	if len(used) != len(e.root) {
		return fmt.Errorf("of %d targets %d are used", len(e.root), len(used))
	}
	return nil
}

func (e emf) set(names []string, used map[string]bool) error {
	if len(names) > 30 || len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		return fmt.Errorf("the dimensions are %v", names)
	}
	for _, name := range names {
		v, ok := e.root[name].(string)
		odd := strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r > '~' })
		if !ok || name == "" || len(name) > 250 || strings.TrimSpace(v) == "" || len(v) > 1024 || odd {
			return fmt.Errorf("the dimension %q is %q", name, v)
		}
		used[name] = true
	}
	return nil
}

// measured reports whether a target is a number, or an array of at most 100.
func measured(target any) bool {
	if _, ok := target.(float64); ok {
		return true
	}
	all, ok := target.([]any)
	return ok && len(all) > 0 && len(all) <= 100 && !slices.ContainsFunc(all, func(v any) bool {
		_, ok := v.(float64)
		return !ok
	})
}

// The lines, to the letter: one for each set of labels, and whatever has labels counts without them too.
func TestLines(t *testing.T) {
	t.Parallel()
	f := begin(t, metrics.Namespace("BulkSigner/test"))
	f.Count(job.MetricCompleted, 2)
	f.Count(job.MetricCompleted, 1)
	f.Gauge(job.MetricPaused, 1)
	f.Gauge(job.MetricPaused, 0)
	f.Count(job.MetricFailed, 1, job.LabelCode, "signer.timeout")
	f.Count(job.MetricDispatched, 1, job.LabelProfile, "contracts")
	f.Count(job.MetricVerifySkipped, 4, job.LabelProfile, "contracts")
	f.Observe(job.MetricSigning, 0.25, job.LabelFormat, "Pades")
	f.Observe(job.MetricSigning, 1.5, job.LabelFormat, "Pades")
	f.Flush(t.Context())

	head := `{"_aws":{"CloudWatchMetrics":[{"Namespace":"BulkSigner/test","Dimensions":`
	const end = `}],"Timestamp":1784116800123},`
	want := head + `[[],["code"]],"Metrics":[{"Name":"bulksigner_jobs_failed_total","Unit":"Count"}]` + end +
		`"bulksigner_jobs_failed_total":1,"code":"signer.timeout"}` + "\n" +
		head + `[[],["format"]],"Metrics":[{"Name":"bulksigner_signing_duration_seconds","Unit":"Seconds"}]` + end +
		`"bulksigner_signing_duration_seconds":[0.25,1.5],"format":"Pades"}` + "\n" +
		head + `[[],["profile"]],"Metrics":[{"Name":"bulksigner_jobs_dispatched_to_signer_total","Unit":"Count"},{"Name":"bulksigner_jobs_verify_skipped_total","Unit":"Count"}]` + end +
		`"bulksigner_jobs_dispatched_to_signer_total":1,"bulksigner_jobs_verify_skipped_total":4,"profile":"contracts"}` + "\n" +
		head + `[[]],"Metrics":[{"Name":"bulksigner_jobs_completed_total","Unit":"Count"},{"Name":"bulksigner_pipeline_paused","Unit":"None"}]` + end +
		`"bulksigner_jobs_completed_total":3,"bulksigner_pipeline_paused":0}` + "\n"
	if diff := cmp.Diff(want, f.out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	readEMF(t, f.out.Bytes())
}

// A gauge of profiles has a line for each, all of which tell the metric without labels too.
func TestGaugesOfProfiles(t *testing.T) {
	t.Parallel()
	f := begin(t)
	f.Gauge(job.MetricCertificateDays, 400, job.LabelProfile, "memos")
	f.Gauge(job.MetricCertificateDays, -3, job.LabelProfile, "contracts")
	f.Flush(t.Context())
	told := map[any]any{}
	for _, e := range readEMF(t, f.out.Bytes()) {
		told[e.root[job.LabelProfile]] = e.root[metrics.Prefix+job.MetricCertificateDays]
	}
	if diff := cmp.Diff(map[any]any{"memos": 400.0, "contracts": -3.0}, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := strings.Count(f.out.String(), `"Dimensions":[[],["profile"]]`); n != 2 || len(f.store.calls) != 0 {
		t.Errorf("%d lines count without labels too, want 2; stored: %v", n, f.store.calls)
	}
}

// The fullest flush that there can be keeps to every limit, and no observation is missing.
func TestFullLines(t *testing.T) {
	t.Parallel()
	f := begin(t)
	for _, m := range metrics.Defined {
		labels := []string{}
		for _, l := range slices.Concat(m.Labels, m.Extra) {
			labels = append(labels, l.Name, append(slices.Clone(l.Values), strings.Repeat("x", 200))[0])
		}
		for n := range 250 {
			switch m.Kind {
			case metrics.KindCounter:
				f.Count(m.Name, 1<<52, labels...)
			case metrics.KindGauge:
				f.Gauge(m.Name, float64(n), labels...)
			case metrics.KindHistogram:
				f.Observe(m.Name, float64(n)/7, labels...)
			}
		}
	}
	f.Flush(t.Context())
	seen, values := map[string]bool{}, 0
	for _, e := range readEMF(t, f.out.Bytes()) {
		for name := range maps.Keys(e.root) {
			seen[strings.TrimPrefix(name, metrics.Prefix)] = true
		}
		if all, ok := e.root[metrics.Prefix+job.MetricPoll].([]any); ok {
			values += len(all)
		}
	}
	for _, m := range metrics.Defined {
		if !seen[m.Name] {
			t.Errorf("%s is in no line", m.Name)
		}
	}
	if values != 250 || f.log.Len() > 0 {
		t.Errorf("%d observations came, want 250; log: %s", values, f.log.String())
	}
}

// The check of lines finds what breaks a rule.
func TestTheRulesOfLines(t *testing.T) {
	t.Parallel()
	const good = `{"_aws":{"Timestamp":1,"CloudWatchMetrics":[{"Namespace":"n","Dimensions":[[],["d"]],"Metrics":[{"Name":"m","Unit":"Count"}]}]},"d":"x","m":1}`
	if _, err := parseEMF([]byte(good)); err != nil {
		t.Fatalf("a good line: %v", err)
	}
	hundredAndOne := "[" + strings.Repeat("1,", 100) + "1]"
	for _, change := range [][2]string{
		{`"Timestamp":1`, `"Timestamp":1.5`}, {`"Timestamp":1,`, ``}, {`"Namespace":"n",`, ``}, {`"n"`, `"AWS/Lambda"`}, {`[[],["d"]]`, `[]`},
		{`["d"]`, `["d","d"]`}, {`["d"]`, `["e"]`}, {`"d":"x"`, `"d":1`}, {`"d":"x"`, `"d":""`}, {`"d":"x"`, `"d":"ç"`},
		{`"m":1`, `"m":"1"`}, {`"m":1`, `"m":[]`}, {`"m":1`, `"m":["1"]`}, {`"m":1`, `"m":` + hundredAndOne}, {`"m":1`, `"o":1`},
		{`"m":1`, `"m":1,"o":1`}, {`"Unit":"Count"`, `"Unit":"Jobs"`}, {`"Unit"`, `"Units"`}, {`}]},`, `}],"Level":1},`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if _, err := parseEMF([]byte(bad)); bad == good || err == nil {
			t.Errorf("no fault was found in %s", bad)
		}
	}
}
