// Package simulation looks for a counter-example to the promises of the workflow.
//
// It runs the real workflow code in the world in memory of workflowtest, under a scheduler that owns time and order. Every
// call of every port stops at the world's gate until the scheduler lets it go: it decides whose call is next, whether the
// call's run dies before or after the effect, whether the reply is lost, late or an error, which message is delivered next
// or once more, when schedules, people and operators act, and when time passes. What it decided is a Schedule: a short list
// of departures from the usual course, which can be printed, minimized and played again.
//
// After every step, and once everything has come to rest, the world is held against the promises; see invariant.go and
// ending.go. Explore tries all schedules with few departures, and leaves out what leads to a state that was seen; Walk
// tries long ones at random.
//
// The package promises to be deterministic: one schedule has one course. That adapters keep the promises of the world's
// fakes is left to their own tests.
package simulation

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bulksigner/internal/job"
	"bulksigner/internal/workflow"
	"bulksigner/internal/workflow/workflowtest"
)

// Bounds of one course of events. One that reaches them does not come to rest, which breaks a promise.
const (
	mostPoints = 20000
	mostTime   = 49 * time.Hour // a job that a service never answers is given up after a day
)

// simulation is one course of events.
type simulation struct {
	scenario Scenario
	material *Material
	driver   driver

	world  *workflowtest.World
	signer *signer
	table  *workflowtest.Discoveries
	parts  workflow.Parts
	pen    *pen

	mu       sync.Mutex // of what invocations write: their calls and ends
	began    time.Time
	all      []*invocation // in the order in which they began
	alive    []*invocation // those of them that are at work
	current  *invocation   // whose step is next, if it has one
	mover    *invocation   // whose step was last
	moved    chan struct{} // somebody came to the gate, or ended
	late     []*late
	files    []job.Object // that have come
	jobs     []job.Job    // as they are after the last move
	work     queue
	checks   queue
	due      []string       // schedules that are still to be run at this tick
	pauses   int            // logarithm of the next one, in minutes
	waits    int            // times that time passed
	acted    map[string]int // how often operators, people and doorbells acted
	kinds    map[string]int // invocations by kind
	settled  uint64         // what the world was when it last came to rest
	watch    *watcher
	points   int // moves so far
	departed int // moves that were not the usual ones
	hashing  bool
	hash     uint64   // of the world, before the next move
	course   []string // labels of all moves, if they are narrated
	narrated bool
}

// Outcome is what became of one course of events.
type Outcome struct {
	Broken []string // promises that were broken, in words
	Course []string // every move, if it was asked for
	Points int      // moves
}

// driver decides what happens next.
type driver interface {
	// choose returns the index of a move, of which the first is the usual one, or false to end the course here.
	choose(p point) (int, bool)
}

// point is a moment at which something else could happen than usually does.
type point struct {
	moves []move
	state uint64 // of the world and all who are at work, if the driver asked for it
}

// run lets one course of events happen, in a bubble of time.
func run(t *testing.T, sc Scenario, m *Material, d driver, hashing, narrated bool) (out Outcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(m.Day)) // a bubble's clock begins in 2000, before any policy was in force
		s := newSimulation(sc, m, d)
		s.hashing, s.narrated = hashing, narrated
		s.loop()
		s.killAll()
		out = Outcome{Broken: s.watch.broken, Course: s.course, Points: s.points}
	})
	return out
}

// loop makes one move after the other until all is at rest, a promise is broken or the driver has seen enough.
func (s *simulation) loop() {
	for {
		s.killOverdue()
		next, on := s.survey()
		if !on {
			return
		}
		s.make(next)
	}
}

// survey judges what the last move did, and has the driver choose the next one. While it looks, nobody moves.
func (s *simulation) survey() (next move, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch.look()
	s.reap()
	s.watch.late()
	if len(s.watch.broken) > 0 {
		return next, false
	}
	moves := s.moves()
	switch {
	case len(moves) == 0:
		s.watch.atRest()
		return next, false
	case s.points >= mostPoints || time.Since(s.began) > mostTime:
		s.watch.restless()
		return next, false
	}
	if s.scenario.sent && len(s.signer.Dispatched()) == 0 {
		moves = moves[:1]
	}
	p := point{moves: moves}
	if s.hashing {
		s.hash = s.worldly()
		p.state = s.state()
	}
	n, on := s.driver.choose(p)
	if !on {
		return next, false
	}
	next = moves[n]
	if n > 0 {
		s.departed++
		next.label = Departure{At: moves[0].label, Take: next.label}.String()
	}
	return next, true
}

func (s *simulation) make(m move) {
	s.points++
	if s.narrated {
		s.course = append(s.course, m.label)
	}
	s.mover = nil
	m.do()
}

// reap puts those who have ended aside. A message whose run failed or died comes again.
func (s *simulation) reap() {
	s.alive = slices.DeleteFunc(s.alive, func(i *invocation) bool {
		over := i.ended || i.dead
		if over && s.current == i {
			s.current = nil
		}
		if over {
			s.watch.returned(i)
		}
		if over && i.from != nil {
			i.from.done(i.message, i.returned && i.err == nil)
		}
		return over
	})
}

// killOverdue ends who is past its time, as Lambda does, once everybody has come as far as they come by themselves.
func (s *simulation) killOverdue() {
	synctest.Wait()
	for _, i := range s.alive {
		if !time.Now().Before(i.hard) {
			s.kill(i)
		}
	}
	synctest.Wait()
}

// kill ends an invocation where it is: none of its last words reach the world.
func (s *simulation) kill(i *invocation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i.ended || i.dead {
		return
	}
	i.dead = true
	i.cancel()
	close(i.killed)
	if c := i.call; c != nil {
		i.call = nil
		c.answer <- die
	}
}

// killAll ends who is at work. One that waits for a while by itself ends when it wakes.
func (s *simulation) killAll() {
	for _, i := range s.alive {
		s.kill(i)
	}
	for synctest.Wait(); s.lingers(); synctest.Wait() {
		time.Sleep(time.Second)
	}
}

func (s *simulation) lingers() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.all, func(i *invocation) bool { return !i.ended })
}
