package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"bulksigner/internal/job"
	"bulksigner/internal/lacuna"
	"bulksigner/internal/lacuna/lacunatest"
)

// broken says which promises the service has broken, with all that is known of the job. Of a run that was ended early only
// that counts which no time can mend.
func (s snapshot) broken() (all []string) {
	for _, check := range []func(snapshot) []string{
		snapshot.oneJobEach, snapshot.allEnded, snapshot.inputsAndOutputs, snapshot.outputsHaveJobs, snapshot.oneDocumentEach,
		snapshot.signedOnce, snapshot.signedAtLacuna, snapshot.allVerified,
	} {
		all = append(all, check(s)...)
	}
	return all
}

// chains are the jobs of each thing, the one that was first and those that retry it.
func (s snapshot) chains() map[string][]row {
	by := map[string][]row{}
	for _, r := range s.jobs {
		by[r.key()] = append(by[r.key()], r)
	}
	return by
}

// latest is the job of a chain that nobody has tried again.
func latest(chain []row) row {
	parents := map[job.ID]bool{}
	for _, r := range chain {
		if r.ParentID != nil {
			parents[*r.ParentID] = true
		}
	}
	for _, r := range chain {
		if !parents[r.ID] {
			return r
		}
	}
	return row{}
}

// oneJobEach: everything has one job, and one more for each retry.
func (s snapshot) oneJobEach() (out []string) {
	chains := s.chains()
	for key := range s.items {
		if len(chains[key]) == 0 && !s.early {
			out = append(out, fmt.Sprintf("%s has no job", key))
		}
	}
	for key, chain := range chains {
		if _, known := s.items[key]; !known {
			out = append(out, fmt.Sprintf("a job is about %q, which nobody brought: %s", key, tell(chain[0])))
		}
		firsts, children := 0, map[job.ID]int{}
		for _, r := range chain {
			if r.ParentID == nil {
				firsts++
			} else {
				children[*r.ParentID]++
			}
		}
		if firsts != 1 {
			out = append(out, fmt.Sprintf("%s has %d jobs that retry none: %s", key, firsts, tell(chain...)))
		}
		for parent, n := range children {
			if n > 1 {
				out = append(out, fmt.Sprintf("job %s was tried again %d times: %s", parent, n, tell(chain...)))
			}
		}
	}
	return out
}

// allEnded: every job is at its end, or waits for somebody who never comes.
func (s snapshot) allEnded() (out []string) {
	if s.early {
		return nil
	}
	for _, r := range s.jobs {
		if !r.ended() && !(r.Status == job.AwaitingSigner && s.items[r.key()].stays()) {
			out = append(out, "has not ended: "+tell(r))
		}
	}
	return out
}

// held are the codes of Completed jobs whose input is still there, and for a reason.
var held = []string{"job.input-held", "job.input-diverged"}

// inputsAndOutputs: what is Completed has its output, and its input is gone; what is not has its input.
func (s snapshot) inputsAndOutputs() (out []string) {
	for key, chain := range s.chains() {
		r := latest(chain)
		if !slices.Contains([]kind{files, uploads, dispatches}, s.items[key].kind) || s.early && !r.ended() {
			continue // there is no input, or it is being dealt with
		}
		there := s.inputs[r.OriginalPath]
		switch {
		case r.Status != job.Completed && !there:
			out = append(out, "the input is gone: "+tell(r))
		case r.Status == job.Completed && there && !slices.Contains(held, r.ErrorCode):
			out = append(out, "the input is still there: "+tell(r))
		case r.Status == job.Completed && !s.outputs[r.OutputKey]:
			out = append(out, "there is no output: "+tell(r))
		}
	}
	return out
}

// outputsHaveJobs: every output is that of one Completed job. It comes before its job has ended.
func (s snapshot) outputsHaveJobs() (out []string) {
	of := map[string][]row{}
	for _, r := range s.jobs {
		if r.Status == job.Completed && r.OutputKey != "" {
			of[r.OutputKey] = append(of[r.OutputKey], r)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.outputs)) {
		if n := len(of[key]); n != 1 && !(n == 0 && s.early) {
			out = append(out, fmt.Sprintf("output %s is that of %d jobs: %s", key, n, tell(of[key]...)))
		}
	}
	return out
}

// oneDocumentEach: no job has had two documents created at Lacuna Signer.
func (s snapshot) oneDocumentEach() (out []string) {
	jobs, created := map[string]row{}, map[string]int{}
	for _, r := range s.jobs {
		jobs[string(r.ID)] = r
	}
	for _, d := range s.remote {
		id := d.Tags[lacuna.TagLabel]
		if id == "" {
			continue // somebody else created it
		}
		if _, known := jobs[id]; !known && !s.early {
			out = append(out, fmt.Sprintf("document %s at Lacuna Signer is of job %s, which there is not", d.ID, id))
		}
		if created[id]++; created[id] == 2 {
			out = append(out, "has two documents at Lacuna Signer: "+tell(jobs[id]))
		}
	}
	return out
}

// signedOnce: no action of a document has had two signatures.
func (s snapshot) signedOnce() (out []string) {
	for _, d := range s.remote {
		for _, a := range d.Actions {
			if a.Accepted > 1 {
				out = append(out, fmt.Sprintf("document %s, action %s: %d signatures were accepted: %s", d.ID, a.ID, a.Accepted, tell(s.chains()[d.Name]...)))
			}
		}
	}
	return out
}

// signedAtLacuna: what is Completed at Lacuna Signer has all its signatures.
func (s snapshot) signedAtLacuna() (out []string) {
	for _, r := range s.jobs {
		if s.items[r.key()].kind != documents || r.Status != job.Completed {
			continue
		}
		for _, d := range s.remote {
			if d.ID == r.DocumentID && d.Status != lacunatest.Concluded {
				out = append(out, fmt.Sprintf("is Completed, and its document is %s: %s", d.Status, tell(r)))
			}
		}
	}
	return out
}

// allVerified: outputs are good.
func (s snapshot) allVerified() (out []string) {
	for _, r := range s.jobs {
		if err := s.verified[r.ID]; err != nil {
			out = append(out, fmt.Sprintf("the output is not good (%v): %s", err, tell(r)))
		}
	}
	return out
}

// tell writes jobs down with their histories.
func tell(jobs ...row) string {
	var b strings.Builder
	for _, r := range jobs {
		fmt.Fprintf(&b, "\n    job %s, %s, profile %s, %s %s, document %s", r.ID, r.key(), r.ProfileName, r.Status, r.ErrorCode, r.DocumentID)
		for _, e := range r.History {
			fmt.Fprintf(&b, "\n      %s %s %s %s", e.Timestamp.Format("15:04:05.000"), e.Status, e.Code, e.Message)
		}
	}
	return b.String()
}
