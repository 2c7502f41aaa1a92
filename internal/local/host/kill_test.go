package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"bulksigner/internal/local/host"
)

func first(int) int { return 0 }

// await returns when so many invocations are in hand. It is other processes that take them.
func await(t *testing.T, h *host.Host, n int) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for late := time.After(20 * time.Second); h.InHand(name(t)) != n; {
		select {
		case <-late:
			t.Fatalf("%d invocations in hand, want %d", h.InHand(name(t)), n)
		case <-tick.C:
		}
	}
}

func TestAProcessIsKilledAtWork(t *testing.T) {
	t.Parallel()
	h := start(t, host.Function{Processes: 2})
	failed := make(chan error, 1)
	go func() {
		_, err := h.Invoke(t.Context(), name(t), []byte(`{"Do":"hang"}`))
		failed <- err
	}()
	await(t, h, 1)
	inHand, err := h.Kill(name(t), first)
	if err != nil || !inHand {
		t.Fatalf("Kill = %v, %v, want the one at work", inHand, err)
	}
	err = <-failed
	if f, ok := errors.AsType[*host.FunctionError](err); !ok || !strings.Contains(string(f.Payload), "Runtime.ExitError") {
		t.Errorf("the invocation ended with %v, want the death of its process", err)
	}
	if n := h.InHand(name(t)); n != 0 {
		t.Errorf("%d invocations in hand afterwards", n)
	}
}

func TestAMachineCrashes(t *testing.T) {
	t.Parallel()
	h := start(t, host.Function{Processes: 3})
	failed := make(chan error, 2)
	for range cap(failed) {
		go func() {
			_, err := h.Invoke(t.Context(), name(t), []byte(`{"Do":"hang"}`))
			failed <- err
		}()
	}
	await(t, h, 2)
	if n, err := h.Crash(name(t)); err != nil || n != 2 {
		t.Fatalf("Crash = %d, %v, want both at work", n, err)
	}
	for range cap(failed) {
		if err := <-failed; err == nil {
			t.Error("an invocation of a dead process has a result")
		}
	}
}

// askAgain asks which process answers, until one does. kumo notices late that a process which waited for work is gone, and
// may give it an invocation, which nobody answers then.
func askAgain(t *testing.T, h *host.Host) (pid string) {
	t.Helper()
	for range 10 {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		out, err := h.Invoke(ctx, name(t), []byte(`{}`))
		cancel()
		if err != nil {
			t.Logf("asked in vain: %v", err)
			continue
		}
		var answer struct{ PID string }
		if err := json.Unmarshal(out, &answer); err != nil {
			t.Fatalf("answer %s: %v", out, err)
		}
		return answer.PID
	}
	return ""
}

func TestAProcessIsKilledWhileItWaits(t *testing.T) {
	t.Parallel()
	h := start(t, host.Function{})
	before := ask(t, h, `{}`)["pid"]
	await(t, h, 0) // its answer may be on the way through
	if inHand, err := h.Kill(name(t), first); err != nil || inHand {
		t.Fatalf("Kill = %v, %v, want an idle one", inHand, err)
	}
	if after := askAgain(t, h); after == "" || after == before {
		t.Errorf("process %s answers after %s was killed, want another one", after, before)
	}
	if inHand, err := h.Kill("nobody", first); err != nil || inHand {
		t.Errorf("Kill of a function that is not there = %v, %v", inHand, err)
	}
}
