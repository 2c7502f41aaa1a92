package workflowtest

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// Profiles fits workflow.Profiles.
type Profiles struct{ *World }

// Get reads a profile.
func (p Profiles) Get(ctx context.Context, name string) (out profile.Profile, err error) {
	err = p.pass(ctx, "get profile", func() error {
		var ok bool
		if out, ok = p.profiles[name]; !ok {
			return fault.New(fault.ProfileNotFound, "no profile %s", name)
		}
		return nil
	})
	return out, err
}

// Degrade notes that a profile cannot sign.
func (p Profiles) Degrade(ctx context.Context, name string, d profile.Degradation) error {
	return p.pass(ctx, "degrade profile", func() error { p.setDegraded(name, d); return nil })
}

// Restore takes the note away.
func (p Profiles) Restore(ctx context.Context, name string) error {
	return p.pass(ctx, "restore profile", func() error { p.setDegraded(name, profile.Degradation{}); return nil })
}

func (p Profiles) setDegraded(name string, d profile.Degradation) {
	x := p.profiles[name]
	x.Degraded = d
	p.profiles[name] = x
}

// SetProfile stores a profile, one version on.
func (w *World) SetProfile(p profile.Profile) {
	p.Version = w.profiles[p.Name].Version + 1
	w.profiles[p.Name] = p
}

// Profile reads a profile past the gate.
func (w *World) Profile(name string) profile.Profile { return w.profiles[name] }

// List fits workflow.Profiles.
func (p Profiles) List(ctx context.Context) (all []profile.Profile, err error) {
	err = p.pass(ctx, "list profiles", func() error {
		all = slices.SortedFunc(maps.Values(p.profiles), func(a, b profile.Profile) int { return cmp.Compare(a.Name, b.Name) })
		return nil
	})
	return all, err
}
