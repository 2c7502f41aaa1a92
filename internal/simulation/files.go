package simulation

import (
	"bytes"
	"crypto/sha256"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// outputs judges what was published: it is verified, and stays as it is.
func (w *watcher) outputs() {
	for _, key := range w.s.world.OutputKeys() {
		content, owner := w.s.world.Output(key)
		mark := imprint{owner, sha256.Sum256(content)}
		switch before, known := w.prints[key]; {
		case known && before != mark:
			w.breaks("the output %s is overwritten", key)
		case !known && w.jobs[owner].Status.Final():
			w.breaks("the output %s lands after its job has ended %s", key, w.jobs[owner].Status)
		case !known && !w.s.good(content):
			w.breaks("the output %s does not verify, or is not encrypted as it must be", key)
		}
		w.prints[key] = mark
	}
}

// inputs judges that what is gone has been signed.
func (w *watcher) inputs() {
	for _, o := range w.s.scenario.dropped(w.s) {
		if now, visible := w.s.world.Visible(o.Key); visible || now.VersionID != "" {
			continue
		}
		if w.newest(o) && !w.signed(o) {
			w.breaks("the input %s is gone, and no job of it has an output", o.Key)
		}
	}
}

// signed reports whether a job of an object version has its output, though its record may be deleted since.
func (w *watcher) signed(o job.Object) bool {
	for _, j := range w.jobs {
		if j.Object.VersionID == o.VersionID && w.published(j) {
			return true
		}
	}
	return false
}

// newest reports whether no version of an object's key came later.
func (w *watcher) newest(o job.Object) bool {
	for _, other := range w.s.scenario.dropped(w.s) {
		if other.Key == o.Key && other.VersionID > o.VersionID {
			return false
		}
	}
	return true
}

// known reports whether an object version has had a job.
func (w *watcher) known(o job.Object) bool {
	for _, j := range w.jobs {
		if j.Object.VersionID == o.VersionID {
			return true
		}
	}
	return false
}

// published reports whether a job's output is there, with the original beside it where it does not contain it.
func (w *watcher) published(j job.Job) bool {
	content, owner := w.s.world.Output(j.Output.Key)
	if owner != j.ID || len(content) == 0 {
		return false
	}
	if w.s.scenario.beside == "" {
		return true
	}
	beside, _ := w.s.world.Output(w.s.scenario.beside)
	return bytes.Equal(beside, w.s.scenario.content)
}

// untaken are the object versions that are there and have had no job.
func (w *watcher) untaken() (left []job.Object) {
	for _, o := range w.s.scenario.dropped(w.s) {
		now, visible := w.s.world.Visible(o.Key)
		if visible && now.VersionID == o.VersionID && !w.known(o) {
			left = append(left, o)
		}
	}
	return left
}

// harmless are the codes under which a completed job keeps its input.
var harmless = map[fault.Code]bool{fault.JobInputDiverged: true, fault.JobInputHeld: true}
