package lacunatest

import (
	"time"
)

// Types of events that follow from what happens to documents.
const (
	eventCreated   = "DocumentsCreated"
	eventSigned    = "DocumentSigned"
	eventApproved  = "DocumentApproved"
	eventRefused   = "DocumentRefused"
	eventConcluded = "DocumentConcluded"
	eventCanceled  = "DocumentCanceled"
	eventExpired   = "DocumentExpired"
	eventDeleted   = "DocumentDeleted"
)

// event is something that happened to documents. Its body is built when it is sent, of the documents as they are then.
type event struct {
	kind  string
	docs  []*document
	extra map[string]any // what the type has beside the documents' common fields
}

// states are the events that are dropped when the document has left the state that they tell of.
var states = map[string]string{eventConcluded: Concluded, eventCanceled: Canceled, eventExpired: Expired}

// body is the event's JSON, or false if there is nothing to tell any longer. s.mu is held.
func (e event) body(s *Signer) ([]byte, bool) {
	data := map[string]any{}
	for k, v := range e.extra {
		data[k] = v
	}
	switch {
	case e.kind == eventCreated || e.kind == eventDeleted:
		all := []information{}
		for _, d := range e.docs {
			all = append(all, s.information(d))
		}
		data["documents"] = all
	case len(e.docs) == 1:
		d := e.docs[0]
		if want, ok := states[e.kind]; ok && d.status != want || s.docs[d.id] == nil {
			return nil, false
		}
		s.information(d).into(data)
	}
	return encode(map[string]any{"type": e.kind, "data": data}), true
}

// deed is what an event tells of an action that was done.
func deed(a *action, now time.Time) map[string]any {
	return map[string]any{
		"flowActionId": a.id, "date": date(now), "userId": a.user.id, "name": text(a.user.Name),
		"identifier": text(a.user.Identifier), "emailAddress": text(a.user.Email),
	}
}
