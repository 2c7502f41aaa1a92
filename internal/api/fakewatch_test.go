package api_test

import (
	"context"
	"time"

	"bulksigner/internal/fault"
	"bulksigner/internal/job"
	"bulksigner/internal/profile"
)

// watch is what a service tells of all that surrounds its jobs.
type watch struct {
	standings []job.Standing
	hours     []job.Hour
	counts    []job.Count
	state     job.Pipeline
	queues    []job.QueueState
	returned  job.Returned
	holdings  []job.Holding
	files     map[string]job.FolderState

	asked    []job.Status // of Standing
	between  [2]time.Time // of Hours
	prefixes map[string]string
}

// furnishFigures makes it have something to tell of everything.
func (s *service) furnishFigures() {
	dead := job.QueueCount{Waiting: 2}
	s.watch = watch{
		standings: []job.Standing{{Jobs: 10_000, More: true, Oldest: id1, Since: now}, {Jobs: 1, Oldest: id1, Since: now}, {}, {}},
		hours:     []job.Hour{{Start: now.Truncate(time.Hour), Completed: 4, Failed: 3, Canceled: 2, Encrypted: 1}},
		counts:    []job.Count{{Labels: `{"folder":"in"}`, Part: job.PartTotal, Value: 7}},
		state:     job.Pipeline{Paused: true, PausedAt: now, PausedBy: "api", Reason: "r"},
		queues:    []job.QueueState{{Name: "work", Count: job.QueueCount{Waiting: 3}, Dead: &dead}, {Name: "checks"}},
		returned:  job.Returned{Moved: 1, Left: 1},
		holdings: []job.Holding{
			{Profile: "contracts", Enabled: true, Method: profile.Local, Source: profile.Kms, Subject: "ANA", Issuer: "AC", Serial: "1", Print: "00", From: now, To: now},
			{Profile: "gone", Method: profile.SignerFolder, Source: profile.Pfx, Degraded: true, Code: fault.CertificateMissing},
		},
		files: map[string]job.FolderState{"in": {Files: 2}},
	}
}

// Standing has nothing to tell unless it was furnished.
func (s *service) Standing(_ context.Context, statuses ...job.Status) ([]job.Standing, error) {
	s.watch.asked = statuses
	if s.standings == nil {
		return make([]job.Standing, len(statuses)), s.called("Standing")
	}
	return s.standings, s.called("Standing")
}

func (s *service) Hours(_ context.Context, from, to time.Time) ([]job.Hour, error) {
	s.between = [2]time.Time{from, to}
	return s.hours, s.called("Hours")
}

func (s *service) CountersOf(context.Context, ...string) ([]job.Count, error) {
	return s.counts, s.called("CountersOf")
}

func (s *service) State(context.Context) (job.Pipeline, error) { return s.state, s.called("State") }

func (s *service) Queues(context.Context) ([]job.QueueState, error) {
	return s.queues, s.called("Queues")
}

// Return knows the work queue alone.
func (s *service) Return(_ context.Context, queue, by string) (job.Returned, error) {
	if err := s.said("Return", queue, by); err != nil {
		return job.Returned{}, err
	}
	if queue != "work" {
		return job.Returned{}, fault.New(fault.RouteNotFound, "no queue with dead letters has this name")
	}
	return s.returned, nil
}

func (s *service) Holdings(context.Context) ([]job.Holding, error) {
	return s.holdings, s.called("Holdings")
}

func (s *service) FolderFiles(_ context.Context, prefixes map[string]string) map[string]job.FolderState {
	s.prefixes = prefixes
	_ = s.called("FolderFiles") // which never fails
	return s.files
}
