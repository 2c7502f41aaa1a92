package revocation

import (
	"context"
	"crypto/x509"
	"sync"
	"time"
)

// outage is how long a source that failed is left in peace.
const outage = 30 * time.Second

// proof is a checked answer: it holds for every certificate of the issuer that it was checked with.
type proof interface {
	about(certificate *x509.Certificate) (Status, error)
}

// held is what is known of a source: a proof, or why there is none.
type held struct {
	proof   proof
	err     error
	size    int
	refresh time.Time // then the source is asked again
	until   time.Time // until then the proof holds, should the source not answer
	used    uint64
}

// flight is a question under way. result stays nil if the asker's own time ended first, which says nothing of the source.
type flight struct {
	done   chan struct{}
	result *held
}

// cache keeps proofs and outages within bounds, and lets one caller ask for all.
type cache struct {
	now                  func() time.Time
	maxEntries, maxBytes int

	mu      sync.Mutex
	entries map[string]*held
	flights map[string]*flight
	bytes   int
	clock   uint64 // counts uses: who has the lowest count goes first
}

func newCache(now func() time.Time, entries, bytes int) *cache {
	return &cache{
		now: now, maxEntries: entries, maxBytes: bytes,
		entries: map[string]*held{}, flights: map[string]*flight{},
	}
}

// get returns the proof under key, from memory, from a question that is already under way, or from ask. Whoever asks does
// so in its own call and within its own time; if that time ends, another of those who wait takes over.
func (c *cache) get(ctx context.Context, key string, ask func(context.Context) (held, error)) (proof, error) {
	for {
		known, f, mine := c.enter(key)
		if known != nil {
			return known.proof, known.err
		}
		if mine {
			return c.lead(ctx, key, f, ask)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-f.done:
		}
		if f.result != nil {
			return f.result.proof, f.result.err
		}
	}
}

// enter finds what is known, or joins the flight for it, or begins one, which is then the caller's.
func (c *cache) enter(key string) (known *held, f *flight, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.entries[key]; h != nil && c.now().Before(h.refresh) {
		c.clock++
		h.used = c.clock
		return &held{proof: h.proof, err: h.err}, nil, false
	}
	if f := c.flights[key]; f != nil {
		return nil, f, false
	}
	f = &flight{done: make(chan struct{})}
	c.flights[key] = f
	return nil, f, true
}

func (c *cache) lead(ctx context.Context, key string, f *flight, ask func(context.Context) (held, error)) (proof, error) {
	defer c.land(key, f) // also after a panic: nobody waits for ever
	h, err := ask(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		h = c.failed(key, err)
	}
	f.result = &h
	return h.proof, h.err
}

// failed is what stands after a failure: an earlier proof that still holds, or the outage.
func (c *cache) failed(key string, err error) held {
	c.mu.Lock()
	defer c.mu.Unlock()
	retry := c.now().Add(outage)
	if h := c.entries[key]; h != nil && h.proof != nil && c.now().Before(h.until) {
		return held{proof: h.proof, size: h.size, refresh: earlier(retry, h.until), until: h.until}
	}
	return held{err: err, refresh: retry}
}

// land ends a flight and keeps its result.
func (c *cache) land(key string, f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, key)
	close(f.done)
	if f.result == nil {
		return
	}
	kept := *f.result // the flight's own is read without the lock
	c.keep(key, &kept)
}

func (c *cache) keep(key string, h *held) {
	c.drop(key)
	if weight(key, h) > c.maxBytes {
		return
	}
	c.clock++
	h.used = c.clock
	c.entries[key] = h
	c.bytes += weight(key, h)
	for len(c.entries) > c.maxEntries || c.bytes > c.maxBytes {
		c.drop(c.stalest())
	}
}

func (c *cache) drop(key string) {
	if h := c.entries[key]; h != nil {
		c.bytes -= weight(key, h)
		delete(c.entries, key)
	}
}

// weight is about the memory of an entry.
func weight(key string, h *held) int { return len(key) + h.size + 512 }

// stalest is the entry that was not used for longest. There are few entries, and all but a few calls evict nothing.
func (c *cache) stalest() string {
	var key string
	var oldest *held
	for k, h := range c.entries {
		if oldest == nil || h.used < oldest.used {
			key, oldest = k, h
		}
	}
	return key
}
