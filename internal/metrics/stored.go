package metrics

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"bulksigner/internal/job"
)

// infinite is the bound of what is above all others, and unbounded how it is written.
var infinite = math.Inf(1)

const unbounded = "+Inf"

// bucketPrefix stands before the bound of a bucket where the bucket is a part of a histogram.
const bucketPrefix = "le="

// bucket names the part that a bucket is, by its bound.
func bucket(bounds []float64, i int) string {
	if i == len(bounds) {
		return bucketPrefix + unbounded
	}
	return bucketPrefix + number(bounds[i])
}

// number writes a number as Prometheus does.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// stored is what a store has counted of a metric under the same labels.
type stored struct {
	labels  []string // name and value by turns, in the order of the names
	total   int64
	sum     int64
	buckets map[float64]int64
}

// family is what was counted of a metric, by labels in their one form.
type family map[string]*stored

// gather sorts counts by metric. What is certain to be shown is there, counted or not.
func gather(counts []job.Count) (map[string]family, error) {
	found := make(map[string]family, len(Defined))
	for _, m := range Defined {
		if m.Kind == KindGauge {
			continue
		}
		found[m.Name] = family{}
		for _, labels := range m.certain() {
			found[m.Name].at(labels)
		}
	}
	for _, c := range counts {
		f, ok := found[c.Name]
		if !ok {
			continue
		}
		if err := f.add(c); err != nil {
			return nil, fmt.Errorf("read the counter %s: %w", c.Name, err)
		}
	}
	return found, nil
}

func (f family) add(c job.Count) error {
	labels, err := parse(c.Labels)
	if err != nil || !byName[c.Name].labeled(labels) {
		return err
	}
	return f.at(labels).add(c)
}

func (f family) at(labels map[string]string) *stored {
	key := canonical(labels)
	if f[key] == nil {
		f[key] = &stored{labels: flat(labels), buckets: map[float64]int64{}}
	}
	return f[key]
}

func (f family) sorted() (all []*stored) {
	for _, key := range slices.Sorted(maps.Keys(f)) {
		all = append(all, f[key])
	}
	return all
}

func flat(labels map[string]string) (pairs []string) {
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		pairs = append(pairs, name, labels[name])
	}
	return pairs
}

func (s *stored) add(c job.Count) error {
	text, isBucket := strings.CutPrefix(c.Part, bucketPrefix)
	switch {
	case isBucket:
		bound, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("read the bound of a bucket: %w", err)
		}
		s.buckets[bound] += c.Value
	case c.Part == job.PartSum:
		s.sum += c.Value
	case c.Part == job.PartTotal:
		s.total += c.Value
	}
	return nil
}

// upTo is how many observations were not above a bound. Buckets of a release that had other bounds count where they must.
func (s *stored) upTo(bound float64) (n int64) {
	for b, seen := range s.buckets {
		if b <= bound {
			n += seen
		}
	}
	return n
}
