package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// phases are the parts of a run that can be ended early: the load, and the waiting for what it began. Whoever wants the
// verdict at once ends both.
type phases struct{ load, wait context.Context }

// interrupts has Ctrl-C end one phase each time, and the program after the last one.
func interrupts(out io.Writer) (p phases, end func()) {
	pressed := make(chan os.Signal, 1)
	signal.Notify(pressed, os.Interrupt, syscall.SIGTERM)
	p, over := listen(pressed, func() { signal.Stop(pressed) }, out)
	return p, func() { signal.Stop(pressed); over() }
}

// listen ends a phase at each signal. After the last one it stops listening, so that the next has its usual effect.
func listen(pressed <-chan os.Signal, deaf func(), out io.Writer) (p phases, end func()) {
	load, endLoad := context.WithCancel(context.Background())
	wait, endWait := context.WithCancel(context.Background())
	over := make(chan struct{})
	steps := []struct {
		end  func()
		says string
	}{
		{endLoad, "no more load: what has begun comes to its end; once more for the verdict so far"},
		{endWait, "the verdict so far; once more for none"},
	}
	go func() {
		for _, s := range steps {
			select {
			case <-over:
				return
			case <-pressed:
				fmt.Fprintln(out, s.says)
				s.end()
			}
		}
		deaf()
	}()
	return phases{load, wait}, func() { close(over); endLoad(); endWait() }
}
