package metrics

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxValue is the length of a label's value: longer than any name that this service takes, and short enough for a
// dimension of CloudWatch (1024) and a key of the store.
const maxValue = 200

// Check reports what is wrong with recording a metric like this; labels alternate name and value. A Recorder drops what
// has a fault, so tests of those who record ask here. Faults name no value.
func Check(k Kind, name string, labels ...string) error {
	_, _, err := check(k, name, labels)
	return err
}

// check looks a metric up and reads its labels.
func check(k Kind, name string, labels []string) (*Metric, map[string]string, error) {
	m, ok := byName[name]
	switch {
	case !ok:
		return nil, nil, errors.New("no such metric is defined")
	case m.Kind != k:
		return nil, nil, fmt.Errorf("the metric is a %s, not a %s", m.Kind, k)
	case len(labels) != 2*(len(m.Labels)+len(m.Extra)):
		return nil, nil, fmt.Errorf("the metric has %d labels, each with a value", len(m.Labels)+len(m.Extra))
	}
	given := make(map[string]string, len(labels)/2)
	for pair := range slices.Chunk(labels, 2) {
		given[pair[0]] = pair[1]
	}
	for _, l := range slices.Concat(m.Labels, m.Extra) {
		v, ok := given[l.Name]
		if !ok {
			return nil, nil, fmt.Errorf("the metric needs the label %s", l.Name)
		}
		if !l.takes(v) {
			return nil, nil, fmt.Errorf("the label %s has a value that is not one of its own", l.Name)
		}
	}
	return m, given, nil
}

// takes reports whether a label can have a value. A dimension of CloudWatch is ASCII without control characters, not
// blank and without a colon before it.
func (l Label) takes(v string) bool {
	if l.Values != nil {
		return slices.Contains(l.Values, v)
	}
	odd := strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r > '~' })
	return len(v) <= maxValue && !odd && strings.TrimSpace(v) != "" && v[0] != ':'
}

// canonical writes labels in their one form; a map is always written in the order of its keys.
func canonical(labels map[string]string) string {
	b, err := json.Marshal(labels)
	if err != nil {
		panic(err) // texts always encode
	}
	return string(b)
}

// parse reads what canonical wrote.
func parse(text string) (map[string]string, error) {
	var labels map[string]string
	if err := json.Unmarshal([]byte(text), &labels); err != nil {
		return nil, fmt.Errorf("read its labels: %w", err)
	}
	return labels, nil
}

// without leaves labels out.
func without(labels map[string]string, out []Label) map[string]string {
	rest := maps.Clone(labels)
	for _, l := range out {
		delete(rest, l.Name)
	}
	return rest
}

// labeled reports whether these are the metric's labels.
func (m Metric) labeled(labels map[string]string) bool {
	return len(labels) == len(m.Labels) && !slices.ContainsFunc(m.Labels, func(l Label) bool {
		_, ok := labels[l.Name]
		return !ok
	})
}
