package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"bulksigner/internal/job"
)

// Bounds of what a Recorder keeps between two flushes, far above what an invocation records, and of how long it lets the
// store take.
const (
	maxSeries       = 1000
	maxObservations = 1000
	maxObservation  = 1e9 // a sum of them stays a whole number of millionths
	storeTime       = 5 * time.Second
)

// millionths is what a histogram's sum counts in.
const millionths = 1e6

// DefaultNamespace is where CloudWatch shows the metrics.
const DefaultNamespace = "BulkSigner"

// Store keeps counters.
type Store interface {
	// AddCounters adds to what was counted before. After an error some of the figures, or all, may have been added.
	AddCounters(ctx context.Context, counts []job.Count) error
}

// Recorder collects figures until they are flushed. One serves a process, and many goroutines.
type Recorder struct {
	out       io.Writer
	store     Store
	namespace string
	now       func() time.Time
	log       *slog.Logger

	mu     sync.Mutex
	series map[seriesKey]*series
	told   map[string]bool // metrics whose misuse was logged
}

// seriesKey names a series: a metric, and its labels in their one form.
type seriesKey struct{ name, labels string }

// series is what was recorded of a metric under the same labels.
type series struct {
	metric  *Metric
	labels  map[string]string
	total   int64     // of a counter
	level   float64   // of a gauge
	seen    []float64 // by a histogram
	buckets []int64   // one for each bound, and one for what is above
	sum     int64
}

// Option changes how a Recorder works.
type Option func(*Recorder)

// Namespace sets where CloudWatch shows the metrics, so that two installations in one account can be told apart.
func Namespace(name string) Option { return func(r *Recorder) { r.namespace = name } }

// Clock sets the clock that CloudWatch lines are stamped by; without it, it is the system's.
func Clock(now func() time.Time) Option { return func(r *Recorder) { r.now = now } }

// Logger sets where misuse and lost figures are logged; without it, it is the default.
func Logger(l *slog.Logger) Option { return func(r *Recorder) { r.log = l } }

// New makes a Recorder that writes lines for CloudWatch to out, which on Lambda is standard output, and adds what was
// counted to store.
func New(out io.Writer, store Store, options ...Option) *Recorder {
	r := &Recorder{
		out: out, store: store, namespace: DefaultNamespace, now: time.Now, log: slog.Default(),
		series: map[seriesKey]*series{}, told: map[string]bool{},
	}
	for _, o := range options {
		o(r)
	}
	return r
}

// Count adds n to a counter; labels alternate name and value. A name, a label or a number that the definitions do not
// allow is a fault of the program: it is logged once, and nothing is counted.
func (r *Recorder) Count(name string, n int64, labels ...string) {
	if n < 0 {
		r.misused(name, errors.New("a counter never falls"))
		return
	}
	if n > 0 {
		r.record(KindCounter, name, labels, func(s *series) error { s.total += n; return nil })
	}
}

// Observe notes a value in a histogram, under the rules of Count.
func (r *Recorder) Observe(name string, v float64, labels ...string) {
	if !(v >= 0 && v <= maxObservation) { // NaN is neither
		r.misused(name, errors.New("the value cannot be observed"))
		return
	}
	r.record(KindHistogram, name, labels, func(s *series) error { return s.observe(v) })
}

// Gauge tells CloudWatch where a gauge stands, under the rules of Count. It is not stored, and what was told before in the
// same flush is forgotten.
func (r *Recorder) Gauge(name string, v float64, labels ...string) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		r.misused(name, errors.New("the value is no number"))
		return
	}
	r.record(KindGauge, name, labels, func(s *series) error { s.level = v; return nil })
}

func (r *Recorder) record(k Kind, name string, labels []string, add func(*series) error) {
	m, given, err := check(k, name, labels)
	if err == nil {
		err = r.add(m, given, add)
	}
	if err != nil {
		r.misused(name, err)
	}
}

func (r *Recorder) add(m *Metric, labels map[string]string, add func(*series) error) error {
	key := seriesKey{m.Name, canonical(labels)}
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.series[key]
	if !ok && len(r.series) == maxSeries {
		return fmt.Errorf("%d series wait for a flush already", maxSeries)
	}
	if !ok {
		s = &series{metric: m, labels: labels, buckets: make([]int64, len(m.Bounds)+1)}
		r.series[key] = s
	}
	return add(s)
}

// observe counts in the bucket with the first bound that is not below the value. A value that CloudWatch has to be spared
// is in the buckets all the same.
func (s *series) observe(v float64) error {
	n, _ := slices.BinarySearch(s.metric.Bounds, v)
	s.buckets[n]++
	s.sum += int64(math.Round(v * millionths))
	if len(s.seen) == maxObservations {
		return fmt.Errorf("%d observations wait for a flush already", maxObservations)
	}
	s.seen = append(s.seen, v)
	return nil
}

// misused logs once for each metric what is wrong with how it is recorded.
func (r *Recorder) misused(name string, err error) {
	r.mu.Lock()
	told := r.told[name]
	r.told[name] = true
	r.mu.Unlock()
	if !told {
		r.log.Error("metric not recorded", "metric", name, "err", err)
	}
}
