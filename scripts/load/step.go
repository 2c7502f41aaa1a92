package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"bulksigner/internal/job"
	"bulksigner/internal/local"
)

// step is what came of one rate.
type step struct {
	rate                     float64
	lasted                   time.Duration
	begun, inTime, failed    int // inTime: Completed before the load ended
	unended                  int // not at their end when the waiting was
	took                     []time.Duration
	queue                    []int   // messages of the work queue, at each look
	atWork                   float64 // invocations of sign, in the mean
	functions                map[string]time.Duration
	this, others, idle, busy time.Duration // CPU: of this process, of other programs, of nobody, of all
	spent                    spending      // of this process
}

const (
	// letter is the size of the files of a curve.
	letter = 100_000
	// sampleEvery is how often queue and processes are looked at.
	sampleEvery = 250 * time.Millisecond
	// followed is how much of what is offered has to be completed while it is, for the next rate to be tried.
	followed = 0.9
)

// completed is how many files were completed in a second.
func (s step) completed() float64 { return float64(s.inTime) / s.lasted.Seconds() }

// follows reports whether the service keeps up.
func (s step) follows() bool { return s.completed() >= followed*s.rate && !s.grows() }

// grows reports whether the queue does: in the last third of the time it holds more than in the middle one, by what comes in
// half a second.
func (s step) grows() bool {
	third := len(s.queue) / 3
	if third == 0 {
		return false
	}
	return mean(s.queue[2*third:])-mean(s.queue[third:2*third]) > max(5, s.rate/2)
}

func mean(of []int) float64 {
	sum := 0
	for _, n := range of {
		sum += n
	}
	return float64(sum) / float64(len(of))
}

// measure offers files at a rate and looks at what becomes of them.
func (l *load) measure(p phases, rate float64, last time.Duration) (s step, err error) {
	l.items = map[string]item{}
	bounded, cancel := context.WithTimeout(context.Background(), longestRun)
	defer cancel()
	if s, err = l.offer(bounded, p.load, rate, last); err != nil {
		return s, err
	}
	if err := errors.Join(l.errs...); err != nil { // nobody adds to them any more
		return s, err
	}
	if err := l.drain(p.wait); err != nil {
		return s, err
	}
	rows, err := l.client.all(bounded)
	if err != nil {
		return s, err
	}
	s.judge(rows, l.items, l.stopped)
	return s, wipe(bounded, l.service)
}

// offer puts the files into the bucket and measures meanwhile what that costs.
func (l *load) offer(bounded, ctx context.Context, rate float64, last time.Duration) (s step, err error) {
	path := filepath.Join(l.service.Dir, "logs", fmt.Sprintf("curve-%g.pprof", rate))
	stop, err := profileTo(path)
	if err != nil {
		return s, err
	}
	procs, all := processes("/proc", os.Getpid()), machineTimes("/proc")
	sampling, enough := context.WithCancel(bounded)
	sampled := l.sampleQueue(sampling)
	l.started = time.Now()
	before := l.begun.Load()
	pace(ctx, rate, last, l.turn(bounded))
	l.stopped = time.Now()
	enough()
	seen := <-sampled
	s = step{rate: rate, lasted: l.stopped.Sub(l.started), begun: int(l.begun.Load() - before), queue: seen.queue, atWork: mean(seen.atWork)}
	s.spend(procs, processes("/proc", os.Getpid()), all, machineTimes("/proc"))
	if err := stop(); err != nil {
		return s, err
	}
	if s.spent, err = sharesOf(bounded, path); err != nil {
		return s, err
	}
	return s, seen.err
}

// turn drops a file for the profile whose key is RSA-2048 in KMS.
func (l *load) turn(ctx context.Context) func(n int, due time.Time) {
	return func(_ int, due time.Time) {
		i := item{files, fmt.Sprintf("contracts/Carta %07d.pdf", l.begun.Add(1)), due}
		l.note(l.drop(ctx, i, l.papers[0]))
	}
}

// samples are what was seen while files were offered.
type samples struct {
	queue, atWork []int
	err           error
}

// sampleQueue looks at the work queue, and at how many invocations sign has in hand, until ctx ends.
func (l *load) sampleQueue(ctx context.Context) <-chan samples {
	told := make(chan samples, 1)
	go func() {
		var s samples
		for s.err == nil {
			s.look(ctx, l.service)
			if rest(ctx, sampleEvery) != nil {
				break
			}
		}
		told <- s
	}()
	return told
}

// look is not broken off by the end of ctx: the last look is the one that tells what is left.
func (s *samples) look(ctx context.Context, service *local.Service) {
	depths, err := service.Depths(context.WithoutCancel(ctx))
	if err != nil {
		s.err = err
		return
	}
	waiting := 0
	for name, d := range depths {
		if strings.HasSuffix(service.Work, "/"+name) {
			waiting += d.Waiting + d.InHand
		}
	}
	s.queue, s.atWork = append(s.queue, waiting), append(s.atWork, service.AtWork("sign"))
}

// drain waits until the work queue is empty, or ctx ends, or it takes too long.
func (l *load) drain(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, l.wait)
	defer cancel()
	for {
		idle, err := l.service.Idle(context.WithoutCancel(ctx))
		if err != nil {
			return err
		}
		if idle || rest(within, sampleEvery) != nil {
			return nil
		}
	}
}

// spend tells what was spent between two looks. Processes that began in between have spent all that they have.
func (s *step) spend(before, after map[int]process, from, to machine) {
	s.functions = map[string]time.Duration{}
	mine := time.Duration(0)
	for id, p := range after {
		spent := p.spent - before[id].spent
		if mine += spent; p.name == this {
			s.this += spent
		} else {
			s.functions[p.name] += spent
		}
	}
	s.busy, s.idle = to.busy-from.busy, to.idle-from.idle
	s.others = max(0, s.busy-mine)
}

// judge looks at what became of the files by the end of the load, and later.
func (s *step) judge(rows []row, items map[string]item, stopped time.Time) {
	s.unended = s.begun
	for _, r := range rows {
		i, known := items[r.key()]
		if !known || !r.ended() {
			continue
		}
		if s.unended--; r.Status != job.Completed {
			s.failed++
			continue
		}
		s.took = append(s.took, r.UpdatedAt.Sub(i.begun))
		if !r.UpdatedAt.After(stopped) {
			s.inTime++
		}
	}
}

// part is how much of the time this process had for a part of its work. What the profile has lost is shared out.
func (s step) part(p part) time.Duration {
	if s.spent.all == 0 {
		return 0
	}
	return time.Duration(float64(s.this) * float64(s.spent.parts[p]) / float64(s.spent.all))
}

// percent is a time in hundredths of one core.
func (s step) percent(d time.Duration) float64 { return 100 * d.Seconds() / s.lasted.Seconds() }

// full reports whether the machine had hardly anything left.
func (s step) full() bool { return s.percent(s.idle) < 10*float64(runtime.NumCPU()) }
