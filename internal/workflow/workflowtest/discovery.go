package workflowtest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// Discoveries fits workflow.Discoveries, workflow.Journal and workflow.Bells: the table as far as it is about documents in
// folders at Lacuna Signer, and what operators read of them.
type Discoveries struct {
	*World
	Unrung []string  // documents whose mark of a waiting check was taken away
	Last   time.Time // when the last notification arrived

	seen   map[string]time.Time
	events []job.Event
}

// NewDiscoveries makes the table's part of a world.
func NewDiscoveries(w *World) *Discoveries {
	return &Discoveries{World: w, seen: map[string]time.Time{}}
}

// Discover stores a job and the record of its pair.
func (d *Discoveries) Discover(ctx context.Context, j job.Job) error {
	return d.pass(ctx, "discover", func() error {
		key := pairKey(j.Remote.DocumentID, j.Remote.ActionID)
		if d.discovered[key] != "" {
			return fault.New(fault.JobRaceLost, "the pair has had a job")
		}
		d.discovered[key], d.jobs[j.ID] = j.ID, j
		return nil
	})
}

// Discovered returns the latest job of a pair.
func (d *Discoveries) Discovered(ctx context.Context, documentID, actionID string) (id job.ID, err error) {
	err = d.pass(ctx, "look for the pair", func() error {
		id = d.discovered[pairKey(documentID, actionID)]
		return nil
	})
	return id, err
}

// Seen tells when documents had last changed.
func (d *Discoveries) Seen(ctx context.Context, ids []string) (seen map[string]time.Time, err error) {
	err = d.pass(ctx, "read what was seen", func() error {
		seen = maps.Clone(d.seen)
		maps.DeleteFunc(seen, func(id string, _ time.Time) bool { return !slices.Contains(ids, id) })
		return nil
	})
	return seen, err
}

// See notes when a document had last changed, as the table writes times.
func (d *Discoveries) See(ctx context.Context, id string, updated time.Time) error {
	return d.pass(ctx, "note what was seen", func() error { d.seen[id] = updated.UTC().Truncate(time.Millisecond); return nil })
}

// Unring takes a mark away.
func (d *Discoveries) Unring(ctx context.Context, id string) error {
	return d.pass(ctx, "unring", func() error { d.Unrung = append(d.Unrung, id); return nil })
}

// Write keeps an event.
func (d *Discoveries) Write(ctx context.Context, e job.Event) error {
	return d.pass(ctx, "write event", func() error { d.events = append(d.events, e); return nil })
}

// Events are the types of the events so far.
func (d *Discoveries) Events() (types []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range d.events {
		types = append(types, e.Type)
	}
	return types
}

// LastBell tells when the last notification arrived.
func (d *Discoveries) LastBell(ctx context.Context) (at time.Time, err error) {
	err = d.pass(ctx, "read the last bell", func() error { at = d.Last; return nil })
	return at, err
}

// Forget deletes a job, as clearing does: the record of its pair stays.
func (d *Discoveries) Forget(id job.ID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.jobs, id)
}

// Meter fits workflow.Meter and remembers what was counted. It passes no gate: figures leave with the invocation.
type Meter struct {
	mu     sync.Mutex
	counts map[string]int64
	levels map[string]float64
}

// Count adds to a figure.
func (m *Meter) Count(name string, n int64, labels ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts == nil {
		m.counts = map[string]int64{}
	}
	m.counts[figure(name, labels)] += n
}

// Observe counts an observation.
func (m *Meter) Observe(name string, _ float64, labels ...string) { m.Count(name, 1, labels...) }

// Gauge notes where a figure stands.
func (m *Meter) Gauge(name string, v float64, labels ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.levels == nil {
		m.levels = map[string]float64{}
	}
	m.levels[figure(name, labels)] = v
}

// Levels takes the figures that were noted since it was last called: where each stands, by name and labels.
func (m *Meter) Levels() map[string]float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	levels := m.levels
	m.levels = nil
	return levels
}

// Counted is how far a figure was counted.
func (m *Meter) Counted(name string, labels ...string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts[figure(name, labels)]
}

func figure(name string, labels []string) string { return name + "{" + strings.Join(labels, ",") + "}" }
