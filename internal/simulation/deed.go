package simulation

import (
	"context"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow/workflowtest"
)

// deed is something that people do at Lacuna Signer or elsewhere, once. What usually happens does when nobody is at work.
type deed struct {
	name  string
	usual bool
	ready func(s *simulation) bool
	do    func(s *simulation)
}

// deeds are what people can do now, or, for free, what they usually do next.
func (s *simulation) deeds(c cost) (moves []move) {
	for _, d := range s.scenario.deeds {
		if s.acted[d.name] > 0 || c == free && !d.usual || !d.ready(s) {
			continue
		}
		moves = append(moves, move{d.name, c, func() {
			s.acted[d.name]++
			d.do(s)
		}})
	}
	return moves
}

// lift is the operator who does not forget a pause.
var lift = deed{"the pause is lifted", true, (*simulation).pausedNow, func(s *simulation) {
	p, err := s.world.State(context.Background())
	if err != nil {
		return
	}
	p.Version, p.Paused = p.Version+1, false
	_ = s.world.Turn(context.Background(), p) // nobody else turns it in between
}}

// concludes is what a person's signature makes of the document that was sent.
func concludes(name string, usual bool, signed []byte) deed {
	return deed{name, usual, awaits(sent), func(s *simulation) { s.signer.Conclude(s.pending(sent), signed) }}
}

// ends is what becomes of a document that nobody signs.
func ends(name string, usual bool, status job.SignerStatus) deed {
	return deed{name, usual, awaits(sent), func(s *simulation) { s.signer.SetStatus(s.pending(sent), status, "") }}
}

// signsByHand is the holder who signs the waiting document there.
var signsByHand = deed{"the holder signs by hand", false, awaits(found), func(s *simulation) {
	d := s.signer.Documents[s.pending(found)]
	s.signer.Act(d.ID, d.Actions[0].ID, job.ActionCompleted)
}}

// sent and found tell the documents that the service has sent from those that wait in a folder.
func sent(d *workflowtest.Document) bool  { return d.Created.Job != "" }
func found(d *workflowtest.Document) bool { return d.Created.Job == "" }

// awaits asks whether a document of a kind waits at Lacuna Signer.
func awaits(kind func(*workflowtest.Document) bool) func(*simulation) bool {
	return func(s *simulation) bool { return s.pending(kind) != "" }
}

// pending is the oldest document of a kind that waits at Lacuna Signer, or "".
func (s *simulation) pending(kind func(*workflowtest.Document) bool) (first string) {
	for id, d := range s.signer.Documents {
		if d.Status == job.SignerPending && kind(d) && (first == "" || id < first) {
			first = id
		}
	}
	return first
}
