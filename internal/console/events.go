package console

import (
	"net/http"
	"time"
)

// eventRow is an entry of the operators' journal, as the API tells it.
type eventRow struct {
	Timestamp time.Time `json:"timestamp"`
	EventType string    `json:"eventType"`
	Message   string    `json:"message"`
}

// Pieces are the message with the jobs that it names.
func (e eventRow) Pieces() []piece { return piecesOf(e.Message) }

// eventList is a page of the journal.
type eventList struct {
	Items  []eventRow `json:"items"`
	Cursor string     `json:"cursor"`
}

// eventsShown is the journal with its filters.
type eventsShown struct {
	eventList
	Filter  eventFilter
	Refused *problem // why there is no list
	Next    string   // the address of the next page, or ""
	First   bool     // this is the first page
	Types   []string
}

// eventFilter is what the form says.
type eventFilter struct{ Type, Contains, From, To string }

func (s *server) addEvents(mux *http.ServeMux) {
	mux.HandleFunc("GET /events", s.page((*visit).events))
}

func (v *visit) events() error {
	asked := kept(v.r.URL.Query(), "eventType", "contains", "from", "to", "cursor")
	page := eventsShown{First: asked.Get("cursor") == "", Filter: eventFilter{
		Type: asked.Get("eventType"), Contains: asked.Get("contains"), From: asked.Get("from"), To: asked.Get("to"),
	}}
	var known struct {
		Types []string `json:"types"`
	}
	if err := v.api.get("/api/events/types", &known); err != nil {
		return err
	}
	var err error
	if page.Refused, err = v.filtered("/api/events", asked, &page.eventList); err != nil {
		return err
	}
	page.Types, page.Next = known.Types, nextPage("/events", asked, page.Cursor)
	return v.show(page.Refused, "events", page)
}
