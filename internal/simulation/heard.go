package simulation

import (
	"slices"
	"time"

	"bulksigner/internal/job"
)

// returned judges who has ended by themselves: a write that landed is never taken for one that was lost. Whoever made one
// without hearing of it, and met no other trouble, has ended well and let go of its job.
func (w *watcher) returned(i *invocation) {
	if !i.returned || i.landed == "" || i.troubled || w.forgotten() {
		return
	}
	if i.err != nil {
		w.breaks("%s ends with an error, and all that it missed is that its call to %s had landed", i.kind, i.landed)
	}
	for _, j := range w.s.jobs {
		if j.Claim.Owner != "" && w.owners[j.Claim.Owner] == i {
			w.breaks("%s leaves a job claimed (%s), and all that it missed is that its call to %s had landed", i.kind, j.Status, i.landed)
		}
	}
}

// forgets notes which records have been deleted.
func (w *watcher) forgets() {
	for id := range w.jobs {
		if _, there := w.s.stored(id); !there && !w.gone[id] {
			w.gone[id], w.forgot = true, time.Now()
		}
	}
}

// mayFind reports whether the reconciler has still to pass by a file whose record was deleted.
func (w *watcher) mayFind() bool {
	return !w.forgot.IsZero() && time.Since(w.forgot) < young+searched+apart && slices.ContainsFunc(w.s.files, func(o job.Object) bool {
		now, visible := w.s.world.Visible(o.Key)
		return visible && now.VersionID == o.VersionID
	})
}

// forgotten reports whether an operator has deleted records.
func (w *watcher) forgotten() bool {
	return slices.ContainsFunc(forgetting, func(name string) bool { return w.s.acted[name] > 0 })
}

// Times within which the reconciler takes a file in that nobody told of.
const (
	searched = time.Hour // how often it searches
	young    = 15 * time.Minute
	apart    = time.Minute << longestPause // the time between two ticks
)

// late judges, while nobody is at work, that the reconciler leaves no file untaken. Each departure can cost it one search.
func (w *watcher) late() {
	if len(w.s.alive) > 0 {
		return
	}
	most := young + time.Duration(1+w.s.departed)*(searched+apart)
	for _, o := range w.untaken() {
		if waited := time.Since(o.Modified); waited > most {
			w.breaks("the file %s is not taken in after %s", o.Key, waited)
		}
	}
}
