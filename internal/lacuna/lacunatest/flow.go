package lacunatest

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// addDocument creates a document as a person does.
func (s *Signer) addDocument(in Document, f *folder, now time.Time) *document {
	if in.MIME == "" {
		in.MIME = "application/pdf"
	}
	if in.Content == nil {
		in.Content = samplePDF()
	}
	d := &document{
		name: in.Name, fileName: in.FileName, mime: in.MIME, folder: f, forceCades: in.ForceCades,
		creator: s.somebody(), ends: in.Expires.UTC(), original: s.blob(in.Content),
	}
	for _, a := range in.Actions {
		d.actions = append(d.actions, s.newAction(a))
	}
	s.insert(d, now)
	return d
}

func (s *Signer) newAction(in Action) *action {
	a := &action{kind: cmp.Or(in.Type, TypeSigner), step: cmp.Or(in.Step, 1), user: s.user(in.Participant)}
	for _, m := range in.Members {
		a.members = append(a.members, s.user(m))
	}
	return a
}

// insert gives a document its ids and begins its flow.
func (s *Signer) insert(d *document, now time.Time) {
	s.serial++
	d.serial, d.id, d.key, d.created, d.updated = s.serial, newID(), newKey(), now, now
	if d.name == "" {
		d.name = fmt.Sprintf("Documento %d", d.serial)
	}
	if d.fileName == "" {
		d.fileName = d.name + extension(d.mime)
	}
	d.file = s.newContent(d)
	slices.SortStableFunc(d.actions, func(a, b *action) int { return cmp.Compare(a.step, b.step) })
	for _, a := range d.actions {
		a.id, a.status, a.created, a.updated = newID(), Created, now, now
	}
	s.docs[d.id], s.keys[d.key] = d, d
	s.shelve(d)
	s.turn(d, Pending, now)
	s.announce(event{kind: eventCreated, docs: []*document{d}}, now)
	s.wake(d, now)
	if !d.ends.IsZero() {
		s.later(d.ends, func(at time.Time) { s.expireIfPending(d, at) })
	}
}

// later has something done at a time, and lets Run know.
func (s *Signer) later(at time.Time, do func(at time.Time)) {
	s.agenda.at(at, do)
	s.post.ring()
}

// turn gives a document a status.
func (s *Signer) turn(d *document, status string, now time.Time) {
	d.status, d.updated = status, now
	s.reshelve(d)
}

// wake makes the lowest step that is not finished pending.
func (s *Signer) wake(d *document, now time.Time) {
	step, found := 0, false
	for _, a := range d.actions { // in order of steps
		if a.status == Completed || found && a.step != step {
			continue
		}
		step, found = a.step, true
		if a.status == Created {
			a.status, a.pending, a.updated = Pending, now, now
			s.ask(d, a, now)
		}
	}
}

// ask has the person of an action decide what to do.
func (s *Signer) ask(d *document, a *action, now time.Time) {
	if s.o.People == nil {
		return
	}
	reply := s.o.People(Waiting{d.id, d.name, d.folder.identifier(), a.id, a.kind, a.user.Participant})
	if reply.Do == Wait {
		return
	}
	s.later(now.Add(reply.After), func(at time.Time) {
		if d.status != Pending || a.status != Pending || s.docs[d.id] != d {
			return
		}
		if reply.Do == Refuse {
			s.refuseAction(d, a, reply.Reason, at)
			return
		}
		if err := s.carryOutFirst(d, a, at); err != nil {
			s.refuseAction(d, a, "It cannot be signed: "+err.Error(), at)
		}
	})
}

// carryOut has a person sign or approve.
func (s *Signer) carryOut(d *document, a *action, identifier string, now time.Time) error {
	a.user, _ = a.who(identifier)
	if signs(a) {
		if err := d.file.sign(a.user.Participant, now); err != nil {
			return fmt.Errorf("document %s cannot be signed: %w", d.id, err)
		}
	}
	s.finish(d, a, now)
	return nil
}

func (s *Signer) carryOutFirst(d *document, a *action, now time.Time) error {
	return s.carryOut(d, a, "", now)
}

// finish completes an action that was done, and moves the flow on.
func (s *Signer) finish(d *document, a *action, now time.Time) {
	a.status, a.updated, d.updated = Completed, now, now
	kind, field := eventApproved, "approval"
	if signs(a) {
		kind, field = eventSigned, "signature"
		a.accepted++
	}
	s.announce(event{kind: kind, docs: []*document{d}, extra: map[string]any{field: deed(a, now)}}, now)
	if slices.ContainsFunc(d.actions, func(a *action) bool { return a.status != Completed }) {
		s.wake(d, now)
		return
	}
	s.turn(d, FlowConcluded, now)
	if s.o.Concluding <= 0 {
		s.conclude(d, now)
		return
	}
	s.later(now.Add(s.o.Concluding), func(at time.Time) {
		if d.status == FlowConcluded {
			s.conclude(d, at)
		}
	})
}

func (s *Signer) conclude(d *document, now time.Time) {
	s.turn(d, Concluded, now)
	s.announce(event{kind: eventConcluded, docs: []*document{d}}, now)
}

// refuseAction has a participant refuse a document.
func (s *Signer) refuseAction(d *document, a *action, reason string, now time.Time) {
	a.status, a.refusal, a.updated = Refused, reason, now
	d.by, d.reason = &agent{a.user.id, "User", text(a.user.Name)}, reason
	extra := deed(a, now)
	extra["reason"] = text(reason)
	s.turn(d, Refused, now)
	s.announce(event{kind: eventRefused, docs: []*document{d}, extra: map[string]any{"refusal": extra}}, now)
}

// refuseWhole has the application, or a person who is no participant, refuse a document.
func (s *Signer) refuseWhole(d *document, reason string, by agent, now time.Time) {
	d.by, d.reason = &by, reason
	s.turn(d, Refused, now)
	refusal := map[string]any{
		"flowActionId": nil, "reason": text(reason), "date": date(now), "userId": by.ID, "name": by.Name, "identifier": nil, "emailAddress": nil,
	}
	s.announce(event{kind: eventRefused, docs: []*document{d}, extra: map[string]any{"refusal": refusal}}, now)
}

func (s *Signer) cancelDocument(d *document, reason string, by agent, now time.Time) {
	d.by, d.reason = &by, reason
	s.turn(d, Canceled, now)
	s.announce(event{kind: eventCanceled, docs: []*document{d}, extra: map[string]any{"canceledBy": by, "reason": text(reason)}}, now)
}

func (s *Signer) expireIfPending(d *document, now time.Time) {
	if d.status == Pending && s.docs[d.id] == d {
		s.expire(d, now)
	}
}

func (s *Signer) expire(d *document, now time.Time) {
	if d.ends.IsZero() {
		d.ends = now
	}
	s.turn(d, Expired, now)
	s.announce(event{kind: eventExpired, docs: []*document{d}, extra: map[string]any{
		"expirationDate": date(d.ends), "expirationDateWithoutTime": d.ends.In(instanceZone()).Format(time.DateOnly),
	}}, now)
}

func (s *Signer) move(d *document, f *folder, now time.Time) {
	s.unshelve(d)
	d.folder, d.updated = f, now
	s.shelve(d)
	s.reshelve(d)
}

func (s *Signer) deleteDocument(d *document, action string, now time.Time) {
	d.updated = now
	s.unshelve(d)
	delete(s.docs, d.id)
	delete(s.keys, d.key)
	s.announce(event{kind: eventDeleted, docs: []*document{d}, extra: map[string]any{"action": action}}, now)
}

// extension is the ending of a file's name.
func extension(mime string) string {
	switch {
	case mime == "application/pdf":
		return ".pdf"
	case strings.HasSuffix(mime, "/xml"):
		return ".xml"
	case strings.HasPrefix(mime, "text/"):
		return ".txt"
	}
	return "." + path.Base(mime)
}
