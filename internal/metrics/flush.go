package metrics

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"bulksigner/internal/job"
)

// Flush writes what was recorded since the last one: lines for CloudWatch, and counters to the store. It does nothing if
// nothing was recorded. Figures that cannot be written are logged and given up: they may have arrived, and a second try
// would count them twice. The context is the invocation's own, since that of its run can be over.
func (r *Recorder) Flush(ctx context.Context) {
	all := r.take()
	if len(all) == 0 {
		return
	}
	if err := r.write(all); err != nil {
		r.log.WarnContext(ctx, "metrics not written", "series", len(all), "err", err)
	}
	counts := counted(all)
	if len(counts) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	if err := r.store.AddCounters(ctx, counts); err != nil {
		r.log.WarnContext(ctx, "counters not stored", "counters", len(counts), "err", err)
	}
}

// take empties the recorder. Series come in the order of their labels and then of their names.
func (r *Recorder) take() []*series {
	r.mu.Lock()
	taken := r.series
	r.series = map[seriesKey]*series{}
	r.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(taken), func(a, b seriesKey) int {
		return cmp.Or(cmp.Compare(a.labels, b.labels), cmp.Compare(a.name, b.name))
	})
	all := make([]*series, len(keys))
	for n, k := range keys {
		all[n] = taken[k]
	}
	return all
}

// write writes all lines at once, so that a log line that is written meanwhile does not come to stand inside of one.
func (r *Recorder) write(all []*series) error {
	var b bytes.Buffer
	for _, d := range documents(all, r.namespace, r.now().UnixMilli()) {
		line, err := d.line()
		if err != nil {
			return err
		}
		b.Write(line)
	}
	_, err := r.out.Write(b.Bytes())
	return err
}

// counted is what the store is to add: for each counter and each bucket one count, without the labels that CloudWatch
// alone is given.
func counted(all []*series) []job.Count {
	sums := map[job.Count]int64{}
	for _, s := range all {
		c := job.Count{Name: s.metric.Name, Labels: canonical(without(s.labels, s.metric.Extra))}
		for part, n := range s.parts() {
			c.Part = part
			sums[c] += n
		}
	}
	counts := make([]job.Count, 0, len(sums))
	for c, n := range sums {
		c.Value = n
		counts = append(counts, c)
	}
	slices.SortFunc(counts, compare)
	return counts
}

func compare(a, b job.Count) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Labels, b.Labels), cmp.Compare(a.Part, b.Part))
}

// parts are the figures of a series that add up. A bucket holds what is in no lower one; whoever shows buckets adds them
// up, and so one observation changes one of them.
func (s *series) parts() map[string]int64 {
	switch s.metric.Kind {
	case KindCounter:
		return map[string]int64{job.PartTotal: s.total}
	case KindHistogram:
		parts := map[string]int64{job.PartSum: s.sum}
		for i, n := range s.buckets {
			if n > 0 {
				parts[bucket(s.metric.Bounds, i)] = n
			}
		}
		return parts
	}
	return nil
}
