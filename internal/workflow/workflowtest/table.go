package workflowtest

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
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
func (w *World) TakeIn(ctx context.Context, j job.Job, n job.NameClaim) error {
	return w.pass(ctx, "take in", func() error { return w.takeIn(j, "", n) })
}

// Retake fits workflow.Arrivals.
func (w *World) Retake(ctx context.Context, j job.Job, latest job.ID, n job.NameClaim) error {
	return w.pass(ctx, "retake", func() error { return w.takeIn(j, latest, n) })
}

func (w *World) takeIn(j job.Job, latest job.ID, n job.NameClaim) error {
	if w.taken[versionKey(j.Object)] != latest {
		return fault.New(fault.JobRaceLost, "the object version has another job")
	}
	if _, known := w.jobs[j.ID]; known {
		return fault.New(fault.JobRaceLost, "the job is known")
	}
	name := nameKey(j.Folder, j.FileName)
	if n.Keep && w.names[name] != n.Held {
		return fault.New(fault.JobRaceLost, "the name is another's")
	}
	if n.Keep {
		w.names[name] = j.ID
	}
	w.taken[versionKey(j.Object)], w.jobs[j.ID] = j.ID, j
	return nil
}

// NameHolder fits workflow.Arrivals.
func (w *World) NameHolder(ctx context.Context, folder, name string) (id job.ID, err error) {
	err = w.pass(ctx, "look for the name", func() error { id = w.names[nameKey(folder, name)]; return nil })
	return id, err
}

func nameKey(folder, name string) string { return folder + "/" + strings.ToLower(name) }

// Remove fits workflow.Jobs.
func (w *World) Remove(ctx context.Context, id job.ID) error {
	return w.pass(ctx, "remove job", func() error { delete(w.jobs, id); return nil })
}

// CreatedBefore fits workflow.Jobs.
func (w *World) CreatedBefore(ctx context.Context, before time.Time, after string) iter.Seq2[job.Row, error] {
	var rows []job.Row
	err := w.pass(ctx, "list old jobs", func() error {
		for _, id := range slices.Sorted(maps.Keys(w.jobs)) {
			if j := w.jobs[id]; j.CreatedAt.Before(before) && string(id) > after {
				rows = append(rows, job.Row{ID: id, Status: j.Status, Position: string(id)})
			}
		}
		return nil
	})
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

// Refuse fits workflow.Arrivals.
func (w *World) Refuse(ctx context.Context, o job.Object, c fault.Code) (first bool, err error) {
	err = w.pass(ctx, "refuse object", func() error {
		first = w.refused[versionKey(o)] == ""
		w.refused[versionKey(o)] = c
		return nil
	})
	return first, err
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
	err = w.pass(ctx, "read pipeline", func() error { paused = w.pipeline.Paused; return nil })
	return paused, err
}

// Pause turns the switch.
func (w *World) Pause(on bool) { w.pipeline.Paused = on }

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
		r := job.Row{ID: j.ID, Status: j.Status, Since: j.Since, ClaimUntil: j.Claim.Until, DocumentID: j.Remote.DocumentID,
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

// Records tells whose an object version, a name, a pair or a document is, past the gate.
func (w *World) Records() map[string]job.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[string]job.ID{}
	for kind, records := range map[string]map[string]job.ID{"version ": w.taken, "name ": w.names, "pair ": w.discovered, "document ": w.dispatched} {
		for key, id := range records {
			all[kind+key] = id
		}
	}
	return all
}

func versionKey(o job.Object) string { return o.Bucket + "/" + o.Key + "#" + o.VersionID }

// SaveDispatched fits workflow.Jobs.
func (w *World) SaveDispatched(ctx context.Context, j job.Job) error {
	return w.pass(ctx, "save dispatched job", func() error {
		if w.jobs[j.ID].Version != j.Version-1 {
			return fault.New(fault.JobRaceLost, "job %s is no longer at version %d", j.ID, j.Version-1)
		}
		w.jobs[j.ID], w.dispatched[j.Remote.DocumentID] = j, j.ID
		return nil
	})
}

// DispatchedJob fits workflow.Jobs.
func (w *World) DispatchedJob(ctx context.Context, documentID string) (id job.ID, err error) {
	err = w.pass(ctx, "look for the document's job", func() error { id = w.dispatched[documentID]; return nil })
	return id, err
}

// Retry fits workflow.Jobs.
func (w *World) Retry(ctx context.Context, parent, child job.Job, latest job.ID, request job.IdempotencyKey) error {
	return w.pass(ctx, "retry job", func() error {
		records, key := w.taken, versionKey(child.Object)
		if child.Method == profile.SignerFolder {
			records, key = w.discovered, pairKey(child.Remote.DocumentID, child.Remote.ActionID)
		}
		_, known := w.jobs[child.ID]
		if known || w.jobs[parent.ID].Version != parent.Version-1 || records[key] != latest {
			return fault.New(fault.JobRaceLost, "job %s or its record moved", parent.ID)
		}
		w.jobs[parent.ID], w.jobs[child.ID], records[key] = parent, child, child.ID
		if request != "" {
			w.answers[request] = child.ID
		}
		if name := nameKey(child.Folder, child.FileName); w.names[name] == latest {
			w.names[name] = child.ID
		}
		return nil
	})
}

// Answered fits workflow.Jobs.
func (w *World) Answered(ctx context.Context, key job.IdempotencyKey) (id job.ID, err error) {
	err = w.pass(ctx, "look for the answer", func() error { id = w.answers[key]; return nil })
	return id, err
}

// pairKey names a document and an action.
func pairKey(documentID, actionID string) string { return documentID + "#" + actionID }

// State fits workflow.Pipeline.
func (w *World) State(ctx context.Context) (p job.Pipeline, err error) {
	err = w.pass(ctx, "read switch", func() error { p = w.pipeline; return nil })
	return p, err
}

// Turn fits workflow.Pipeline.
func (w *World) Turn(ctx context.Context, p job.Pipeline) error {
	return w.pass(ctx, "turn switch", func() error {
		if w.pipeline.Version != p.Version-1 {
			return fault.New(fault.PipelineRaceLost, "somebody else turned the switch")
		}
		w.pipeline = p
		return nil
	})
}

// Pass fits workflow.Passes.
func (w *World) Pass(ctx context.Context, name string) (p job.Pass, err error) {
	err = w.pass(ctx, "read pass", func() error { p = w.passes[name]; return nil })
	return p, err
}
