package workflowtest

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// Get fits workflow.Jobs.
func (w *World) Get(ctx context.Context, id job.ID) (j job.Job, err error) {
	err = w.pass(ctx, "get job", func() error {
		var ok bool
		if j, ok = w.jobs[id]; !ok {
			return fault.New(fault.JobNotFound, "no job %s", id)
		}
		return nil
	})
	return j, err
}

// Save fits workflow.Jobs.
func (w *World) Save(ctx context.Context, j job.Job) error {
	return w.pass(ctx, "save job", func() error {
		if w.jobs[j.ID].Version != j.Version-1 {
			return fault.New(fault.JobRaceLost, "job %s is no longer at version %d", j.ID, j.Version-1)
		}
		w.jobs[j.ID] = j
		return nil
	})
}

// Put stores a job past the gate.
func (w *World) Put(j job.Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.jobs[j.ID] = j
}

// TakeIn fits workflow.Arrivals.
func (w *World) TakeIn(ctx context.Context, j job.Job) error {
	return w.pass(ctx, "take in", func() error {
		if _, known := w.taken[versionKey(j.Object)]; known {
			return fault.New(fault.JobRaceLost, "the object version is known")
		}
		if _, known := w.jobs[j.ID]; known {
			return fault.New(fault.JobRaceLost, "the job is known")
		}
		w.taken[versionKey(j.Object)], w.jobs[j.ID] = j.ID, j
		return nil
	})
}

// Repeat fits workflow.Arrivals.
func (w *World) Repeat(ctx context.Context, o job.Object, id job.ID) error {
	return w.pass(ctx, "note the object version", func() error {
		if w.taken[versionKey(o)] == "" {
			w.taken[versionKey(o)] = id
		}
		return nil
	})
}

// TakenIn fits workflow.Arrivals.
func (w *World) TakenIn(ctx context.Context, o job.Object) (id job.ID, err error) {
	err = w.pass(ctx, "look for the object version", func() error {
		id = w.taken[versionKey(o)]
		return nil
	})
	return id, err
}

// Reservation fits workflow.Arrivals.
func (w *World) Reservation(ctx context.Context, key string) (r job.Reservation, err error) {
	err = w.pass(ctx, "read reservation", func() error {
		var ok bool
		if r, ok = w.reserved[key]; !ok {
			return fault.New(fault.JobNotFound, "nothing is reserved")
		}
		return nil
	})
	return r, err
}

// Reserve announces an upload.
func (w *World) Reserve(r job.Reservation) { w.reserved[r.Key] = r }

// Paused fits workflow.Pipeline.
func (w *World) Paused(ctx context.Context) (paused bool, err error) {
	err = w.pass(ctx, "read pipeline", func() error { paused = w.paused; return nil })
	return paused, err
}

// Pause turns the switch.
func (w *World) Pause(on bool) { w.paused = on }

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

// Lease fits workflow.Passes.
func (w *World) Lease(ctx context.Context, name, owner string, now, until time.Time) (p job.Pass, err error) {
	err = w.pass(ctx, "lease pass", func() error {
		if p = w.passes[name]; now.Before(p.Until) {
			return fault.New(fault.JobRaceLost, "the pass is leased")
		}
		p.Name, p.Owner, p.Until, p.Fence = name, owner, until, p.Fence+1
		w.passes[name] = p
		return nil
	})
	return p, err
}

// SavePass fits workflow.Passes.
func (w *World) SavePass(ctx context.Context, p job.Pass) error {
	return w.pass(ctx, "save pass", func() error {
		if w.passes[p.Name].Fence != p.Fence {
			return fault.New(fault.JobRaceLost, "the pass was leased again")
		}
		w.passes[p.Name] = p
		return nil
	})
}

// Oldest fits workflow.Index.
func (w *World) Oldest(ctx context.Context, s job.Status, after string) iter.Seq2[job.Row, error] {
	var rows []job.Row
	err := w.pass(ctx, "list "+string(s), func() error { rows = w.rows(s, after); return nil })
	return func(yield func(job.Row, error) bool) {
		if err != nil {
			yield(job.Row{}, err)
			return
		}
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (w *World) rows(s job.Status, after string) (rows []job.Row) {
	for _, j := range w.jobs {
		r := job.Row{ID: j.ID, Status: j.Status, Since: j.Since, ClaimUntil: j.Claim.Until,
			Position: j.Since.UTC().Format("2006-01-02T15:04:05.000Z") + "#" + string(j.ID)}
		if j.Status == s && r.Position > after {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b job.Row) int { return cmp.Compare(a.Position, b.Position) })
	return rows
}

// Jobs are all jobs, oldest first, past the gate.
func (w *World) Jobs() []job.Job {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.SortedFunc(maps.Values(w.jobs), func(a, b job.Job) int { return cmp.Compare(a.ID, b.ID) })
}

func versionKey(o job.Object) string { return o.Bucket + "/" + o.Key + "#" + o.VersionID }
