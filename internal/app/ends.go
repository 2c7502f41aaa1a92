package app

import (
	"context"
	"crypto/x509"
	"log/slog"
	"sync"
	"time"

	"bulksigner/internal/profile"
	"bulksigner/internal/workflow"
)

const (
	// noteTime is how long a note may hold up who opened a key for a job.
	noteTime = 3 * time.Second
	// readTime is how long an environment may look for certificates that nobody has read, after its first work.
	readTime = 10 * time.Second
	// spare is what an invocation must have left for that.
	spare = 45 * time.Second
)

// ends notes when the certificates end that a function reads, for those which may read none. Nothing depends on a note, so
// that one which cannot be made is tried again when the key is next opened.
type ends struct {
	passes workflow.Passes
	now    func() time.Time

	mu    sync.Mutex
	known map[string]known // by profile
}

// known is what was noted of a profile.
type known struct {
	version  int64
	notAfter int64 // Unix time
}

func newEnds(passes workflow.Passes) *ends {
	return &ends{passes: passes, now: time.Now, known: map[string]known{}}
}

// saw notes a certificate unless it was noted before.
func (e *ends) saw(ctx context.Context, p profile.Profile, c *x509.Certificate) {
	seen := known{p.Version, c.NotAfter.Unix()}
	if e.knows(p.Name, seen) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, noteTime)
	defer cancel()
	if err := workflow.NoteEnd(ctx, e.passes, p, c, e.now()); err != nil {
		slog.WarnContext(ctx, "end of a certificate not noted", "profile", p.Name, "err", err)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known[p.Name] = seen
}

func (e *ends) knows(name string, k known) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known[name] == k
}

// noted are keys that note when the certificates end that they open.
type noted struct {
	workflow.Keys
	ends *ends
}

// Open implements workflow.Keys.
func (n noted) Open(ctx context.Context, p profile.Profile) (profile.Key, error) {
	key, err := n.Keys.Open(ctx, p)
	if err == nil {
		n.ends.saw(ctx, p, key.Certificate)
	}
	return key, err
}

// notedCertificates are noted for a function that reads certificates and may not sign.
type notedCertificates struct {
	certificates
	ends *ends
}

// Certificate implements workflow.Certificates.
func (n notedCertificates) Certificate(ctx context.Context, p profile.Profile) (*x509.Certificate, error) {
	c, err := n.certificates.Certificate(ctx, p)
	if err == nil {
		n.ends.saw(ctx, p, c)
	}
	return c, err
}

// thenOnce has something done once in an environment, after work that leaves the time for it. What fails waits for the next
// environment.
func thenOnce(work Batch, do func(ctx context.Context) error) Batch {
	done := false // an environment has one invocation at a time
	return func(ctx context.Context, messages []Message) []string {
		again := work(ctx, messages)
		if end, ok := ctx.Deadline(); done || ok && time.Until(end) < spare {
			return again
		}
		done = true
		ctx, cancel := context.WithTimeout(ctx, readTime)
		defer cancel()
		if err := do(ctx); err != nil {
			slog.WarnContext(ctx, "not all certificates were looked at", "err", err)
		}
		return again
	}
}
