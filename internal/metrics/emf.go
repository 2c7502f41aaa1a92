package metrics

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Limits of CloudWatch's embedded metric format. A line holds at most all metrics that are defined, which are fewer than
// the 100 that the format allows, with 100 values each: it stays far below the 256 KiB of a log line.
const maxValues = 100

// A document is one log line that CloudWatch reads figures from.
type document struct {
	at        int64 // milliseconds since 1970
	namespace string
	labels    map[string]string
	metrics   []definition
	targets   map[string]any // what the metrics are, by their names
}

// definition names a metric of a document.
type definition struct {
	Name string
	Unit string
}

// directive tells CloudWatch what to read.
type directive struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []definition
}

// documents puts series with the same labels into one document, or into several where a histogram has seen more than one
// can tell. The series come in the order of their labels.
func documents(all []*series, namespace string, at int64) (ds []document) {
	for len(all) > 0 {
		n := 1
		for n < len(all) && maps.Equal(all[n].labels, all[0].labels) {
			n++
		}
		for page := 0; ; page++ {
			d := document{at: at, namespace: namespace, labels: all[0].labels, targets: map[string]any{}}
			for _, s := range all[:n] {
				d.add(s, page)
			}
			if len(d.metrics) == 0 {
				break
			}
			ds = append(ds, d)
		}
		all = all[n:]
	}
	return ds
}

// add puts a page of a series into the document, if the series has that many.
func (d *document) add(s *series, page int) {
	v, ok := s.page(page)
	if !ok {
		return
	}
	name := Prefix + s.metric.Name
	d.metrics = append(d.metrics, definition{name, s.metric.Unit})
	d.targets[name] = v
}

func (s *series) page(n int) (any, bool) {
	switch s.metric.Kind {
	case KindHistogram:
		rest := s.seen[min(n*maxValues, len(s.seen)):]
		return rest[:min(maxValues, len(rest))], len(rest) > 0
	case KindGauge:
		return s.level, n == 0
	}
	return s.total, n == 0
}

// line writes the document. Whatever has labels counts without them too, since an alarm cannot add dimensions up. There, a
// gauge has the figures of all its labels, so that the lowest or the highest of them means something, and the sum nothing.
func (d document) line() ([]byte, error) {
	sets := [][]string{{}}
	if len(d.labels) > 0 {
		sets = append(sets, slices.Sorted(maps.Keys(d.labels)))
	}
	root := maps.Clone(d.targets)
	for name, v := range d.labels {
		root[name] = v
	}
	root["_aws"] = map[string]any{
		"Timestamp":         d.at,
		"CloudWatchMetrics": []directive{{d.namespace, sets, d.metrics}},
	}
	b, err := json.Marshal(root)
	if err != nil {
		return nil, fmt.Errorf("encode a line of metrics: %w", err)
	}
	return append(b, '\n'), nil
}
