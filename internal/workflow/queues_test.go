package workflow_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
)

// counted is a queue that holds something.
type counted struct {
	count job.QueueCount
	err   error
}

func (c *counted) Count(context.Context) (job.QueueCount, error) { return c.count, c.err }

// letters are dead letters, of which some can be given back before something fails.
type letters struct {
	counted
	moves int
	fail  error
	most  []int
	ended bool // the context was bounded
}

func (l *letters) GiveBack(ctx context.Context, most int) (int, error) {
	l.most = append(l.most, most)
	_, l.ended = ctx.Deadline()
	moved := min(l.moves, most)
	l.count.Waiting -= moved
	return moved, l.fail
}

var errQueue = errors.New("connection reset")

func TestQueues(t *testing.T) {
	t.Parallel()
	work, dead := &counted{count: job.QueueCount{Waiting: 3, InFlight: 2, Delayed: 1}}, &letters{counted: counted{count: job.QueueCount{Waiting: 4}}}
	w := workflow.New(workflow.Parts{Lines: []workflow.Line{{Name: "work", Queue: work, Dead: dead}, {Name: "checks", Queue: &counted{}}}})
	want := []job.QueueState{{Name: "work", Count: work.count, Dead: &job.QueueCount{Waiting: 4}}, {Name: "checks"}}
	got, err := w.Queues(t.Context())
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Queues: %v (-want +got):\n%s", err, diff)
	}
	dead.err = errQueue
	if _, err := w.Queues(t.Context()); !errors.Is(err, errQueue) {
		t.Errorf("Queues = %v, want %v", err, errQueue)
	}
	dead.err, work.err = nil, errQueue
	if _, err := w.Queues(t.Context()); !errors.Is(err, errQueue) {
		t.Errorf("Queues = %v, want %v", err, errQueue)
	}
}

func TestReturn(t *testing.T) {
	t.Parallel()
	told := func(n string) []string {
		return []string{n + " dead letters of the queue work were given back by api."}
	}
	tests := []struct {
		name  string
		queue string
		dead  letters
		want  job.Returned
		err   error
		told  []string
	}{
		{"none", "work", letters{}, job.Returned{}, nil, nil},
		{"some", "work", letters{counted: counted{count: job.QueueCount{Waiting: 7}}, moves: 7}, job.Returned{Moved: 7}, nil, told("7")},
		{"a part", "work", letters{counted: counted{count: job.QueueCount{Waiting: 130, InFlight: 2}}, moves: 130}, job.Returned{Moved: 100, Left: 32}, nil, told("100")},
		{"something fails", "work", letters{counted: counted{count: job.QueueCount{Waiting: 30}}, moves: 10, fail: errQueue}, job.Returned{Moved: 10, Left: 20}, nil, told("10")},
		{"all fails", "work", letters{counted: counted{count: job.QueueCount{Waiting: 30}}, fail: errQueue}, job.Returned{}, errQueue, nil},
		{"no count", "work", letters{counted: counted{err: errQueue}, moves: 3}, job.Returned{}, errQueue, told("3")},
		{"another name", "Work", letters{}, job.Returned{}, fault.RouteNotFound, nil},
		{"without dead letters", "checks", letters{}, job.Returned{}, fault.RouteNotFound, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j := &diary{}
			w := workflow.New(workflow.Parts{Journal: j, Lines: []workflow.Line{{Name: "work", Queue: &counted{}, Dead: &tt.dead}, {Name: "checks", Queue: &counted{}}}})
			got, err := w.Return(t.Context(), tt.queue, "api")
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("Return = %+v, %v, want %+v, %v", got, err, tt.want, tt.err)
			}
			if diff := cmp.Diff(tt.told, j.messages); diff != "" {
				t.Errorf("the journal (-want +got):\n%s", diff)
			}
			if len(tt.dead.most) > 0 && (tt.dead.most[0] != 100 || !tt.dead.ended) {
				t.Errorf("asked to give back %v within bounds: %v, want 100 within some", tt.dead.most, tt.dead.ended)
			}
		})
	}
}

// diary keeps the messages of events about dead letters.
type diary struct{ messages []string }

func (d *diary) Write(_ context.Context, e job.Event) error {
	if e.Type == job.EventDeadLettersReturned && e.ID != "" && !e.Time.IsZero() {
		d.messages = append(d.messages, e.Message)
	}
	return nil
}
