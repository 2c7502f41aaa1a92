package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"bulksigner/internal/job"
	"bulksigner/internal/lacuna/lacunatest"
	"bulksigner/internal/local/emulator"
	"bulksigner/internal/local/host"
)

// tally counts things by name.
type tally struct {
	mu sync.Mutex
	by map[string]int
}

func newTally() *tally { return &tally{by: map[string]int{}} }

func (t *tally) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.by[name]++
}

func (t *tally) all() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.by)
}

// fault makes one, in as many cases of a thousand as there are to be.
func (l *load) fault(ctx context.Context) error {
	if l.dice(1000) >= l.faults {
		return nil
	}
	sorts := 2
	if slices.Contains(l.kinds, dispatches) || slices.Contains(l.kinds, documents) {
		sorts = 4 // Lacuna Signer has a part in it
	}
	switch l.dice(sorts) {
	case 0:
		return l.kill(ctx)
	case 1:
		return l.repeat(ctx)
	case 2:
		return l.crash(ctx)
	}
	l.trouble()
	return nil
}

// victims are the functions whose processes are killed; those that are there several times have more to lose.
var victims = []string{"sign", "sign", "sign", "sign", "sweep", "sweep", "notify", "api", "poll", "recover"}

// A kill waits a little for a run, and then for some moment of it, so that it meets runs at any of their steps. Runs that a
// schedule wakes are short where there is nothing to do.
const (
	lurk   = 300 * time.Millisecond
	blink  = 2 * time.Millisecond
	within = 40 // milliseconds
	soon   = 8  // milliseconds
)

// kill kills a process of some function.
func (l *load) kill(ctx context.Context) error {
	function := victims[l.dice(len(victims))]
	inHand, err := l.ambush(ctx, function, within)
	if err != nil {
		return err
	}
	if inHand {
		l.faulted.add(function + " killed at work")
	} else {
		l.faulted.add(function + " killed while it waited")
	}
	return nil
}

// linger is how long Lacuna Signer keeps an answer to itself whose asker is to die, and called how long a crash waits for the call.
const (
	linger = time.Second
	called = 3 * time.Second
)

// crash kills all that signs at the worst moment: Lacuna Signer has done what it was asked for, and nobody has heard of it.
func (l *load) crash(ctx context.Context) error {
	signer, op := l.service.Signer, acts[l.dice(len(acts))]
	before := signer.Count(op)
	signer.Fail(lacunatest.Rule{Op: op, Times: 1, Fault: lacunatest.Delayed(linger).AfterEffect()})
	for until := time.Now().Add(called); signer.Count(op) == before; {
		if err := rest(ctx, blink); err != nil {
			return err
		}
		if time.Now().After(until) {
			l.faulted.add("Lacuna Signer, slow after the effect")
			return nil // there was no such call
		}
	}
	if err := rest(ctx, within*time.Millisecond); err != nil {
		return err
	}
	n, err := l.service.Crash("sign")
	if err != nil {
		return fmt.Errorf("kill all that signs: %w", err)
	}
	if n > 0 {
		l.faulted.add(fmt.Sprintf("all of sign killed before the answer to %s", op))
	}
	return nil
}

// rest waits, and returns an error if ctx ends before.
func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// calls are those of Lacuna Signer that fail.
var calls = []lacunatest.Op{
	lacunatest.Upload, lacunatest.Create, lacunatest.Details, lacunatest.List, lacunatest.Download, lacunatest.ActionURL,
	lacunatest.Start, lacunatest.Complete,
}

// acts are the calls with an effect.
var acts = []lacunatest.Op{lacunatest.Upload, lacunatest.Create, lacunatest.Start, lacunatest.Complete}

// slow is how long a slow answer takes.
const slow = 2 * time.Second

// trouble has the next call of some kind fail at Lacuna Signer.
func (l *load) trouble() {
	faults := []struct {
		name string
		lacunatest.Fault
	}{
		{"dropped before the effect", lacunatest.Dropped()},
		{"dropped after the effect", lacunatest.Dropped().AfterEffect()},
		{"503", lacunatest.Status(503)},
		{"503 after the effect", lacunatest.Status(503).AfterEffect()},
		{"slow", lacunatest.Delayed(slow)},
	}
	f, op := faults[l.dice(len(faults))], calls[l.dice(len(calls))]
	l.service.Signer.Fail(lacunatest.Rule{Op: op, Times: 1, Fault: f.Fault})
	l.faulted.add("Lacuna Signer, " + f.name)
}

// repeat sends a message a second time: of a file that was dropped, or the doorbell of a job.
func (l *load) repeat(ctx context.Context) error {
	body, what, err := l.message()
	if err != nil || body == "" {
		return err
	}
	if _, err := l.service.Queues().SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &l.service.Work, MessageBody: &body}); err != nil {
		return fmt.Errorf("repeat a message: %w", err)
	}
	l.faulted.add(what + " told of twice")
	return nil
}

// message is one that was there before, or "" while there is none.
func (l *load) message() (body, what string, err error) {
	if known, ok := l.known(); ok && l.dice(2) == 0 {
		return job.Doorbell(known.ID), "job", nil
	}
	o, ok := l.dropped()
	if !ok {
		return "", "", nil
	}
	encoded, err := host.Encode(o, host.Notification, time.Now(), time.Now().UnixNano())
	return string(encoded), "file", err
}

// dropped is one of the last files that were dropped.
func (l *load) dropped() (emulator.Object, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.put) == 0 {
		return emulator.Object{}, false
	}
	last := l.put[max(0, len(l.put)-10):]
	return last[l.rand.IntN(len(last))], true
}
