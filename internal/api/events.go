package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

// eventTypes are the types of all events that are written, by name.
var eventTypes = []string{
	job.EventDeadLettersReturned, job.EventFileAlreadyProcessed, job.EventFileRefused, job.EventJobDeleted, job.EventJobNoLongerPendingAtSigner,
	job.EventJobSignedAtSigner, job.EventJobsCleared, job.EventPipelinePaused, job.EventPipelineResumed,
	job.EventSignerDocumentEnqueued, job.EventSignerDocumentWithoutHolderAction, job.EventProfileCreated,
	job.EventProfileDeleted, job.EventProfileEdited,
}

type eventsInput struct {
	EventType []string `query:"eventType,explode" maxItems:"50" maxLength:"64" doc:"Only events of this type; given several times, of any of them."`
	From      string   `query:"from" maxLength:"40" doc:"Only events of then or later: a day (2026-03-04), which begins at midnight UTC, or a time (2026-03-04T05:06:07Z)."`
	To        string   `query:"to" maxLength:"40" doc:"Only events before that."`
	Contains  string   `query:"contains" maxLength:"255" doc:"Only events with this in their message, in capitals or not."`
	Cursor    string   `query:"cursor" maxLength:"8192" doc:"The cursor of the page before; without one the newest events come."`
	Page      int      `query:"page" minimum:"1" maximum:"10000" doc:"The number of a page, instead of a cursor, within the first 10,000 events. All pages before it are read for it."`
	PageSize  int      `query:"pageSize" minimum:"1" maximum:"200" default:"50" doc:"The most events on a page. A page may be shorter, even empty, and still have a cursor."`
}

type eventsOutput struct {
	Body eventPage
}

// eventPage is a part of the journal.
type eventPage struct {
	Items    []event  `json:"items" nullable:"false"`
	Page     *int     `json:"page" doc:"The page's number, if it was asked for by one."`
	PageSize int      `json:"pageSize" doc:"As it was asked for."`
	Cursor   *string  `json:"cursor" doc:"Where the next page begins; null on the last one."`
	_        struct{} `json:"-" additionalProperties:"true"`
}

// event is an entry of the operators' journal.
type event struct {
	ID        string    `json:"id"`
	Timestamp time.Time `json:"timestamp"`
	EventType string    `json:"eventType" doc:"A word that /api/events/types lists. There may be more of them later."`
	Message   string    `json:"message" doc:"What happened, in English."`
	_         struct{}  `json:"-" additionalProperties:"true"`
}

type eventTypesOutput struct {
	Body eventTypeList
}

// eventTypeList has the types of events.
type eventTypeList struct {
	Types []string `json:"types" nullable:"false" doc:"In alphabetical order."`
	_     struct{} `json:"-" additionalProperties:"true"`
}

const eventsDoc = "The journal has what operators did and what became of documents at Lacuna Signer. The steps of a job are in its own " +
	"history. Pages are like those of jobs: a cursor costs the same everywhere, and a number costs the reading of all before it."

// addEvents adds the routes that read the operators' journal.
func (s *server) addEvents(a huma.API) {
	huma.Register(a, protected(huma.Operation{
		OperationID: "listEvents", Method: http.MethodGet, Path: "/api/events", Tags: []string{"Events"},
		Summary: "The operators' journal, newest first", Description: eventsDoc,
		Metadata: map[string]any{refusalsKey: refusals{invalid: fault.ValidationFilterInvalid}},
	}), s.events)
	huma.Register(a, protected(huma.Operation{
		OperationID: "listEventTypes", Method: http.MethodGet, Path: "/api/events/types", Tags: []string{"Events"}, Summary: "The types of events",
	}), func(context.Context, *struct{}) (*eventTypesOutput, error) {
		return &eventTypesOutput{eventTypeList{Types: slices.Sorted(slices.Values(eventTypes))}}, nil
	})
}

func (s *server) events(ctx context.Context, in *eventsInput) (*eventsOutput, error) {
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	p, err := s.Journal.Events(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	out := eventPage{Items: make([]event, 0, len(p.Events)), Page: counted(in.Page), PageSize: in.PageSize, Cursor: optional(p.Cursor)}
	for _, e := range p.Events {
		out.Items = append(out.Items, event{ID: e.ID, Timestamp: e.Time.UTC(), EventType: e.Type, Message: e.Message})
	}
	return &eventsOutput{out}, nil
}

// query is what the store is asked. A type that is never written is a mistake, and would only ever find nothing.
func (in *eventsInput) query() (job.EventQuery, error) {
	for _, t := range in.EventType {
		if !slices.Contains(eventTypes, t) {
			return job.EventQuery{}, fault.New(fault.ValidationFilterInvalid, "eventType is none that /api/events/types lists")
		}
	}
	if err := checkText("contains", in.Contains); err != nil {
		return job.EventQuery{}, err
	}
	if err := checkPaging(in.Page, in.PageSize, in.Cursor); err != nil {
		return job.EventQuery{}, err
	}
	from, to, err := parseRange(in.From, in.To)
	return job.EventQuery{
		Types: distinctOf(in.EventType), From: from, To: to, Contains: in.Contains, Cursor: in.Cursor, Page: in.Page, Size: in.PageSize,
	}, err
}
