// Package workflowtest is a world in memory for the workflow: table, buckets, queue and keys that behave as their
// adapters promise, with one gate that every call passes. At the gate a call can be refused, can lose its reply, or can
// kill the run before or after its effect.
package workflowtest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// Fault is what happens at a step.
type Fault int

// The faults. A run that dies is gone at once: none of its deferred words reach the world.
const (
	None Fault = iota
	DieBefore
	DieAfter
	FailBefore
	FailAfter // the effect landed, the reply is lost
)

// Faults lists what can go wrong.
var Faults = []Fault{DieBefore, DieAfter, FailBefore, FailAfter}

// String names a fault.
func (f Fault) String() string {
	return [...]string{"none", "die before", "die after", "fail before", "lose the reply"}[f]
}

// ErrBroken is the error of a step that failed on purpose.
var ErrBroken = errors.New("the world is broken here")

// death is the panic of a run that dies.
type death struct{}

// World is everything outside of the workflow.
type World struct {
	mu       sync.Mutex
	steps    []string
	plan     map[int]Fault
	named    map[string]Fault
	dead     bool
	jobs     map[job.ID]job.Job
	taken    map[string]job.ID
	reserved map[string]job.Reservation

	refused    map[string]fault.Code // by object version
	names      map[string]job.ID     // by folder and name
	answers    map[job.IdempotencyKey]job.ID
	dispatched map[string]job.ID // by document
	discovered map[string]job.ID // by document and action, see pairKey

	profiles map[string]profile.Profile
	pipeline job.Pipeline
	passes   map[string]job.Pass
	inputs   map[string][]version
	outputs  map[string]output
	uploads  map[string]bool
	serial   int

	Messages []string // the queue: oldest first
	Held     bool     // inputs may not be deleted
	// Gate, if it is set, stands in place of the world's own gate: it decides when, whether and how often a call has its
	// effect, which is step, and what its caller hears of it. Its context is the call's.
	Gate func(ctx context.Context, name string, step func() error) error
	Keys *Keys
}

// New makes an empty world with the given keys.
func New(keys *Keys) *World {
	w := &World{
		plan: map[int]Fault{}, named: map[string]Fault{}, jobs: map[job.ID]job.Job{}, taken: map[string]job.ID{}, reserved: map[string]job.Reservation{},
		profiles: map[string]profile.Profile{}, passes: map[string]job.Pass{}, inputs: map[string][]version{},
		outputs: map[string]output{}, uploads: map[string]bool{}, Keys: keys,
		refused: map[string]fault.Code{}, names: map[string]job.ID{}, answers: map[job.IdempotencyKey]job.ID{}, dispatched: map[string]job.ID{}, discovered: map[string]job.ID{},
	}
	keys.world = w
	return w
}

// Break makes step n (counted from 1) of the next invocations go wrong.
func (w *World) Break(n int, f Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.plan[len(w.steps)+n] = f
}

// BreakNext makes the next step of a name go wrong.
func (w *World) BreakNext(name string, f Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.named[name] = f
}

// Steps are the names of the calls so far.
func (w *World) Steps() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.steps...)
}

// Invoke runs one invocation. It reports whether the run died.
func (w *World) Invoke(run func() error) (died bool, err error) {
	defer func() {
		w.mu.Lock()
		w.dead = false
		w.mu.Unlock()
		switch r := recover(); r.(type) {
		case nil:
		case death:
			died, err = true, nil
		default:
			panic(r)
		}
	}()
	return false, run()
}

// pass is the gate. The effect runs under the world's lock, so that it is one step.
func (w *World) pass(ctx context.Context, name string, effect func() error) error {
	if w.Gate != nil {
		return w.Gate(ctx, name, func() error { return w.happen(name, effect) })
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dead {
		panic(death{})
	}
	w.steps = append(w.steps, name)
	f := w.plan[len(w.steps)]
	if n, ok := w.named[name]; ok {
		f = n
		delete(w.named, name)
	}
	switch {
	case f == DieBefore:
		w.dead = true
		panic(death{})
	case f == FailBefore:
		return fmt.Errorf("%s: %w", name, ErrBroken)
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", name, ctx.Err())
	}
	err := effect()
	switch f {
	case DieAfter:
		w.dead = true
		panic(death{})
	case FailAfter:
		return fmt.Errorf("%s: reply lost: %w", name, ErrBroken)
	}
	return err
}

// happen has an effect, past what can go wrong in pass.
func (w *World) happen(name string, effect func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.steps = append(w.steps, name)
	return effect()
}
