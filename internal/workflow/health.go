package workflow

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// toldEvery is how often the recovery tells how profiles are: what it tells changes slowly, and each profile is a log line.
const toldEvery = time.Hour

// health is what can be told of an enabled profile without its key.
type health struct {
	of       profile.Profile
	degraded bool      // it cannot sign
	ends     time.Time // its certificate; zero: it has none, or nobody has read it yet
	err      error
}

// days is how many whole days a certificate still has, below zero when it has ended.
func (h *health) days(now time.Time) float64 { return math.Floor(h.ends.Sub(now).Hours() / 24) }

// Health tells where the gauges about profiles stand. Certificates that end first come first: if there are more than a
// recorder takes, those that last longest are missing.
func (w *Workflow) Health(ctx context.Context, gauge func(name string, v float64, labels ...string)) error {
	all, err := w.examined(ctx)
	if err != nil {
		return fmt.Errorf("see how profiles are: %w", err)
	}
	unable := 0
	for _, h := range all {
		if h.degraded {
			unable++
		}
	}
	gauge(job.MetricDegraded, float64(unable))
	now := w.Now()
	for _, h := range all {
		if !h.ends.IsZero() {
			gauge(job.MetricCertificateDays, h.days(now), job.LabelProfile, h.of.Name)
		}
	}
	return nil
}

// tellHealth has the gauges go out, if the last time is long enough ago.
func (w *Workflow) tellHealth(ctx context.Context, s *recovery) error {
	now := w.Now()
	if now.Sub(s.Told) < toldEvery {
		return nil
	}
	err := w.Health(ctx, w.Meter.Gauge)
	if err == nil {
		s.Told = now
	}
	return err
}

// examined are all enabled profiles, in the order in which their certificates end.
func (w *Workflow) examined(ctx context.Context) ([]*health, error) {
	profiles, err := w.enabled(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]*health, len(profiles))
	for i, p := range profiles {
		all[i] = &health{of: p}
	}
	inParallel(w.Remote.AtOnce, all, func(h *health) { w.examine(ctx, h) })
	for _, h := range all {
		if h.err != nil {
			return nil, h.err
		}
	}
	slices.SortStableFunc(all, func(a, b *health) int { return a.ends.Compare(b.ends) })
	return all, nil
}

// enabled lists the profiles that are to sign.
func (w *Workflow) enabled(ctx context.Context) ([]profile.Profile, error) {
	all, err := w.Profiles.List(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(p profile.Profile) bool { return !p.Enabled }), nil
}

// examine sees how a profile is. Whether its key would sign is known only by asking it, which nobody does here.
func (w *Workflow) examine(ctx context.Context, h *health) {
	ends, err := w.endOf(ctx, h.of)
	unreadable := degrading[fault.CodeOf(err)]
	if err != nil && !unreadable {
		h.err = err
		return
	}
	h.ends = ends
	over := !ends.IsZero() && w.Now().After(ends)
	unserved := h.of.Method != profile.Local && w.Remote.PollEvery == 0 // the settings name no Lacuna Signer
	h.degraded = h.of.Degraded.Code != "" || unreadable || over || unserved
}
