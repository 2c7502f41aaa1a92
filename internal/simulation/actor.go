package simulation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"bulksigner/internal/workflow"
)

// mostReceives is how often a message is delivered before it goes to the dead-letter queue.
const mostReceives = 5

// mostRepeats is how often messages come again that were dealt with.
const mostRepeats = 2

// queue is one of SQS. Messages are delivered at least once.
type queue struct {
	kind     string // of the function that it wakes
	messages func() []string
	set      func([]string)
	use      func(body string) use
	receives map[string]int
	dealt    []string // messages that were delivered with success, each once
}

func (q *queue) len() int { return len(q.messages()) }

// take takes the oldest message out.
func (q *queue) take() string {
	all := q.messages()
	q.set(slices.Clone(all[1:]))
	q.receives[all[0]]++
	return all[0]
}

// lost has the oldest message vanish.
func (q *queue) lost() { q.take() }

// pull takes a message out that others are before.
func (q *queue) pull(body string) {
	all := slices.Clone(q.messages())
	n := slices.Index(all, body)
	q.set(slices.Delete(all, n, n+1))
	q.receives[body]++
}

// done ends a delivery.
func (q *queue) done(body string, well bool) {
	switch {
	case !well && q.receives[body] < mostReceives:
		q.set(append(q.messages(), body))
	case well && !slices.Contains(q.dealt, body):
		q.dealt = append(q.dealt, body)
	}
	if well {
		q.receives[body] = 0
	}
}

// queues makes the queues of work and of checks.
func (s *simulation) queues() {
	s.work = queue{kind: "sign", receives: map[string]int{}, use: work,
		messages: func() []string { return s.world.Messages }, set: func(m []string) { s.world.Messages = m }}
	var checks []string
	s.checks = queue{kind: "check", receives: map[string]int{}, use: check,
		messages: func() []string { return checks }, set: func(m []string) { checks = m }}
}

func work(body string) use {
	return func(ctx context.Context, w *workflow.Workflow) error {
		b, err := w.Batch(ctx)
		if err != nil {
			return err
		}
		return b.Work(ctx, body)
	}
}

func check(body string) use {
	return func(ctx context.Context, w *workflow.Workflow) error { return w.Check(ctx, body) }
}

// deliver has a function work on the oldest message of its queue.
func (s *simulation) deliver(q *queue, skew time.Duration) { s.hand(q, q.take(), skew) }

func (s *simulation) hand(q *queue, body string, skew time.Duration) {
	i := s.begin(q.kind, skew, q.use(body))
	i.from, i.message = q, body
}

// deliveries are the messages that can come next.
func (s *simulation) deliveries(c cost) (moves []move) {
	for _, q := range []*queue{&s.work, &s.checks} {
		if q.len() == 0 {
			continue
		}
		moves = append(moves, move{fmt.Sprintf("begin %s-%d", q.kind, s.kinds[q.kind]+1), c, func() { s.deliver(q, 0) }})
	}
	return moves
}

// overtakings are the messages that come before older ones. Two that say the same are one.
func (s *simulation) overtakings() (moves []move) {
	for _, q := range []*queue{&s.work, &s.checks} {
		all := q.messages()
		for n, body := range all {
			if slices.Index(all, body) == n && n > 0 {
				moves = append(moves, move{fmt.Sprintf("message %d overtakes on its way to %s", n+1, q.kind), early, func() {
					q.pull(body)
					s.hand(q, body, 0)
				}})
			}
		}
	}
	return moves
}

// repetitions are the messages that can come once more: those at work, and those that were dealt with.
func (s *simulation) repetitions() (moves []move) {
	if s.acted["repeat"] >= mostRepeats {
		return nil
	}
	for _, q := range []*queue{&s.work, &s.checks} {
		again := slices.Clone(q.dealt)
		for _, i := range s.alive {
			if i.from == q && !slices.Contains(again, i.message) {
				again = append(again, i.message)
			}
		}
		for n, body := range again {
			moves = append(moves, move{fmt.Sprintf("message %d comes to %s again", n+1, q.kind), early, func() {
				s.acted["repeat"]++
				s.hand(q, body, 0)
			}})
		}
	}
	return moves
}

// schedules are the use cases that a clock wakes.
var schedules = map[string]use{
	"poll":    func(ctx context.Context, w *workflow.Workflow) error { return w.Poll(ctx) },
	"sweep":   func(ctx context.Context, w *workflow.Workflow) error { return w.Sweep(ctx) },
	"recover": func(ctx context.Context, w *workflow.Workflow) error { return w.Recover(ctx) },
}

func (s *simulation) schedule(kind string, skew time.Duration) { s.begin(kind, skew, schedules[kind]) }
