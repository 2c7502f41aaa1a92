package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

const (
	sweepPass = "sweep"
	// sweptUsually is how often folders are looked into where the settings do not say.
	sweptUsually = 5 * time.Minute
)

// sweeping is what a pass through the folders keeps for the next one.
type sweeping struct {
	Began  time.Time // of the pass that is under way; zero: none is
	Done   string    // the last profile whose folder it has looked into
	At     string    // the profile whose folder it has begun
	After  []string  // the documents of that folder that were looked at last
	Spoilt bool      // something in that folder failed
	Met    mishap    // the last failure that it met

	Failures int       // passes in a row that met one
	Since    time.Time // when the first of these began
	Last     mishap

	Told map[string]time.Time // since when profiles are degraded whose degradation was told
	Read map[string]string    // folder and certificate of profiles whose folder was read to its end
}

// mishap is a failure as far as operators may know of it.
type mishap struct {
	Op   string // job.OpList, job.OpRead and so on
	Said string // never Signer's own text
}

// sweep is one invocation's work.
type sweep struct {
	*Workflow
	run   run
	pass  job.Pass
	state sweeping
}

// Sweep looks into the folders of all profiles that sign at Lacuna Signer, as often as is due within the invocation, and
// makes the jobs of the documents that wait for the holders of their certificates. It does so whether or not the pipeline
// is paused. Run twice, or beside itself, it changes nothing more. What one invocation has no time for the next one does;
// what failed is asked for again by the next pass.
func (w *Workflow) Sweep(ctx context.Context) error {
	ctx, cancel, r := w.begin(ctx)
	defer cancel()
	s := &sweep{Workflow: w, run: r}
	pass, err := w.Passes.Pass(ctx, sweepPass)
	if err == nil && pass.NextAt.After(r.end.Add(-lastWords)) {
		return nil // not within this invocation: a lease would cost two writes a minute
	}
	var ok bool
	if err == nil {
		s.pass, ok, err = w.lease(ctx, sweepPass, r, &s.state)
	}
	if err != nil {
		w.Meter.Count(job.MetricSweepErrors, 1, job.LabelOp, job.OpPass)
		return err
	}
	if !ok {
		return nil
	}
	err = s.passes(ctx)
	return errors.Join(err, w.keep(ctx, s.pass, &s.state))
}

func (s *sweep) passes(ctx context.Context) error {
	for s.waitFor(ctx, s.run, s.pass.NextAt) {
		if whole, err := s.once(ctx); err != nil || !whole {
			return err
		}
		if err := s.savePass(ctx, &s.pass, &s.state); err != nil {
			return fmt.Errorf("save the pass: %w", err)
		}
	}
	return nil
}

// once goes on with a pass, profile by profile, and reports whether it came to the end.
func (s *sweep) once(ctx context.Context) (whole bool, err error) {
	if s.state.Began.IsZero() {
		s.state.Began = s.Now()
	}
	profiles, err := s.Profiles.List(ctx)
	if err != nil {
		s.failed(ctx, job.OpPass, err)
		s.end(ctx, nil)
		return false, fmt.Errorf("list the profiles: %w", err)
	}
	for _, p := range profiles {
		if !watched(p) || p.Name <= s.state.Done {
			continue
		}
		if !s.goesOn(ctx, s.run) || !s.one(ctx, p) {
			return false, nil
		}
		s.state.Done = p.Name
	}
	s.end(ctx, profiles)
	return true, nil
}

// one looks into the folder of one profile, unless the profile cannot work. It reports false if the run's time ended
// before the folder did.
func (s *sweep) one(ctx context.Context, p profile.Profile) bool {
	if vanished(p) && s.Signer != nil {
		there, err := s.there(ctx, p.SignerFolder.ID)
		switch {
		case there:
			p.Degraded = s.lift(ctx, p)
		case err != nil && !late(ctx, err):
			s.failed(ctx, job.OpFolder, err)
		}
	}
	a, err := s.able(ctx, p)
	switch {
	case errors.Is(err, fault.ProfileDegraded):
		s.leftAlone(ctx, a.profile)
		return true
	case late(ctx, err):
		return false
	case err != nil:
		s.failed(ctx, job.OpPass, err)
		return true
	}
	delete(s.state.Told, p.Name)
	return s.folder(ctx, a)
}

// leftAlone tells of a profile that cannot work, once.
func (s *sweep) leftAlone(ctx context.Context, p profile.Profile) {
	if s.state.Told[p.Name].Equal(p.Degraded.Since) {
		return
	}
	if s.state.Told == nil {
		s.state.Told = map[string]time.Time{}
	}
	s.state.Told[p.Name] = p.Degraded.Since
	slog.WarnContext(ctx, "folder left alone: its profile is degraded", "profile", p.Name, "code", p.Degraded.Code)
}

// failed notes a failure that the next pass makes up for.
func (s *sweep) failed(ctx context.Context, op string, err error) {
	s.Meter.Count(job.MetricSweepErrors, 1, job.LabelOp, op)
	slog.WarnContext(ctx, "sweep met a failure", "op", op, "code", fault.CodeOf(err), "err", err)
	said := string(fault.CodeOf(err))
	if e, ok := errors.AsType[*job.SignerError](err); ok {
		said = "of Lacuna Signer, " + e.Said()
	}
	s.state.Met = mishap{Op: op, Said: said}
}

// end ends a whole pass, and forgets what it knew of profiles that have no folder any more.
func (s *sweep) end(ctx context.Context, profiles []profile.Profile) {
	st := &s.state
	if st.Met == (mishap{}) {
		st.Failures, st.Since, st.Last = 0, time.Time{}, mishap{}
	} else {
		if st.Failures++; st.Failures == 1 {
			st.Since = st.Began
		}
		st.Last = st.Met
	}
	if profiles != nil {
		there := map[string]bool{}
		for _, p := range profiles {
			there[p.Name] = watched(p)
		}
		maps.DeleteFunc(st.Told, func(name string, _ time.Time) bool { return !there[name] })
		maps.DeleteFunc(st.Read, func(name, _ string) bool { return !there[name] || !st.Told[name].IsZero() })
	}
	slog.InfoContext(ctx, "pass ended", "pass", sweepPass, "failures", st.Failures, "took", s.Now().Sub(st.Began).String())
	s.pass.NextAt = st.Began.Add(s.sweepEvery())
	st.Began, st.Done, st.At, st.After, st.Spoilt, st.Met = time.Time{}, "", "", nil, false, mishap{}
}

// sweepEvery is how often folders are looked into.
func (w *Workflow) sweepEvery() time.Duration {
	if w.Remote.SweepEvery <= 0 {
		return sweptUsually
	}
	return w.Remote.SweepEvery
}
