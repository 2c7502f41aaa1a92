package simulation

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// skewed is how far clocks can be apart: one ahead, one behind.
const skewed = 2 * time.Minute

// watcher holds every step against the promises.
type watcher struct {
	s      *simulation
	jobs   map[job.ID]job.Job // as they last were
	asked  map[job.ID]int     // signatures that the key was asked for
	handed map[string]int     // signatures that were handed over, by document and action
	owners map[string]*invocation
	// signers are the jobs whose signatures Lacuna Signer has accepted, by action.
	signers map[string]job.ID
	prints  map[string]imprint // of outputs
	gone    map[job.ID]bool    // jobs whose records were deleted
	forgot  time.Time          // when the last of them was
	broken  []string
}

// imprint tells outputs apart.
type imprint struct {
	owner job.ID
	sum   [sha256.Size]byte
}

func newWatcher(s *simulation) *watcher {
	return &watcher{s: s, jobs: map[job.ID]job.Job{}, asked: map[job.ID]int{}, handed: map[string]int{}, owners: map[string]*invocation{},
		signers: map[string]job.ID{}, prints: map[string]imprint{}, gone: map[job.ID]bool{}}
}

// breaks notes a promise that was broken.
func (w *watcher) breaks(format string, args ...any) {
	w.broken = append(w.broken, fmt.Sprintf(format, args...))
}

// sends judges a call that leaves, by what was stored before.
func (w *watcher) sends(i *invocation, name string) {
	stored := w.jobs[i.job]
	switch name {
	case "ask the key":
		if w.asked[i.job]++; w.asked[i.job] > 1 {
			w.breaks("the key is asked %d times for one job", w.asked[i.job])
		}
		w.wantsMark(stored, name)
	case "create document":
		w.wantsMark(stored, name)
	case "hand the signature over":
		w.handsOver(stored)
	case "read pipeline":
		i.paused = w.s.pausedNow()
	case "read document":
		if i.kind == "poll" && i.paused {
			w.breaks("the poll asks about a document, and had read that the pipeline is paused")
		}
	}
}

func (w *watcher) handsOver(stored job.Job) {
	pair := stored.Remote.DocumentID + "#" + stored.Remote.ActionID
	w.handed[pair]++
	if n := w.retries(stored); w.handed[pair] > 1+n {
		w.breaks("%d signatures are handed over for one action, which an operator had retried %d times", w.handed[pair], n)
	}
	if stored.Status != job.Verifying {
		w.breaks("a signature is handed over while its job is %s", stored.Status)
	}
}

func (w *watcher) wantsMark(j job.Job, what string) {
	if j.Marked.IsZero() {
		w.breaks("%s, and its job (%s) is not marked", what, j.Status)
	}
}

// retries counts how often an operator had the work of a job tried again.
func (w *watcher) retries(about job.Job) (n int) {
	for _, j := range w.jobs {
		if j.ParentID != "" && sameAction(j, about) {
			n++
		}
	}
	return n
}

// look compares the world with what it was before the last move.
func (w *watcher) look() {
	w.s.jobs = w.s.world.Jobs()
	for _, j := range w.s.jobs {
		before, known := w.jobs[j.ID]
		if known && before.Version == j.Version {
			continue
		}
		w.jobs[j.ID] = j
		w.claimed(before, j)
		if !known {
			w.born(j)
			continue
		}
		w.stepped(before, j)
	}
	w.forgets()
	w.outputs()
	w.inputs()
	w.documents()
}

// claimed notes who has a job.
func (w *watcher) claimed(before, j job.Job) {
	i := w.s.mover
	if i == nil || j.Claim.Owner == "" || j.Claim.Owner == before.Claim.Owner {
		return
	}
	i.job, w.owners[j.Claim.Owner] = j.ID, i
	if i.paused {
		w.breaks("%s claims a job, and had read that the pipeline is paused", i.kind)
	}
}

// born judges a new job: nothing has two jobs unless an operator asked for it, and never two that are at work.
func (w *watcher) born(j job.Job) {
	for id, other := range w.jobs {
		about := sameAction
		if j.Method != profile.SignerFolder {
			about = sameObject
		}
		if id == j.ID || !about(j, other) {
			continue
		}
		_, there := w.s.stored(id)
		if asked := j.ParentID != "" || j.Source == job.Rescan; !asked || there && !other.Status.Final() {
			w.breaks("what has a job (%s) gets another (%s)", other.Status, j.Source)
		}
	}
	w.named(j)
}

// named judges that a file whose name another has makes no job that could sign it, unless an operator asked for it.
func (w *watcher) named(j job.Job) {
	if !w.s.scenario.oneName || j.ParentID != "" || j.Status == job.Failed {
		return
	}
	for _, other := range w.s.jobs {
		same := other.ID != j.ID && other.Folder == j.Folder && strings.EqualFold(other.FileName, j.FileName)
		if same && other.Status != job.Failed && other.Status != job.Canceled {
			w.breaks("the name %s has two jobs, one of which is %s", j.FileName, other.Status)
		}
	}
}

func sameAction(a, b job.Job) bool {
	return a.Remote.DocumentID == b.Remote.DocumentID && a.Remote.ActionID == b.Remote.ActionID
}

func sameObject(a, b job.Job) bool { return a.Object.VersionID == b.Object.VersionID }

// stepped judges a write of a job.
func (w *watcher) stepped(before, j job.Job) {
	if j.Version != before.Version+1 {
		w.breaks("a job goes from version %d to %d: a write was overwritten", before.Version, j.Version)
	}
	if j.Status != before.Status && !job.CanStep(j.Method, before.Status, j.Status) {
		w.breaks("a job goes from %s to %s", before.Status, j.Status)
	}
	w.history(before, j)
	if j.Status == job.Queued && before.Status != job.Queued && (w.asked[j.ID] > 0 || len(w.s.signer.Dispatched()[j.ID]) > 0) {
		w.breaks("a job is queued again past its key")
	}
	holder, owner := w.owners[before.Claim.Owner], before.Claim.Owner
	taken := owner != "" && j.Claim.Owner != owner && holder != w.s.mover && j.Status != job.Canceled
	if taken && time.Until(before.Claim.Until) > skewed {
		w.breaks("a claim of %s is ended %s before its end", holder.kind, time.Until(before.Claim.Until))
	}
	if j.Status == job.Failed && j.Code == "" {
		w.breaks("a job fails without a code")
	}
}

// history judges that a history only grows.
func (w *watcher) history(before, j job.Job) {
	n := len(before.History)
	if len(j.History) <= n || !slices.Equal(j.History[:n], before.History) {
		w.breaks("a job's history is rewritten")
		return
	}
	for _, e := range j.History[n:] {
		if e.ID == "" || before.Wrote(e.ID) || e.Time.Add(skewed).Before(before.Last().Time) {
			w.breaks("a job's history has an entry without an id or a time of its own")
		}
	}
}

// documents judges that a job has one document at Lacuna Signer.
func (w *watcher) documents() {
	for _, all := range w.s.signer.Dispatched() {
		if len(all) > 1 {
			w.breaks("a job has %d documents at Lacuna Signer", len(all))
		}
	}
	for _, d := range w.s.signer.Documents {
		for action, n := range d.Accepted {
			if n > 1 {
				w.breaks("an action is signed %d times", n)
			}
			if _, known := w.signers[action]; !known && w.s.mover != nil {
				w.signers[action] = w.s.mover.job
			}
		}
	}
}

// digest hashes what the watcher knows and the world does not tell.
func (w *watcher) digest() uint64 {
	d := digest{}
	for _, id := range slices.Sorted(maps.Keys(w.jobs)) {
		d.number(uint64(w.asked[id]))
	}
	for _, pair := range slices.Sorted(maps.Keys(w.handed)) {
		d.number(uint64(w.handed[pair]))
	}
	d.time(w.forgot)
	return d.sum
}

// unfound are the documents that wait in a folder and have had no job.
func (w *watcher) unfound() (left []string) {
	for id, d := range w.s.signer.Documents {
		known := d.Status != job.SignerPending || !found(d)
		for _, j := range w.jobs {
			known = known || j.Remote.DocumentID == id
		}
		if !known {
			left = append(left, id)
		}
	}
	return left
}
