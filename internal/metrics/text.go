package metrics

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"bulksigner/internal/job"
)

// ContentType is that of what Text writes.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Gauge is where a gauge stands.
type Gauge struct {
	Name   string // without the prefix
	Value  float64
	Labels []string // name and value by turns
}

// Text writes what was counted, and where gauges stand, in version 0.0.4 of Prometheus' text format. What was never
// counted is shown as 0 where its labels are certain. Counts of metrics or labels that are not defined here are another
// release's and stay out; a gauge that is not defined is an error.
func Text(w io.Writer, counts []job.Count, gauges []Gauge) error {
	found, err := gather(counts)
	if err != nil {
		return err
	}
	levels, err := standing(gauges)
	if err != nil {
		return err
	}
	p := page{bufio.NewWriter(w)}
	for _, m := range Defined {
		if all := levels[m.Name]; len(all) > 0 {
			p.head(m)
			p.levels(m, all)
		}
		if f := found[m.Name]; len(f) > 0 {
			p.head(m)
			p.family(m, f)
		}
	}
	return p.w.Flush()
}

// standing sorts gauges by metric and by their labels, in the one form of those.
func standing(gauges []Gauge) (map[string]map[string]Gauge, error) {
	levels := make(map[string]map[string]Gauge, len(gauges))
	for _, g := range gauges {
		_, labels, err := check(KindGauge, g.Name, g.Labels)
		if err != nil {
			return nil, fmt.Errorf("show the gauge %s: %w", g.Name, err)
		}
		if levels[g.Name] == nil {
			levels[g.Name] = map[string]Gauge{}
		}
		levels[g.Name][canonical(labels)] = g
	}
	return levels, nil
}

// page writes lines. Its writer keeps the first error until it is flushed.
type page struct{ w *bufio.Writer }

// What the format escapes, in a help and in the value of a label.
var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	valueEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

func (p page) head(m Metric) {
	fmt.Fprintf(p.w, "# HELP %s%s %s\n", Prefix, m.Name, helpEscapes.Replace(m.Help))
	fmt.Fprintf(p.w, "# TYPE %s%s %s\n", Prefix, m.Name, m.Kind)
}

// sample writes one line; labels alternate name and value.
func (p page) sample(name string, labels []string, v string) {
	var pairs []string
	for pair := range slices.Chunk(labels, 2) {
		pairs = append(pairs, pair[0]+`="`+valueEscapes.Replace(pair[1])+`"`)
	}
	braced := ""
	if len(pairs) > 0 {
		braced = "{" + strings.Join(pairs, ",") + "}"
	}
	fmt.Fprintf(p.w, "%s%s%s %s\n", Prefix, name, braced, v)
}

func (p page) levels(m Metric, all map[string]Gauge) {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		p.sample(m.Name, all[key].Labels, number(all[key].Value))
	}
}

func (p page) family(m Metric, f family) {
	for _, s := range f.sorted() {
		if m.Kind == KindHistogram {
			p.histogram(m, s)
		} else {
			p.sample(m.Name, s.labels, strconv.FormatInt(s.total, 10))
		}
	}
}

// histogram adds the buckets up, as Prometheus wants them.
func (p page) histogram(m Metric, s *stored) {
	for _, bound := range m.Bounds {
		p.bucket(m, s, number(bound), s.upTo(bound))
	}
	n := s.upTo(infinite)
	p.bucket(m, s, unbounded, n)
	p.sample(m.Name+"_sum", s.labels, number(float64(s.sum)/millionths))
	p.sample(m.Name+"_count", s.labels, strconv.FormatInt(n, 10))
}

func (p page) bucket(m Metric, s *stored, bound string, n int64) {
	p.sample(m.Name+"_bucket", append(slices.Clip(s.labels), "le", bound), strconv.FormatInt(n, 10))
}
