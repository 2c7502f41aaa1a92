package simulation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"bulksigner/internal/job"
)

// cost says of what a schedule's budget a move takes.
type cost int

// The costs. What usually comes next is free; something may go wrong; or something that would come later comes now.
const (
	free cost = iota
	wrong
	early
)

// move is something that can happen now.
type move struct {
	label string
	cost  cost
	do    func()
}

// moves lists what can happen now, what usually does first. None says that all is at rest.
func (s *simulation) moves() []move {
	s.expire()
	if i := s.next(); i != nil {
		moves := []move{s.step(i, none)}
		if !s.calm() || i.asked() { // what goes wrong after the end of everything shows nothing new, unless it is to go on
			for _, f := range faultsAt(i.call.name) {
				moves = append(moves, s.step(i, f))
			}
		}
		for _, o := range s.alive {
			if o != i && o.call != nil {
				moves = append(moves, move{"go on with " + o.name, early, func() { s.current = o; s.release(o, none) }})
			}
		}
		return s.others(moves)
	}
	if len(s.alive) > 0 {
		return s.others([]move{{s.waitName(), free, s.letPass}})
	}
	return s.idle()
}

// next is whose step usually is next: who made the last one, or who has been at work for longest.
func (s *simulation) next() *invocation {
	if s.current != nil && s.current.call != nil {
		return s.current
	}
	for _, i := range s.alive {
		if i.call != nil {
			return i
		}
	}
	return nil
}

// step lets a call go. A fault is named beside the call at which it happens.
func (s *simulation) step(i *invocation, f Fault) move {
	if f == none {
		return move{i.call.label, free, func() { s.current = i; s.release(i, none) }}
	}
	return move{f.String(), wrong, func() { s.current = i; s.release(i, f) }}
}

func (s *simulation) release(i *invocation, f Fault) {
	if s.hashing {
		i.history = mix(i.history, i.call.name, uint64(f), s.hash)
	}
	c := i.call
	i.call, s.mover = nil, i
	c.answer <- f
}

// others appends what could happen besides: somebody begins, a late effect lands, a person acts.
func (s *simulation) others(moves []move) []move {
	if len(s.alive) < s.scenario.mostAlive() {
		for _, k := range s.scenario.schedules {
			moves = append(moves, move{"begin " + k, early, func() { s.schedule(k, 0) }})
		}
		moves = append(moves, s.deliveries(early)...)
		moves = append(moves, s.overtakings()...)
		moves = append(moves, s.repetitions()...)
		moves = append(moves, s.requests()...)
	}
	for _, l := range s.late {
		moves = append(moves, move{"lands: " + l.of.name + "'s " + l.name, early, func() { s.land(l) }})
	}
	return append(moves, s.deeds(early)...)
}

// idle lists what can happen while nobody is at work. What usually does is, in this order: a message is delivered, a person
// acts, a schedule of this tick runs, a late effect lands, time passes.
func (s *simulation) idle() []move {
	usual := s.deliveries(free)
	usual = append(usual, s.deeds(free)...)
	if len(s.due) > 0 {
		usual = append(usual, s.ticked())
	}
	if len(usual) == 0 && s.calm() {
		if len(s.late) == 0 && s.settled == s.signature() {
			return nil
		}
		s.settled = s.signature()
		if len(s.late) > 0 {
			l := s.late[0]
			usual = []move{{"at last lands: " + l.of.name + "'s " + l.name, free, func() { s.land(l) }}}
		}
	}
	if len(usual) == 0 {
		usual = []move{{s.waitName(), free, s.tick}}
	}
	first := usual[0]
	first.cost = free
	return s.others(append([]move{first}, s.detours()...))
}

// ticked begins what a tick has woken: the next schedule, or all of them side by side.
func (s *simulation) ticked() move {
	k := s.due[0]
	if s.scenario.together {
		return move{fmt.Sprintf("begin %s, %s-%d first", strings.Join(s.due, " and "), k, s.kinds[k]+1), free, func() {
			for _, k := range slices.Backward(s.due) { // who began last goes first
				s.schedule(k, 0)
			}
			s.due = nil
		}}
	}
	return move{fmt.Sprintf("begin %s-%d", k, s.kinds[k]+1), free, func() { s.due = s.due[1:]; s.schedule(k, 0) }}
}

// detours are what can go wrong while nobody is at work: a message is lost or late, a function's clock is wrong.
func (s *simulation) detours() (moves []move) {
	for _, q := range []*queue{&s.work, &s.checks} {
		if q.len() == 0 {
			continue
		}
		moves = append(moves,
			move{"the message is lost", wrong, func() { q.lost() }},
			move{"the message is late", wrong, func() { time.Sleep(6 * time.Minute); s.due = slices.Clone(s.scenario.schedules) }},
			move{"the message meets a clock that is ahead", wrong, func() { s.deliver(q, time.Minute) }},
			move{"the message meets a clock that is behind", wrong, func() { s.deliver(q, -time.Minute) }})
		return moves
	}
	if len(s.due) > 0 {
		k := s.due[0]
		for _, skew := range []time.Duration{time.Minute, -time.Minute} {
			moves = append(moves, move{fmt.Sprintf("with a clock %s off", skew), wrong, func() { s.due = s.due[1:]; s.schedule(k, skew) }})
		}
	}
	return moves
}

func (s *simulation) waitName() string { return fmt.Sprintf("wait-%d", s.waits+1) }

// letPass lets time pass until somebody who is at work moves, or ends.
func (s *simulation) letPass() {
	s.waits++
	select {
	case <-s.moved: // news of before
	default:
	}
	first := slices.MinFunc(s.alive, func(a, b *invocation) int { return a.hard.Compare(b.hard) })
	t := time.NewTimer(cmp.Or(max(time.Until(first.hard), 0), time.Millisecond))
	defer t.Stop()
	select {
	case <-s.moved:
	case <-t.C:
	}
}

// longestPause is the logarithm of the longest time between two ticks, in minutes.
const longestPause = 4

// tick lets time pass while nobody is at work, longer each time, and has the schedules run. Schedules run each minute; that
// some do not changes when something happens, and never what.
func (s *simulation) tick() {
	s.waits++
	time.Sleep(time.Minute << s.pauses)
	s.pauses = min(s.pauses+1, longestPause)
	s.due = slices.Clone(s.scenario.schedules)
}

// land lets a late effect come.
func (s *simulation) land(l *late) {
	s.late = slices.DeleteFunc(s.late, func(x *late) bool { return x == l })
	s.mover = l.of
	_ = l.step() // nobody hears of it
}

// expire forgets what has not landed in time.
func (s *simulation) expire() {
	s.late = slices.DeleteFunc(s.late, func(l *late) bool { return !l.until.IsZero() && time.Now().After(l.until) })
}

// calm reports whether all jobs have ended and every file has one.
func (s *simulation) calm() bool {
	for _, j := range s.jobs {
		if !j.Status.Final() {
			return false
		}
	}
	return len(s.watch.untaken()) == 0 && !s.watch.mayFind() && s.scenario.begun(s)
}

// signature tells whether anything happened between two moments of rest.
func (s *simulation) signature() uint64 {
	var d digest
	for _, j := range s.jobs {
		d.number(uint64(j.Version))
	}
	d.number(uint64(len(s.late)))
	for _, k := range slices.Sorted(maps.Keys(s.acted)) {
		d.number(uint64(s.acted[k]))
	}
	return d.sum
}

// ids are the jobs that satisfy a condition, oldest first.
func (s *simulation) ids(which func(job.Job) bool) (ids []job.ID) {
	for _, j := range s.jobs {
		if which(j) {
			ids = append(ids, j.ID)
		}
	}
	return ids
}
