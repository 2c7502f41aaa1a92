package app

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"

	"bulksigner/internal/aws/table"
	"bulksigner/internal/job"
	"bulksigner/internal/metrics"
	"bulksigner/internal/workflow"
)

// newRecorder makes what counts in a function. It writes for CloudWatch among the log lines.
func newRecorder(env Environment, store metrics.Store) *metrics.Recorder {
	var options []metrics.Option
	if env.Metrics != "" {
		options = append(options, metrics.Namespace(env.Metrics))
	}
	return metrics.New(os.Stdout, store, options...)
}

// ending has what an invocation counted go out at its end, since the environment may be gone before there is another one.
func (b *base) ending(run func(ctx context.Context) error) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		defer b.meter.Flush(ctx)
		return run(ctx)
	}
}

// endingBatch is ending for messages.
func (b *base) endingBatch(work Batch) Batch {
	return func(ctx context.Context, messages []Message) []string {
		defer b.meter.Flush(ctx)
		return work(ctx, messages)
	}
}

// endingHTTP is ending for requests, of which an environment has one at a time.
func (b *base) endingHTTP(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer b.meter.Flush(r.Context())
		h.ServeHTTP(w, r)
	})
}

// figures is what Prometheus reads: what was counted by all functions, and where the gauges stand now.
type figures struct {
	table *table.Store
	flow  *workflow.Workflow
}

// WriteMetrics implements api.Metrics.
func (f figures) WriteMetrics(ctx context.Context, w io.Writer) error {
	counts, err := f.table.Counters(ctx)
	if err != nil {
		return fmt.Errorf("read the counters: %w", err)
	}
	gauges, err := f.gauges(ctx)
	if err != nil {
		return err
	}
	return metrics.Text(w, counts, gauges)
}

func (f figures) gauges(ctx context.Context) ([]metrics.Gauge, error) {
	flight, err := f.flow.Flight(ctx)
	if err != nil {
		return nil, err
	}
	var paused, inFlight, awaiting float64
	if flight.Paused {
		paused = 1
	}
	for _, n := range flight.InFlight {
		inFlight += float64(n)
	}
	for _, err := range f.table.Oldest(ctx, job.AwaitingSigner, "") {
		if err != nil {
			return nil, fmt.Errorf("count AwaitingSigner jobs: %w", err)
		}
		awaiting++
	}
	all := []metrics.Gauge{{Name: job.MetricPaused, Value: paused}, {Name: job.MetricInFlight, Value: inFlight}, {Name: job.MetricAwaiting, Value: awaiting}}
	err = f.flow.Health(ctx, func(name string, v float64, labels ...string) {
		all = append(all, metrics.Gauge{Name: name, Value: v, Labels: labels})
	})
	return all, err
}
