package simulation

import (
	"slices"
	"strings"

	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// atRest holds a world that has come to rest against the promises.
func (w *watcher) atRest() {
	for _, j := range w.s.jobs {
		switch {
		case j.Claim.Owner != "":
			w.breaks("a job that has ended (%s) is still claimed", j.Status)
		case j.Status == job.Completed && j.Method == profile.SignerFolder:
			w.signedThere(j)
		case j.Status == job.Completed:
			w.done(j)
		case j.Status == job.Failed:
			w.honest(j)
		}
		w.leftOnce(j)
	}
}

// restless tells of what does not end.
func (w *watcher) restless() {
	for _, j := range w.s.jobs {
		if !j.Status.Final() {
			w.breaks("a job does not end: it is %s, and its history ends with %q", j.Status, j.Last().Message)
		}
	}
	for _, o := range w.untaken() {
		w.breaks("the file %s is not taken in", o.Key)
	}
	for range w.unfound() {
		w.breaks("a document that waits in a folder is not found")
	}
	if len(w.broken) == 0 {
		w.breaks("the world does not come to rest after %d moves", w.s.points)
	}
}

// done judges a completed job of a file: its output is there, and its input is gone or said to stay.
func (w *watcher) done(j job.Job) {
	if !w.published(j) {
		w.breaks("a job is Completed without its output")
	}
	if now, visible := w.s.world.Visible(j.Object.Key); visible && now.VersionID == j.Object.VersionID && !harmless[j.Code] {
		w.breaks("a job is Completed, and its input is still there")
	}
}

// signedThere judges a completed job of a document in a folder: the action is done there. By whom is Lacuna Signer's word,
// where the run died that handed the signature over.
func (w *watcher) signedThere(j job.Job) {
	d := w.s.signer.Documents[j.Remote.DocumentID]
	done := d != nil && slices.ContainsFunc(d.Actions, func(a job.FlowAction) bool { return a.ID == j.Remote.ActionID && a.Status == job.ActionCompleted })
	if !done {
		w.breaks("a job is Completed, and its action at Lacuna Signer is not")
	}
}

// honest judges what a failed job says: its input is there, and what may have happened is told.
func (w *watcher) honest(j job.Job) {
	if _, visible := w.s.world.Visible(j.Object.Key); j.Object.Key != "" && !visible && w.newest(j.Object) && !w.signed(j.Object) {
		w.breaks("the input of a failed job is gone")
	}
	if _, owner := w.s.world.Output(j.Output.Key); j.Output.Key != "" && owner == j.ID {
		w.breaks("a job is Failed (%s), and its output is published", j.Code)
	}
	told := strings.Contains(j.Error, "may ")
	if len(w.s.signer.Dispatched()[j.ID]) == 1 && j.Remote.DocumentID == "" && !told {
		w.breaks("a document was created, and the failed job does not say that it may exist: %q", j.Error)
	}
	if j.Method == profile.SignerFolder && w.signers[j.Remote.ActionID] == j.ID && !told {
		w.breaks("a signature was accepted, and the failed job does not say that it may have been: %q", j.Error)
	}
}

// leftOnce judges that a job leaves the state in which it waits for a person once.
func (w *watcher) leftOnce(j job.Job) {
	left := 0
	for n := range j.History[1:] {
		if j.History[n].Status == job.AwaitingSigner && j.History[n+1].Status != job.AwaitingSigner {
			left++
		}
	}
	if left > 1 {
		w.breaks("a job has left AwaitingSigner %d times", left)
	}
}
