package lacunatest_test

import (
	"testing"
	"time"

	"bulksigner/internal/lacuna/lacunatest"
)

// statuses are a document's status and those of its actions.
func statuses(s *lacunatest.Server, doc string) []string {
	st := s.State(doc)
	all := []string{st.Status}
	for _, a := range st.Actions {
		all = append(all, a.Status)
	}
	return all
}

func checkStatuses(t *testing.T, s *lacunatest.Server, doc string, want ...string) {
	t.Helper()
	got := statuses(s, doc)
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Errorf("statuses %v, want %v", got, want)
			return
		}
	}
}

const (
	pending, completed, waiting, refused = lacunatest.Pending, lacunatest.Completed, lacunatest.Created, lacunatest.Refused
)

func TestStepsComeInTurn(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := newServer(t, func(o *lacunatest.Options) { o.Now, o.Concluding = c.Now, time.Minute })
	doc := s.AddDocument(lacunatest.Document{Actions: []lacunatest.Action{
		{Step: 3, Participant: maria},
		{Step: 1, Participant: maria}, {Step: 1, Type: lacunatest.TypeApprover, Participant: jose},
		{Step: 2, Type: lacunatest.TypeSignRule, Members: append(waitingFor(jose, "").Actions[0].Members, jose, maria)},
	}})
	checkStatuses(t, s, doc, pending, pending, pending, waiting, waiting)
	s.Sign(doc)
	checkStatuses(t, s, doc, pending, completed, pending, waiting, waiting)
	s.Approve(doc)
	checkStatuses(t, s, doc, pending, completed, completed, pending, waiting)
	s.SignAs(doc, maria.Identifier)
	checkStatuses(t, s, doc, pending, completed, completed, completed, pending)
	s.Sign(doc)
	checkStatuses(t, s, doc, lacunatest.FlowConcluded, completed, completed, completed, completed)
	c.advance(59 * time.Second)
	checkStatuses(t, s, doc, lacunatest.FlowConcluded)
	c.advance(time.Second)
	checkStatuses(t, s, doc, lacunatest.Concluded)
	if n := s.Accepted(doc, s.State(doc).Actions[3].ID); n != 1 {
		t.Errorf("%d signatures accepted, want 1", n)
	}
}

func TestDocumentsExpire(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := newServer(t, func(o *lacunatest.Options) { o.Now = c.Now })
	upload := uploaded(t, s, "text")
	body := dispatch(upload, "a.txt", "text/plain")
	body["expirationDate"] = "2026-12-01T08:00:00Z"
	ask(t, s, "POST", "/api/documents", body)
	doc := s.Documents()[0]
	o := ask(t, s, "GET", "/api/documents/"+doc, nil).object(t)
	if o["expirationDate"] != "2026-12-02T02:59:59.999Z" || o["expirationDateWithoutTime"] != "2026-12-01" {
		t.Errorf("it expires %v, %v", o["expirationDate"], o["expirationDateWithoutTime"])
	}
	c.advance(62*time.Hour + 59*time.Minute)
	checkStatuses(t, s, doc, pending)
	c.advance(time.Minute)
	checkStatuses(t, s, doc, lacunatest.Expired)
}

func TestPeopleActByThemselves(t *testing.T) {
	t.Parallel()
	c := newClock()
	replies := map[string]lacunatest.Reply{
		maria.Identifier: {Do: lacunatest.Sign, After: time.Minute},
		jose.Identifier:  {Do: lacunatest.Refuse, After: time.Hour, Reason: "Nunca"},
	}
	s := newServer(t, func(o *lacunatest.Options) {
		o.Now = c.Now
		o.People = func(w lacunatest.Waiting) lacunatest.Reply { return replies[w.Participant.Identifier] }
	})
	both := s.AddDocument(lacunatest.Document{Actions: []lacunatest.Action{{Participant: maria}, {Step: 2, Participant: jose}}})
	broken := s.AddDocument(lacunatest.Document{Content: []byte("no PDF"), Actions: []lacunatest.Action{{Participant: maria}}})
	nobody := s.AddDocument(waitingFor(lacunatest.Waiting{}.Participant, ""))
	canceled := s.AddDocument(waitingFor(maria, ""))
	s.Cancel(canceled, "late")
	c.advance(2 * time.Minute)
	checkStatuses(t, s, both, pending, completed, pending)
	checkStatuses(t, s, broken, refused, refused)
	c.advance(time.Hour)
	checkStatuses(t, s, both, refused, completed, refused)
	if got := s.State(both).Reason; got != "Nunca" {
		t.Errorf("reason = %q", got)
	}
	checkStatuses(t, s, nobody, pending, pending)
	checkStatuses(t, s, canceled, lacunatest.Canceled)
}

func TestAFlowCanBeEdited(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	doc := s.AddDocument(waitingFor(maria, ""))
	s.SetAction(doc, s.State(doc).Actions[0].ID, waiting)
	checkStatuses(t, s, doc, pending, waiting)
	s.SetStatus(doc, "Paused")
	if o := ask(t, s, "GET", "/api/documents/"+doc, nil).object(t); o["status"] != "Paused" {
		t.Errorf("status = %v", o["status"])
	}
	if ids, _ := listed(t, s, "Status=Pending"); len(ids) != 0 {
		t.Errorf("a paused document is listed as pending: %v", ids)
	}
}
