package local

import (
	"context"
	"time"

	"bulksigner/internal/local/host"
)

// Kill kills a process of a function, as a machine that fails does; see host.Host.
func (s *Service) Kill(function string, pick func(n int) int) (inHand bool, err error) {
	return s.host.Kill(function, pick)
}

// Crash kills every process of a function that is at work, and returns how many there were.
func (s *Service) Crash(function string) (killed int, err error) { return s.host.Crash(function) }

// AtWork is how many invocations of a function are in hand.
func (s *Service) AtWork(function string) int { return s.host.InHand(function) }

// Wake wakes a function once as its schedule does, and waits for its end.
func (s *Service) Wake(ctx context.Context, function string) error {
	return host.Schedule{Name: function, Function: function, Invoker: s.host}.Wake(ctx, time.Now())
}

// Checks is the URL of the queue of checks.
func (s *Service) Checks() string { return s.checks }
