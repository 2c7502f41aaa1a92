package app

import (
	"time"

	"bulksigner/internal/lacuna"
	"bulksigner/internal/settings"
	"bulksigner/internal/workflow"
)

// caller is a function that calls Lacuna Signer.
type caller int

const (
	signCalls caller = iota
	pollCalls
	sweepCalls
	apiCalls
)

// sweepers is how many environments of sweep there are at most: two for checks, one for the clock.
const sweepers = 3

// share is how many calls a second one environment of a function may make, so that all of them together keep to
// Signer:RequestsPerSecond: half of it is for sign, a quarter each for poll and sweep. The API, whose operators cancel now
// and then, has a tenth on top.
func share(c caller, s settings.Settings) float64 {
	all := float64(s.Signer.RequestsPerSecond)
	switch c {
	case signCalls:
		return all / 2 / float64(s.Pipeline.MaxConcurrency)
	case pollCalls:
		return all / 4
	case sweepCalls:
		return all / 4 / sweepers
	}
	return all / 10
}

// signer is Lacuna Signer at a function's share of its rate, or nil in a service that has none.
func (b *base) signer(c caller) workflow.Signer {
	s := b.settings.Signer
	if !s.Configured() {
		return nil
	}
	return lacuna.New(lacuna.Options{Endpoint: s.Endpoint, Key: b.secret("Signer:ApiKey", s.ApiKey), Rate: share(c, b.settings)})
}

// remote is how Lacuna Signer is worked with; the zero value in a service that has none.
func remote(s settings.Signer) workflow.Remote {
	return workflow.Remote{
		PollEvery:     time.Duration(s.PollIntervalSeconds) * time.Second,
		Timeout:       time.Duration(s.TimeoutHours) * time.Hour,
		MaxFailures:   s.MaxConsecutiveApiFailures,
		SweepEvery:    time.Duration(s.FolderSweepIntervalSeconds) * time.Second,
		SkipUnchanged: s.SkipUnchangedDocuments,
	}
}
