package lacunatest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// AddFolder makes a folder, below parent unless that is "", and returns its id.
func (s *Signer) AddFolder(name, parent string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.findFolder(parent)
	if err != nil {
		return "", err
	}
	return s.addFolder(name, f).id, nil
}

// RemoveFolder deletes a folder with the documents in it, as a person may.
func (s *Signer) RemoveFolder(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	f, err := s.findFolder(id)
	if err == nil && f != nil {
		s.removeFolder(f, now)
	}
	return err
}

// AddDocument has a person create a document, and returns its id.
func (s *Signer) AddDocument(d Document) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	f, err := s.findFolder(d.FolderID)
	if err != nil {
		return "", err
	}
	return s.addDocument(d, f, now).id, nil
}

// Sign has the participant of the first pending action of a signer, or a member of a rule, sign the document.
func (s *Signer) Sign(doc string) error { return s.act(doc, signs, s.carryOutFirst) }

// SignAs has a participant sign, by CPF.
func (s *Signer) SignAs(doc, identifier string) error {
	mine := func(a *action) bool {
		_, ok := a.who(identifier)
		return ok && signs(a)
	}
	return s.act(doc, mine, func(d *document, a *action, now time.Time) error { return s.carryOut(d, a, identifier, now) })
}

// Approve has the participant of the first pending action of an approver approve.
func (s *Signer) Approve(doc string) error { return s.act(doc, approves, s.carryOutFirst) }

// Refuse has the participant of the first pending action refuse the document.
func (s *Signer) Refuse(doc, reason string) error {
	return s.act(doc, anyAction, func(d *document, a *action, now time.Time) error {
		s.refuseAction(d, a, reason, now)
		return nil
	})
}

// Conclude has everybody do what is left to do, and the service end its work on the document.
func (s *Signer) Conclude(doc string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	d, err := s.find(doc)
	if err != nil {
		return err
	}
	for d.status == Pending {
		a := d.next(anyAction)
		if a == nil {
			return fmt.Errorf("document %s has no pending action", d.id)
		}
		if err := s.carryOutFirst(d, a, now); err != nil {
			return err
		}
	}
	if d.status == FlowConcluded {
		s.conclude(d, now)
	}
	if d.status != Concluded {
		return fmt.Errorf("document %s is %s", d.id, d.status)
	}
	return nil
}

// Cancel has a person cancel a document.
func (s *Signer) Cancel(doc, reason string) error {
	return s.change(doc, func(d *document, now time.Time) error {
		if !cancelable(d.status) {
			return fmt.Errorf("document %s is %s", d.id, d.status)
		}
		s.cancelDocument(d, reason, s.somebody().by("User"), now)
		return nil
	})
}

// Expire has a pending document expire now.
func (s *Signer) Expire(doc string) error {
	return s.change(doc, func(d *document, now time.Time) error {
		if d.status != Pending {
			return fmt.Errorf("document %s is %s", d.id, d.status)
		}
		s.expire(d, now)
		return nil
	})
}

// Move puts a document into another folder, or into none if that is "".
func (s *Signer) Move(doc, folder string) error {
	return s.change(doc, func(d *document, now time.Time) error {
		f, err := s.findFolder(folder)
		if err == nil {
			s.move(d, f, now)
		}
		return err
	})
}

// Delete deletes a document.
func (s *Signer) Delete(doc string) error {
	return s.change(doc, func(d *document, now time.Time) error {
		s.deleteDocument(d, deletedByHand, now)
		return nil
	})
}

// SetStatus gives a document any status, and nothing else happens: for those that nobody knows yet.
func (s *Signer) SetStatus(doc, status string) error {
	return s.change(doc, func(d *document, now time.Time) error {
		s.turn(d, status, now)
		return nil
	})
}

// SetAction gives an action any status, and nothing else happens: as if the flow had been edited.
func (s *Signer) SetAction(doc, action, status string) error {
	return s.change(doc, func(d *document, now time.Time) error {
		a := d.action(action)
		if a == nil {
			return fmt.Errorf("document %s has no action %s", d.id, action)
		}
		a.status, a.updated, d.updated = status, now, now
		return nil
	})
}

// Announce sends a webhook event of any type about a document, as DocumentPaused.
func (s *Signer) Announce(eventType, doc string) error {
	return s.change(doc, func(d *document, now time.Time) error {
		s.announce(event{kind: eventType, docs: []*document{d}}, now)
		return nil
	})
}

// change does something with a document under the lock.
func (s *Signer) change(doc string, do func(*document, time.Time) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	d, err := s.find(doc)
	if err != nil {
		return err
	}
	return do(d, now)
}

// act does something with the first pending action that is wanted.
func (s *Signer) act(doc string, want func(*action) bool, do func(*document, *action, time.Time) error) error {
	return s.change(doc, func(d *document, now time.Time) error {
		a := d.next(want)
		if d.status != Pending || a == nil {
			return fmt.Errorf("document %s is %s and has no such pending action", d.id, d.status)
		}
		return do(d, a, now)
	})
}

func (s *Signer) find(doc string) (*document, error) {
	d, ok := s.docs[strings.ToLower(doc)]
	if !ok {
		return nil, fmt.Errorf("there is no document %s", doc)
	}
	return d, nil
}

// findFolder returns nil for "".
func (s *Signer) findFolder(id string) (*folder, error) {
	f, ok := s.folders[strings.ToLower(id)]
	if id != "" && !ok {
		return nil, fmt.Errorf("there is no folder %s", id)
	}
	return f, nil
}

// who is the person that does an action: its participant, or the member of its rule with the CPF, the first if that is "".
func (a *action) who(identifier string) (user, bool) {
	people := a.members
	if len(people) == 0 {
		people = []user{a.user}
	}
	i := slices.IndexFunc(people, func(u user) bool { return identifier == "" || u.Identifier == identifier })
	if i < 0 {
		return user{}, false
	}
	return people[i], true
}

func signs(a *action) bool     { return a.kind == TypeSigner || a.kind == TypeSignRule }
func approves(a *action) bool  { return a.kind == TypeApprover }
func anyAction(_ *action) bool { return true }
