package metrics_test

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/job"
	"bulksigner/internal/metrics"
)

func TestCountersAreStored(t *testing.T) {
	t.Parallel()
	f := begin(t)
	f.Count(job.MetricCompleted, 2)
	f.Count(job.MetricCompleted, 1)
	f.Count(job.MetricCanceled, 0)
	f.Count(job.MetricDispatched, 1, job.LabelProfile, "invoices")
	f.Count(job.MetricDispatched, 5, job.LabelProfile, "contracts")
	f.Count(job.MetricFailed, 1, job.LabelCode, "signer.timeout")
	f.Count(job.MetricFailed, 2, job.LabelCode, "job.interrupted")
	f.Gauge(job.MetricInFlight, 7)
	for _, v := range []float64{0, 0.1, 0.100001, 1.001, 900, 901} {
		f.Observe(job.MetricPoll, v)
	}
	f.Flush(t.Context())
	want := [][]job.Count{{
		{Name: job.MetricCompleted, Labels: "{}", Part: "total", Value: 3},
		{Name: job.MetricDispatched, Labels: `{"profile":"contracts"}`, Part: "total", Value: 5},
		{Name: job.MetricDispatched, Labels: `{"profile":"invoices"}`, Part: "total", Value: 1},
		{Name: job.MetricFailed, Labels: "{}", Part: "total", Value: 3}, // the code is for CloudWatch alone
		{Name: job.MetricPoll, Labels: "{}", Part: "le=+Inf", Value: 1},
		{Name: job.MetricPoll, Labels: "{}", Part: "le=0.1", Value: 2}, // a bound belongs to its bucket
		{Name: job.MetricPoll, Labels: "{}", Part: "le=0.25", Value: 1},
		{Name: job.MetricPoll, Labels: "{}", Part: "le=2.5", Value: 1},
		{Name: job.MetricPoll, Labels: "{}", Part: "le=900", Value: 1},
		{Name: job.MetricPoll, Labels: "{}", Part: "sum", Value: 1_802_201_001},
	}}
	if diff := cmp.Diff(want, f.store.calls); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAQuietFlushCostsNothing(t *testing.T) {
	t.Parallel()
	f := begin(t)
	f.Count(job.MetricCompleted, 0)
	f.Flush(t.Context())
	if f.out.writes > 0 || len(f.store.calls) > 0 {
		t.Errorf("%d writes, %d calls of the store, want none", f.out.writes, len(f.store.calls))
	}
	f.Gauge(job.MetricPaused, 1)
	f.Flush(t.Context())
	if f.out.writes != 1 || len(f.store.calls) > 0 {
		t.Errorf("a gauge: %d writes, %d calls of the store, want a line alone", f.out.writes, len(f.store.calls))
	}
	f.Count(job.MetricCompleted, 1)
	f.Count(job.MetricFailed, 1, job.LabelCode, "x")
	f.Flush(t.Context())
	f.Flush(t.Context())
	if f.out.writes != 2 || len(f.store.calls) != 1 {
		t.Errorf("two counters: %d writes, %d calls of the store in all, want one more of each", f.out.writes, len(f.store.calls))
	}
}

// What cannot be written is said and given up: one way does not keep the other from its figures, and nothing comes twice.
func TestFiguresThatAreLost(t *testing.T) {
	t.Parallel()
	broken := errors.New("it is broken")
	tests := []struct {
		name  string
		harm  func(fixture)
		lines int // of the log
		want  string
	}{
		{"in the log", func(f fixture) { f.out.err = broken }, 1, "metrics not written"},
		{"in the store", func(f fixture) { f.store.err = broken }, 1, "counters not stored"},
		{"in both", func(f fixture) { f.out.err, f.store.err = broken, broken }, 2, "counters not stored"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := begin(t)
			tt.harm(f)
			f.Count(job.MetricDispatched, 1, job.LabelProfile, "contracts")
			f.Flush(t.Context())
			f.Flush(t.Context())
			if f.out.writes != 1 || len(f.store.calls) != 1 {
				t.Errorf("%d writes, %d calls of the store, want one of each", f.out.writes, len(f.store.calls))
			}
			said := f.log.String()
			if strings.Count(said, "\n") != tt.lines || !strings.Contains(said, tt.want) || !strings.Contains(said, broken.Error()) || strings.Contains(said, "contracts") {
				t.Errorf("the log says %s", said)
			}
		})
	}
}

func TestTheStoreMayTakeFiveSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := begin(t)
		f.store.slow = true
		f.Count(job.MetricCompleted, 1)
		began := time.Now()
		f.Flush(t.Context())
		if took := time.Since(began); took != 5*time.Second || !strings.Contains(f.log.String(), "counters not stored") {
			t.Errorf("the flush took %s and said %s", took, f.log.String())
		}
	})
}

// A fault of the program is logged once for a metric, harms nothing, and is not recorded.
func TestMisuse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		misuse func(*metrics.Recorder)
	}{
		{"an unknown counter", func(r *metrics.Recorder) { r.Count("jobs_lost_total", 1) }},
		{"a counter that is a histogram", func(r *metrics.Recorder) { r.Count(job.MetricPoll, 1) }},
		{"a counter that falls", func(r *metrics.Recorder) { r.Count(job.MetricCompleted, -1) }},
		{"a label that is unknown", func(r *metrics.Recorder) { r.Count(job.MetricCompleted, 1, "job", "x") }},
		{"a label without value", func(r *metrics.Recorder) { r.Count(job.MetricDispatched, 1, "profile") }},
		{"a histogram that is a counter", func(r *metrics.Recorder) { r.Observe(job.MetricCompleted, 1) }},
		{"a duration below 0", func(r *metrics.Recorder) { r.Observe(job.MetricPoll, -1) }},
		{"a duration that is no number", func(r *metrics.Recorder) { r.Observe(job.MetricPoll, math.NaN()) }},
		{"a duration without end", func(r *metrics.Recorder) { r.Observe(job.MetricPoll, math.Inf(1)) }},
		{"a gauge that is a counter", func(r *metrics.Recorder) { r.Gauge(job.MetricCompleted, 1) }},
		{"a gauge that is no number", func(r *metrics.Recorder) { r.Gauge(job.MetricPaused, math.NaN()) }},
		{"a gauge without end", func(r *metrics.Recorder) { r.Gauge(job.MetricPaused, math.Inf(-1)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := begin(t)
			tt.misuse(f.Recorder)
			tt.misuse(f.Recorder)
			f.Flush(t.Context())
			if f.out.writes > 0 || len(f.store.calls) > 0 {
				t.Errorf("recorded: %s %v", f.out.String(), f.store.calls)
			}
			if said := f.log.String(); strings.Count(said, "metric not recorded") != 1 {
				t.Errorf("the log says %q, want it once", said)
			}
		})
	}
}

// What is kept between two flushes has a limit. Beyond it a new series is lost, and an observation reaches the store alone.
func TestLimits(t *testing.T) {
	t.Parallel()
	f := begin(t)
	for n := range 1200 {
		f.Count(job.MetricDispatched, 1, job.LabelProfile, "p"+strconv.Itoa(n))
		f.Count(job.MetricDispatched, 1, job.LabelProfile, "p0")
	}
	f.Flush(t.Context())
	if n := len(f.store.calls[0]); n != 1000 || !slices.Contains(f.store.calls[0], job.Count{Name: job.MetricDispatched, Labels: `{"profile":"p0"}`, Part: "total", Value: 1201}) {
		t.Errorf("%d series, want 1000 and the first counted on", n)
	}
	for range 1200 {
		f.Observe(job.MetricPoll, 1)
	}
	f.out.Reset()
	f.Flush(t.Context())
	var lines int
	for _, e := range readEMF(t, f.out.Bytes()) {
		lines += len(e.root[metrics.Prefix+job.MetricPoll].([]any)) / 100
	}
	want := []job.Count{{Name: job.MetricPoll, Labels: "{}", Part: "le=1", Value: 1200}, {Name: job.MetricPoll, Labels: "{}", Part: "sum", Value: 1200e6}}
	if diff := cmp.Diff(want, f.store.calls[1]); diff != "" || lines != 10 {
		t.Errorf("%d full lines, want 10; stored (-want +got):\n%s", lines, diff)
	}
	if said := f.log.String(); strings.Count(said, "\n") != 2 {
		t.Errorf("the log says %s, want each metric once", said)
	}
}

// Nothing is lost or doubled between those who record and those who flush.
func TestManyRecordAtOnce(t *testing.T) {
	t.Parallel()
	f := begin(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for n := range 200 {
				f.Count(job.MetricCompleted, 1)
				f.Observe(job.MetricSigning, 1, job.LabelFormat, "Cades")
				if n%50 == 0 {
					f.Flush(t.Context())
				}
			}
		})
	}
	wg.Wait()
	f.Flush(t.Context())
	sums := map[string]int64{}
	for _, c := range slices.Concat(f.store.calls...) {
		sums[c.Name+" "+c.Part] += c.Value
	}
	want := map[string]int64{"jobs_completed_total total": 1600, "signing_duration_seconds le=1": 1600, "signing_duration_seconds sum": 1600e6}
	if diff := cmp.Diff(want, sums); diff != "" || f.log.Len() > 0 {
		t.Errorf("log: %s (-want +got):\n%s", f.log.String(), diff)
	}
}

// Lines for CloudWatch and lines of the log share standard output, and each stays whole.
func TestLinesStandBesideTheLog(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer r.Close()
	logger := slog.New(slog.NewJSONHandler(w, nil))
	m := metrics.New(w, &store{}, metrics.Logger(logger))
	go func() {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 20 {
					logger.Info("job completed", "job", strings.Repeat("x", 100))
					m.Count(job.MetricFailed, 1, job.LabelCode, "a")
					m.Count(job.MetricFailed, 1, job.LabelCode, "b")
					m.Flush(t.Context())
				}
			})
		}
		wg.Wait()
		w.Close()
	}()
	lines := json.NewDecoder(r)
	var figures, said int
	for {
		var line map[string]any
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if _, ok := line["_aws"]; ok {
			n, _ := line["bulksigner_jobs_failed_total"].(float64)
			figures += int(n)
		} else if line["msg"] == "job completed" {
			said++
		}
	}
	if figures != 160 || said != 80 {
		t.Errorf("%d figures and %d lines of the log came through, want 160 and 80", figures, said)
	}
}
