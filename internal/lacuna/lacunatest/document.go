package lacunatest

import (
	"slices"
	"strings"
	"time"

	"bulksigner/internal/profile"
)

// Statuses of documents.
const (
	Pending       = "Pending"
	Refused       = "Refused"
	FlowConcluded = "FlowConcluded"
	Concluded     = "Concluded"
	Canceled      = "Canceled"
	Expired       = "Expired"
)

// Statuses of actions that documents do not have. Pending and Refused are shared.
const (
	Created   = "Created"
	Completed = "Completed"
)

// Types of actions.
const (
	TypeSigner   = "Signer"
	TypeApprover = "Approver"
	TypeSignRule = "SignRule"
)

// Document is a document that somebody creates at the service.
type Document struct {
	Name       string // a name is made if empty
	FileName   string // follows from Name and MIME if empty
	MIME       string // application/pdf if empty
	Content    []byte // a PDF of one page if nil. It is shared, and must not be changed
	FolderID   string // "" for no folder
	ForceCades bool
	Expires    time.Time // never, if zero
	Actions    []Action
}

// Action is what a participant is to do.
type Action struct {
	Type        string // TypeSigner if empty
	Step        int    // 1 if 0
	Participant profile.Participant
	Members     []profile.Participant // of a rule, which has no Participant
}

// Waiting is an action whose turn has come.
type Waiting struct {
	Document, Name, FolderID string // of the document: id, name, folder
	Action, Type             string // of the action: id, type
	Participant              profile.Participant
}

// Deed is what somebody does with an action.
type Deed int

// The deeds. Wait leaves an action to be acted upon by others.
const (
	Wait Deed = iota
	Sign      // or approve, if the action is an approver's
	Refuse
)

// Reply is what becomes of an action, and how long after its turn has come.
type Reply struct {
	Do     Deed
	After  time.Duration
	Reason string // of a refusal
}

// State is a document as it is now.
type State struct {
	ID, Key, Name, FileName, MIME string
	Status                        string
	Reason                        string // why it was refused or canceled
	FolderID                      string
	ForceCades                    bool
	Tags                          map[string]string // values by label
	Actions                       []ActionState
}

// ActionState is an action as it is now.
type ActionState struct {
	ID, Type, Status string
	Step             int
	Participant      profile.Participant
	Accepted         int // signatures that were accepted: by certificate, or by Sign and the like
}

type document struct {
	serial                 int
	id, key                string
	name, fileName, mime   string
	description            string
	folder                 *folder // nil: none
	status, reason         string
	by                     *agent // who canceled or refused it
	creator                creator
	created, updated, ends time.Time // ends is zero for never
	forceCades             bool
	tags                   []tag
	notified               []string
	actions                []*action
	original               *blob
	file                   *content
}

type action struct {
	id, kind, status, title   string
	step                      int
	user                      user
	members                   []user
	created, pending, updated time.Time
	refusal                   string
	accepted                  int
}

// user is a person with the id that the service gave.
type user struct {
	id string
	profile.Participant
}

func (d *document) action(id string) *action {
	i := slices.IndexFunc(d.actions, func(a *action) bool { return a.id == strings.ToLower(id) })
	if i < 0 {
		return nil
	}
	return d.actions[i]
}

// next is the first pending action that is wanted, or nil.
func (d *document) next(want func(*action) bool) *action {
	i := slices.IndexFunc(d.actions, func(a *action) bool { return a.status == Pending && want(a) })
	if i < 0 {
		return nil
	}
	return d.actions[i]
}

func (d *document) state() State {
	st := State{
		ID: d.id, Key: d.key, Name: d.name, FileName: d.fileName, MIME: d.mime, Status: d.status, Reason: d.reason,
		FolderID: d.folder.identifier(), ForceCades: d.forceCades, Tags: map[string]string{},
	}
	for _, t := range d.tags {
		st.Tags[t.label()] = t.Value
	}
	for _, a := range d.actions {
		st.Actions = append(st.Actions, ActionState{a.id, a.kind, a.status, a.step, a.user.Participant, a.accepted})
	}
	return st
}

// Get describes a document.
func (s *Signer) Get(id string) (State, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now()
	d, ok := s.docs[strings.ToLower(id)]
	if !ok {
		return State{}, false
	}
	return d.state(), true
}

// Documents lists the ids of all documents in order of creation.
func (s *Signer) Documents() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now()
	var ids []string
	for _, d := range s.shelfOf(everywhere).all {
		ids = append(ids, d.id)
	}
	return ids
}

// Accepted is how many signatures were accepted for an action of a document. More than one is never right.
func (s *Signer) Accepted(doc, action string) int {
	st, _ := s.Get(doc)
	for _, a := range st.Actions {
		if a.ID == strings.ToLower(action) {
			return a.Accepted
		}
	}
	return 0
}

// Content returns a document's file with all signatures that it has so far.
func (s *Signer) Content(doc string) ([]byte, error) {
	s.mu.Lock()
	s.now()
	d, err := s.find(doc)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return d.file.bytes()
}
