package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
)

type queuesOutput struct {
	Body queueList
}

// queueList has the queues.
type queueList struct {
	Queues []queueState `json:"queues" nullable:"false"`
	_      struct{}     `json:"-" additionalProperties:"true"`
}

// QueueCounts are the messages of a queue. It is exported for huma alone, which does not see the fields of an embedded type
// otherwise.
type QueueCounts struct {
	Waiting  int `json:"waiting" doc:"About how many messages wait."`
	InFlight int `json:"inFlight" doc:"About how many are in somebody's hands."`
	Delayed  int `json:"delayed" doc:"About how many come later."`
}

// queueState is how a queue stands.
type queueState struct {
	Name string `json:"name" doc:"work, or checks of documents at Lacuna Signer."`
	QueueCounts
	DeadLetters *deadLetters `json:"deadLetters,omitempty" doc:"The messages of the queue that nobody could handle; left out where the deployment does not say where they go."`
	_           struct{}     `json:"-" additionalProperties:"true"`
}

// deadLetters is the queue of what nobody could handle.
type deadLetters struct {
	QueueCounts
	_ struct{} `json:"-" additionalProperties:"true"`
}

type redriveInput struct {
	Queue       string `path:"queue" maxLength:"40" doc:"The name of the queue that they go back to."`
	ContentType string `header:"Content-Type" hidden:"true"`
	RawBody     []byte `contentType:"application/json"`
}

type redriveOutput struct {
	Body redriven
}

// redriven is what became of dead letters.
type redriven struct {
	Queue string   `json:"queue"`
	Moved int      `json:"moved" doc:"How many were given back: at most 100 in one request."`
	Left  int      `json:"left" doc:"About how many there still are. Ask again until there are none."`
	_     struct{} `json:"-" additionalProperties:"true"`
}

const queuesDoc = "SQS counts approximately, and up to a minute late. A message says that a job or a document is to be looked at; what is " +
	"to be done about it stands in the table, so that these figures tell how busy the service is and nothing about jobs."

const redriveDoc = "What the service could not handle waits for somebody to see to the cause, for 14 days. Each message is sent to its queue " +
	"and then deleted from the dead letters, so that it may come twice, which does nothing twice. What still cannot be handled " +
	"becomes a dead letter again."

// addQueues adds the routes that show the queues, and give dead letters back.
func (s *server) addQueues(a huma.API) {
	huma.Register(a, protected(huma.Operation{
		OperationID: "listQueues", Method: http.MethodGet, Path: "/api/queues", Tags: []string{"Service"},
		Summary: "About how many messages wait, and could not be handled", Description: queuesDoc,
	}), s.queues)
	op := protected(acts(takesBody(huma.Operation{
		OperationID: "redriveQueue", Method: http.MethodPost, Path: "/api/queues/{queue}/redrive", Tags: []string{"Service"},
		Summary: "Give dead letters back to their queue", Description: redriveDoc,
	})), fault.RouteNotFound, fault.RequestTooLarge)
	huma.Register(a, op, s.redrive)
	describeBody[noBody](a, op)
}

func (s *server) queues(ctx context.Context, _ *struct{}) (*queuesOutput, error) {
	all, err := s.Operator.Queues(ctx)
	if err != nil {
		return nil, fmt.Errorf("look at the queues: %w", err)
	}
	out := queueList{Queues: make([]queueState, 0, len(all))}
	for _, q := range all {
		state := queueState{Name: q.Name, QueueCounts: queueCounts(q.Count)}
		if q.Dead != nil {
			state.DeadLetters = &deadLetters{QueueCounts: queueCounts(*q.Dead)}
		}
		out.Queues = append(out.Queues, state)
	}
	return &queuesOutput{out}, nil
}

func queueCounts(c job.QueueCount) QueueCounts { return QueueCounts(c) }

func (s *server) redrive(ctx context.Context, in *redriveInput) (*redriveOutput, error) {
	if err := (actionInput{in.ContentType, in.RawBody}).decode(s.checks.nothing, &noBody{}); err != nil {
		return nil, err
	}
	r, err := s.Operator.Return(ctx, in.Queue, operatorName)
	if err != nil {
		return nil, fmt.Errorf("give dead letters back: %w", err)
	}
	return &redriveOutput{redriven{Queue: in.Queue, Moved: r.Moved, Left: r.Left}}, nil
}
