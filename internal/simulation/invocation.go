package simulation

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// Times of the functions, as the deployment has them.
var timeouts = map[string]time.Duration{"sign": 300 * time.Second, "check": 60 * time.Second, "poll": 75 * time.Second, "sweep": 75 * time.Second,
	"recover": 55 * time.Second}

const operatorTime = 29 * time.Second // of a request

// invocation is one run of a function, or one request of an operator.
type invocation struct {
	name   string // its kind and number
	kind   string
	skew   time.Duration // of its clock
	hard   time.Time     // when it is killed
	cancel context.CancelFunc

	call     *call // at which it stands; nil while it waits for time to pass
	calls    int
	killed   chan struct{} // closed when it is
	dead     bool
	ended    bool
	returned bool // and did not die
	err      error

	from    *queue // where its message is from
	message string

	job     job.ID // that it has claimed
	paused  bool   // it has read that the pipeline is paused
	history uint64 // hash of all that it has met

	landed   string // a write of a job that it made without hearing of it
	troubled bool   // something else went wrong for it
}

// asked reports whether an operator asked for it, and not a message or a schedule.
func (i *invocation) asked() bool { return timeouts[i.kind] == 0 }

// call is a call that waits at the gate.
type call struct {
	name   string
	label  string
	answer chan Fault
}

type invocationKey struct{}

// use is a use case of the workflow.
type use func(ctx context.Context, w *workflow.Workflow) error

// begin starts an invocation, whose clock is ahead by skew. It comes to its first call before anything else happens.
func (s *simulation) begin(kind string, skew time.Duration, run use) *invocation {
	s.kinds[kind]++
	timeout, ok := timeouts[kind]
	if !ok {
		timeout = operatorTime
	}
	i := &invocation{name: fmt.Sprintf("%s-%d", kind, s.kinds[kind]), kind: kind, skew: skew, hard: time.Now().Add(timeout), killed: make(chan struct{})}
	ctx, cancel := context.WithDeadline(context.WithValue(context.Background(), invocationKey{}, i), i.hard)
	i.cancel = cancel
	parts := s.parts
	parts.Now = func() time.Time { return time.Now().Add(skew) }
	w := workflow.New(parts)
	s.all, s.alive, s.current = append(s.all, i), append(s.alive, i), i
	go func() {
		defer s.hear()
		defer cancel()
		defer s.end(i) // a run that died comes here too
		i.err = run(ctx, w)
		i.returned = true
	}()
	return i
}

func (s *simulation) end(i *invocation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i.ended = true
}

// hear tells the scheduler, if it waits, that somebody moved.
func (s *simulation) hear() {
	select {
	case s.moved <- struct{}{}:
	default:
	}
}

// gate is where every call waits for its turn. Calls of the simulation itself pass.
func (s *simulation) gate(ctx context.Context, name string, step func() error) error {
	i, ok := ctx.Value(invocationKey{}).(*invocation)
	if !ok {
		return step()
	}
	c := s.stand(i, name)
	if c == nil {
		runtime.Goexit() // it is dead
	}
	s.hear()
	f := <-c.answer
	if f == none && ctx.Err() != nil {
		return fmt.Errorf("%s: %w", name, ctx.Err())
	}
	return s.perform(ctx, i, name, f, step)
}

// stand notes at which call an invocation stands, or returns nil if it is dead.
func (s *simulation) stand(i *invocation, name string) *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i.dead {
		return nil
	}
	i.calls++
	i.call = &call{name: name, label: fmt.Sprintf("%s.%d %s", i.name, i.calls, name), answer: make(chan Fault)}
	return i.call
}

// perform lets a call happen as a fault has it.
func (s *simulation) perform(ctx context.Context, i *invocation, name string, f Fault, step func() error) error {
	do := func() error {
		s.watch.sends(i, name)
		return step()
	}
	i.troubled = i.troubled || f != none && f != lose && f != again || f != none && !writes[name]
	switch f {
	case die:
		s.perish(i)
	case dieAfter:
		_ = do() // nobody hears of it
		s.perish(i)
	case landLate:
		s.watch.sends(i, name)
		s.late = append(s.late, &late{of: i, name: name, step: step, until: latest(name, i)})
		s.perish(i)
	case fail:
		return fmt.Errorf("%s: %w", name, workflowtest.ErrBroken)
	case throttle:
		return throttled(name)
	case unwell:
		return &job.SignerError{Op: name, Status: 503, Transient: true}
	case lose:
		i.lands(name, do()) // the reply is lost
		return fmt.Errorf("%s: reply lost: %w", name, workflowtest.ErrBroken)
	case again:
		i.lands(name, do()) // the SDK hears nothing, and sends once more
	case stall:
		return i.wait(ctx, name)
	case hang:
		_ = do() // the reply never comes
		return i.wait(ctx, name)
	case stale:
		s.signer.tellOld()
	case lie:
		s.pen.slips = true
	}
	return do()
}

// lands notes a call that was made and not heard of.
func (i *invocation) lands(name string, err error) {
	if err == nil && writes[name] {
		i.landed = name
	}
}

// wait waits for a reply that does not come.
func (i *invocation) wait(ctx context.Context, name string) error {
	select {
	case <-ctx.Done():
	case <-i.killed:
		runtime.Goexit()
	}
	return fmt.Errorf("%s: %w", name, ctx.Err())
}

// perish ends the calling goroutine. Its deferred calls meet the gate, and end there.
func (s *simulation) perish(i *invocation) {
	s.mu.Lock()
	i.dead = true
	s.mu.Unlock()
	runtime.Goexit()
}

// throttled is how a service says that it did nothing and may do it later.
func throttled(name string) error {
	if signerCalls[name] {
		return &job.SignerError{Op: name, Status: 429, Transient: true}
	}
	return fault.New(fault.Throttled, "%s: slow down", name)
}

// late is the effect of a call whose run has died since.
type late struct {
	of    *invocation
	name  string
	step  func() error
	until time.Time // after which it will not land any more; zero: it may always
}

// latest bounds how late a call can land. A request that carries its whole content ends with the connection of its dead
// sender, long before a claim does; what a service has been told to complete, it may be at for long.
func latest(name string, i *invocation) time.Time {
	if name == "put output" {
		return i.hard
	}
	return time.Time{}
}
