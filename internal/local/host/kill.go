package host

import (
	"errors"
	"slices"
)

// Kill kills a process of a function, as a machine that fails does, and says whether an invocation was in its hands. One
// with an invocation is preferred; pick chooses among n that are alike. Where there is no process, none is killed.
func (h *Host) Kill(function string, pick func(n int) int) (inHand bool, err error) {
	all := h.watch.of(function)
	if busy := slices.DeleteFunc(slices.Clone(all), (*process).idle); len(busy) > 0 {
		all = busy
	}
	if len(all) == 0 {
		return false, nil
	}
	return all[pick(len(all))].die()
}

// Crash kills every process of a function that has an invocation in hand, as the failure of a machine does, and returns how
// many there were.
func (h *Host) Crash(function string) (killed int, err error) {
	var errs []error
	for _, p := range h.watch.of(function) {
		if p.idle() {
			continue
		}
		inHand, err := p.die()
		if errs = append(errs, err); inHand {
			killed++
		}
	}
	return killed, errors.Join(errs...)
}

// InHand is how many invocations of a function processes have in hand.
func (h *Host) InHand(function string) (n int) {
	for _, p := range h.watch.of(function) {
		if !p.idle() {
			n++
		}
	}
	return n
}

// of lists the processes of a function.
func (w *watch) of(function string) (found []*process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.processes {
		if p.Name == function {
			found = append(found, p)
		}
	}
	return found
}

// idle reports whether a process has no invocation in hand.
func (p *process) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone || p.request == ""
}

// die kills the process, unless it has ended or was not begun, and says whether an invocation was in its hands.
func (p *process) die() (inHand bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone || p.os == nil {
		return false, nil
	}
	return p.request != "", kill(p.os)
}
