package keys

import (
	"context"
	"sync"

	"golang.org/x/time/rate"

	"bulksigner/internal/fault"
)

// rates has a bucket for each key, whichever profiles share it.
type rates struct {
	perSecond float64

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

// of returns the wait for a key's turn. There are no bursts: execution environments add theirs up.
func (r *rates) of(arn string) func(context.Context) error {
	if r.perSecond <= 0 {
		return unlimited
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.buckets[arn]
	if b == nil {
		if r.buckets == nil {
			r.buckets = map[string]*rate.Limiter{}
		}
		b = rate.NewLimiter(rate.Limit(r.perSecond), 1)
		r.buckets[arn] = b
	}
	return func(ctx context.Context) error { return notReady(b.Wait(ctx)) }
}

// unlimited is the wait for a key without a rate.
func unlimited(ctx context.Context) error { return notReady(ctx.Err()) }

// notReady says that a key's turn does not come while there is time.
func notReady(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(fault.Throttled, err, "the key's rate leaves no place in the time that is left; nothing was signed")
}
